import * as fc from "fast-check";
import { expect, describe, test } from "vitest";
import { resolverOf } from "../../../test/support/import-table.ts";
import { ImportResolver } from "./resolver.ts";
import { triesOf } from "../../../test/support/tries.ts";

const LANGUAGES =
  "cpp csharp css dart elixir go html java lua php protobuf python ruby rust shell swift typescript javascript kotlin vue".split(
    " ",
  );

describe("hostile trees and specifiers", () => {
  test.each([
    ["../../../../etc/passwd"],
    ["./a\0"],
    ["../".repeat(3_000)],
    ["/".repeat(200)],
    ["."],
    [".."],
    ["#"],
    ["@"],
    ["~"],
    ["!"],
    ["::"],
    ["\\"],
    [`./${"a/".repeat(5_000)}`],
    ["__proto__"],
    ["constructor"],
  ])("%j leads nowhere", (specifier) => {
    const resolver = resolverOf(["a/b.js"], {
      "package.json": { name: "x", exports: {}, imports: {} },
      "tsconfig.json": { compilerOptions: { paths: { "*": ["*"] }, baseUrl: "../.." } },
    });
    for (const language of LANGUAGES) expect(resolver.resolve("a/b.js", language, specifier)).toEqual([]);
  });

  test("manifests that are broken, endless or turn in circles say nothing", () => {
    let deep: unknown = "./a.js";
    for (let level = 0; level < 500; level += 1) deep = { default: deep };
    const resolver = resolverOf(["a.js"], {
      "package.json": `{ "name": "x", `,
      "one/package.json": { name: "deep", exports: deep, main: "../../../a.js" },
      "two/package.json": { name: 7, exports: 8, imports: [9], main: {} },
      "three/package.json": `{"name":"long","main":"./a.js","x":"${"x".repeat(300_000)}"}`,
      "four/package.json": { name: "circle", main: "../five" },
      "five/package.json": { name: "round", main: "../four/dist" },
      "tsconfig.json": { extends: "./tsconfig.b.json" },
      "tsconfig.b.json": { extends: ["./tsconfig.json", "./tsconfig.b.json", "\0", "deep"] },
      "jsconfig.json": { compilerOptions: { baseUrl: 1, paths: { a: "b" } } },
      "go.mod": "module",
      "Cargo.toml": "[package\nname = ",
    });
    for (const specifier of ["x", "deep", "long", "m", "a", "deep/x", "circle", "round", "../four"]) {
      expect(resolver.resolve("one/b.ts", "typescript", specifier)).toEqual([]);
      expect(resolver.resolve("one/b.go", "go", specifier)).toEqual([]);
      expect(resolver.resolve("one/b.rs", "rust", specifier)).toEqual([]);
    }
  });

  test("never throws, and finds only other files of the tree", () => {
    const name = fc.constantFrom(
      "a",
      "b",
      "src",
      "lib",
      "index",
      "mod",
      "__init__",
      "*",
      "..",
      ".",
      "",
      "@x",
      "#",
      "crate",
      "super",
      "self",
      "\0",
      "é",
    );
    const ending = fc.constantFrom("", ".ts", ".js", ".py", ".rs", ".go", ".java", ".h", ".rb", ".php", ".scss", ".cs");
    const path = fc
      .tuple(fc.array(name, { minLength: 1, maxLength: 5 }), ending)
      .map(([names, end]) => names.join("/") + end);
    const joint = fc.constantFrom("/", ".", "::", "\\", "/../");
    const specifier = fc.oneof(
      fc.string(),
      path,
      fc.tuple(fc.array(name, { maxLength: 6 }), joint).map(([names, by]) => names.join(by)),
    );
    const values = fc.dictionary(
      fc.constantFrom(
        "name",
        "main",
        "exports",
        "imports",
        "compilerOptions",
        "paths",
        "baseUrl",
        "extends",
        ".",
        "./*",
        "#*",
        "*",
      ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const manifest = fc.tuple(
      fc
        .tuple(
          fc.constantFrom("", "src/", "a/"),
          fc.constantFrom("package.json", "tsconfig.json", "go.mod", "Cargo.toml"),
        )
        .map((parts) => parts.join("")),
      fc.oneof(
        fc.string(),
        values.map((value) => JSON.stringify(value)),
        values.map((value) => JSON.stringify({ name: "a", compilerOptions: value, exports: value })),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(path, { maxLength: 30 }),
        fc.array(manifest, { maxLength: 4 }),
        fc.array(fc.tuple(path, specifier), { maxLength: 10 }),
        (paths, manifests, imports) => {
          const resolver = new ImportResolver(paths, { manifests: new Map(manifests) });
          for (const [from, written] of imports) {
            for (const language of LANGUAGES) {
              const files = resolver.resolve(from, language, written);
              expect(files.every((file) => file !== from && paths.includes(file))).toBe(true);
            }
          }
        },
      ),
      { numRuns: triesOf(300) },
    );
  });
});
