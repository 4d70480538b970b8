import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { version } = z.object({ version: z.string() }).parse(JSON.parse(textOf("package.json")));

test("whatever names Relay's version names that of the package, and a release changes it there", () => {
  const naming = [...textOf("scripts/version.ts").matchAll(/^ {2}"([^"]+)",$/gm)].map(([, file = ""]) => file);
  expect(naming.length).toBeGreaterThan(4);
  const named = naming.map(
    (file) => [file, [...textOf(file).matchAll(/(?<![\d.])\d+\.\d+\.\d+(?![\d.]*\d)/g)].flat()] as const,
  );
  for (const [file, versions] of named) expect([file, versions]).toEqual([file, expect.arrayContaining([version])]);
  const packed = /relay[-:](\d+\.\d+\.\d+)(?:\.tgz)?/g;
  for (const file of naming)
    expect([...textOf(file).matchAll(packed)].filter(([, one]) => one !== version)).toEqual([]);
  const lock = z
    .object({ version: z.string(), packages: z.object({ "": z.object({ version: z.string() }) }) })
    .parse(JSON.parse(textOf("package-lock.json")));
  expect([lock.version, lock.packages[""].version]).toEqual([version, version]);
});

test("the newest section of the changelog is that of the package's version", () => {
  expect(/^## (.+)$/m.exec(textOf("CHANGELOG.md"))?.[1]).toBe(version);
});
