import { readFileSync, readdirSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { HOSTED_PROVIDERS } from "./registry.ts";

const source = resolve(import.meta.dirname, "../..");

/** Files that name a tracker for another reason than to tell it from others. */
const OTHERWISE = [
  // The names that may be stored.
  "domain/issue.ts",
  "adapters/trackers/registry.ts",
  // What the command line promises: `init --github-app` and `validate --format github`.
  "cli/main.ts",
  "cli/commands/init.ts",
  "cli/commands/validate.ts",
  "cli/init/interview.ts",
];
/** Folders of a tracker, and of what only it has. */
const OWN = ["adapters/trackers/github/", "adapters/trackers/gitlab/", "cli/init/github-app/"];

function code(file: string): string {
  return readFileSync(join(source, file), "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "");
}

test("outside of its folder, a tracker is named in the registry alone", () => {
  const product = HOSTED_PROVIDERS.map(({ name }) => name).join("|");
  const variable = product.toUpperCase();
  // As a value, a property, a part of an identifier, a folder to import from, or in an environment variable.
  const name = new RegExp(
    String.raw`["'\x60](?:${product})["'\x60]|\w\.(?:${product})\b(?!\.)|\b(?:${product})[A-Z]|trackers/(?:${product})/|\b(?:${variable})_`,
  );
  const naming = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|cases)\.ts$/.test(file))
    .filter((file) => !OWN.some((folder) => file.startsWith(folder)) && name.test(code(file)));
  expect(naming.toSorted()).toEqual(OTHERWISE.toSorted());
});

test("each has a page of documentation, limits, and variables that override its own keys", () => {
  for (const { name, docs, limits, variables } of HOSTED_PROVIDERS) {
    expect(readFileSync(resolve(source, "..", docs), "utf8")).toContain("webhook");
    expect(limits.writes?.perMinute).toBeGreaterThan(0);
    for (const { path } of Object.values(variables)) expect(path[0]).toBe(name);
  }
});
