import { expect, test } from "vitest";
import { patchedFiles } from "./patch.ts";

const added = (patch: string) =>
  patchedFiles(patch).map(({ path, lines }) => [path, lines.flatMap(({ text, isAdded }) => (isAdded ? [text] : []))]);

test("a patch gives the files with the lines that it adds", () => {
  const patch = [
    ...[
      "diff --git a/a.ts b/a.ts",
      "--- a/a.ts",
      "+++ b/a.ts",
      "@@ -1,2 +1,2 @@ function f() {",
      " same",
      "-old",
      "+new",
    ],
    ...["diff --git a/gone.ts b/gone.ts", "--- a/gone.ts", "+++ /dev/null", "@@ -1 +0,0 @@", "-gone"],
    ...["diff --git a/b c.ts b/b c.ts", "--- a/b c.ts\t", "+++ b/b c.ts\t", "@@ -3 +3,2 @@", "+one", " two"],
  ].join("\n");
  expect(added(patch)).toEqual([
    ["a.ts", ["new"]],
    ["b c.ts", ["one"]],
  ]);
});

test("a line that looks like a header is a line", () => {
  const patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,3 @@\n+one\n+++ b/other.ts\n+@@ -1 +1 @@\n";
  expect(added(patch)).toEqual([["a", ["one", "++ b/other.ts", "@@ -1 +1 @@"]]]);
});

test.each(["", "no patch", "@@ -1,999999999 +1,999999999 @@", "+++ b/", "+++ b/a\n@@ -1 +1,5 @@\n+cut"])(
  "what is no patch, or only a part of one, does no harm: %j",
  (text) => {
    expect(() => patchedFiles(text)).not.toThrow();
  },
);
