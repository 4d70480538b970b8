import { expect, test } from "vitest";
import { changedLines } from "./changed-lines.ts";

test("a change tells its places by the lines that are there after it", () => {
  const patch = [
    ...["diff --git a/src/a b.ts b/src/a b.ts", "index 1..2 100644", "--- a/src/a b.ts\t", "+++ b/src/a b.ts\t"],
    ...["@@ -3 +3,2 @@ function total() {", "-old", "+new", "+diff --git a/x b/x", "@@ -9,2 +10,0 @@", "-one", "-two"],
    ...["diff --git a/gone.ts b/gone.ts", "deleted file mode 100644", "--- a/gone.ts", "+++ /dev/null"],
    ...["@@ -1 +0,0 @@", "-gone", "\\ No newline at end of file"],
    ...["diff --git a/logo.png b/logo.png", "new file mode 100644", "Binary files /dev/null and b/logo.png differ"],
  ].join("\n");
  expect(changedLines(patch)).toEqual([
    {
      path: "src/a b.ts",
      lines: [
        { from: 3, to: 4 },
        { from: 10, to: 10 },
      ],
      isDeleted: false,
    },
    { path: "gone.ts", lines: [], isDeleted: true },
    { path: "logo.png", lines: [], isDeleted: false },
  ]);
});

test.each([
  "",
  "no patch",
  "@@ -1,999999999 +1,999999999 @@",
  "diff --git a/a b/b",
  "diff --git a/a b/a\n@@ -1 +1,5 @@",
])("what is no change, or only a part of one, does no harm: %j", (text) => {
  expect(() => changedLines(text)).not.toThrow();
});
