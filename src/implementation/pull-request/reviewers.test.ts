import { expect, test } from "vitest";
import { codeOwnersOf, reviewersOf } from "./reviewers.ts";

const given = { provider: "github", without: ["relay[bot]", "Relay"] } as const;

test("the owners of the changed files are asked, those of most files first", () => {
  const file = "*.ts @ann\n/docs/ @bob\n/src/pay/ @carl @ann\n";
  expect(reviewersOf(file, ["docs/a.md", "src/pay/a.ts", "src/pay/b.ts", "x.ts"], given)).toEqual([
    "ann",
    "carl",
    "bob",
  ]);
});

test("teams, addresses and Relay itself are not asked, and nobody twice", () => {
  const file = "* @acme/team relay@example.com @relay @Ann @ann\n";
  expect(reviewersOf(file, ["a.ts"], given)).toEqual(["Ann"]);
  expect(reviewersOf("* @@maintainers @ann", ["a.ts"], { ...given, provider: "gitlab" })).toEqual(["ann"]);
});

test("five people at most are asked", () => {
  expect(reviewersOf("* @a @b @c @d @e @f @g", ["a.ts"], given)).toHaveLength(5);
  expect(reviewersOf("", ["a.ts"], given)).toEqual([]);
});

test.each([
  ["github", [".github/CODEOWNERS", "CODEOWNERS"], ".github/CODEOWNERS"],
  ["gitlab", ["docs/CODEOWNERS", ".gitlab/CODEOWNERS"], "docs/CODEOWNERS"],
  ["local", ["docs/CODEOWNERS"], "docs/CODEOWNERS"],
  ["gitlab", [], null],
] as const)("the file is looked for where %s looks", async (provider, there, expected) => {
  const codeHost = {
    readFile: async (_: string, path: string) =>
      await Promise.resolve(there.some((each) => each === path) ? path : null),
  };
  expect(await codeOwnersOf("demo", { codeHost, provider })).toBe(expected);
});
