import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

/** The layers of `src/`, lowest first; ARCHITECTURE.md draws the same picture. */
const LAYERS = [
  { name: "ground", folders: ["lib", "i18n"] },
  { name: "domain", folders: ["domain"] },
  { name: "adapters", folders: ["adapters", "storage"] },
  { name: "services", folders: ["code", "notify", "config"] },
  { name: "gates", folders: ["approval", "budget"] },
  { name: "steps", folders: ["intake", "planner", "specification", "plan", "implementation"] },
  { name: "engine", folders: ["engine"] },
  { name: "composition", folders: ["app"] },
  { name: "server", folders: ["server"] },
  { name: "surfaces", folders: ["cli"] },
];

const source = resolve(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"));

function folderOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function layerOf(file: string): number {
  return LAYERS.findIndex(({ folders }) => folders.includes(folderOf(file)));
}

/** Every import of a file, static, dynamic or re-export, as written. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g);
  return [...found].map((match) => match[1] ?? "").filter((specifier) => specifier.startsWith("."));
}

const edges = files.flatMap((file) =>
  importsOf(file).map((specifier) => ({
    file,
    target: relative(source, resolve(source, dirname(file), specifier))
      .split(sep)
      .join("/"),
  })),
);

describe("the layers", () => {
  test("every file belongs to a layer", () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  test("a file imports only its own folder and the layers below", () => {
    const wrong = edges.filter(({ file, target }) => {
      const ownTests = file.endsWith(".test.ts") && target.startsWith("../test/");
      if (folderOf(file) === folderOf(target) || ownTests) return false;
      return target.startsWith("..") || layerOf(target) >= layerOf(file);
    });
    expect(wrong).toEqual([]);
  });

  test("product code never imports a test", () => {
    expect(edges.filter(({ file, target }) => !file.endsWith(".test.ts") && target.endsWith(".test.ts"))).toEqual([]);
  });

  test("only config/ reads the environment", () => {
    const readers = files.filter(
      (file) =>
        !file.endsWith(".test.ts") &&
        file !== "config/config.ts" &&
        /process\s*\.\s*env\b/.test(readFileSync(join(source, file), "utf8")),
    );
    // A child process inherits the environment unless its caller gives another one.
    expect(readers).toEqual(["lib/exec.ts"]);
  });
});
