import { assert, property, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

function fits(glob: string, path: string): boolean | string {
  const compiled = compileGlob(glob);
  return compiled.kind === "glob" ? compiled.test(path) : compiled.reason;
}

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "deep/down/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/b/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/b/c/a.ts", true],
  ["src/**", "src/b/.c/a.ts", true],
  ["src/", "src/b/a.ts", true],
  ["src/**", "src", false],
  ["**/.aws/**", ".aws/x", true],
  ["**/.aws/**", "a/.aws/x/y", true],
  ["/src/a.ts", "src/a.ts", "paths and globs are relative to the top of the repository, without .."],
  ["../*", "a", "paths and globs are relative to the top of the repository, without .."],
  ["{a,b}.{ts,js}", "x/b.js", true],
  ["{a,{b,c}d}.ts", "cd.ts", true],
  ["{.git,.}/**", ".git/config", true],
  ["[ab]?.ts", "bc.ts", true],
  ["[!ab].ts", "a.ts", false],
  ["[a-c].ts", "b.ts", true],
  ["[a", "[a", true],
  ["a?c", "a😀c", true],
  ["", "a", "a glob has from 1 to 200 characters"],
])("%s on %s: %s", (glob, path, answer) => {
  expect(fits(glob, path)).toBe(answer);
});

test("too many alternatives are refused, and a glob of many stars is answered at once", () => {
  expect(compileGlob("{a,b}".repeat(7)).kind).toBe("refused");
  expect(fits(`${"*a".repeat(90)}b`, "a".repeat(4_000))).toBe(false);
  expect(fits(`${"**/".repeat(60)}c`, `${"a/".repeat(2_000)}b`)).toBe(false);
});

test("any glob answers, and a path fits itself", () => {
  assert(
    property(stringMatching(/^[a.*?[\]{},!/-]{0,40}$/), (glob) => {
      expect(["boolean", "string"]).toContain(typeof fits(glob, "a/.b-c"));
    }),
  );
  assert(
    property(stringMatching(/^[a-z]{1,9}\/[a-z.]{1,9}z$/), (path) => {
      expect(fits(path, path)).toBe(true);
    }),
  );
});
