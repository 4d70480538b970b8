import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RelayError } from "../../lib/errors.ts";
import { folderIn, folderOf, issueIdIn, slugOf, storedPath } from "./path.ts";
import type { SpecOwner } from "./spec-store.ts";

const owner: SpecOwner = { issueId: "12345", provider: "github", externalIssueId: "9876", title: "Add dark mode" };
const FOLDER = "issue_12345_github_9876_add-dark-mode";

test("a slug has only letters, digits and single hyphens, and is never empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (title) => {
      expect(slugOf(title)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(slugOf(title).length).toBeLessThanOrEqual(60);
    }),
  );
});

test.each([
  ["Ошибка при входе", "oshibka-pri-vkhode"],
  ["登录失败", "denglu-shibai"],
  ["月次レポートの集計がずれる", "repoto"],
  ["ガイド", "gaido"],
  ["Über die Straße", "uber-die-strasse"],
  ["Don't crash!", "dont-crash"],
  ["!!!", "issue"],
  [`${"a".repeat(59)} bc`, "a".repeat(59)],
])("the slug of %j is %j", (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

test("a spec is stored relative to its root, and found again under every name that the root ever had", () => {
  expect(storedPath(folderOf(owner))).toBe(`${FOLDER}/spec.md`);
  for (const above of ["", "relay_specs/", "var/specs/", "elsewhere/"]) {
    expect(folderIn(`${above}${FOLDER}/spec.md`)).toBe(FOLDER);
  }
});

test("whatever an issue is called, its folder is one that the store takes back", () => {
  fc.assert(
    fc.property(
      fc.record({
        issueId: fc.string(),
        provider: fc.constantFrom("local" as const, "github" as const, "gitlab" as const),
        externalIssueId: fc.string({ maxLength: 300 }),
        title: fc.string({ unit: "binary", maxLength: 300 }),
      }),
      (any) => {
        const folder = folderOf(any);
        expect(folder.length).toBeLessThan(255);
        expect(folderIn(storedPath(folder))).toBe(folder);
      },
    ),
  );
});

test("a folder tells the issue that it belongs to", () => {
  expect(issueIdIn(folderOf(owner))).toBe("12345");
});

test("no path leads out of the root, or to anything but a spec", () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "",
    "relay_specs",
    FOLDER,
    "spec.md",
    "history",
    "\0",
    "C:",
    "\\",
    "%2e%2e",
    "~",
  );
  const path = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/")),
    fc.string(),
  );
  fc.assert(
    fc.property(path, (any) => {
      const parts = any.split("/");
      const outside =
        any.startsWith("/") || parts.includes("..") || parts.at(-2) !== FOLDER || parts.at(-1) !== "spec.md";
      expect(isTaken(any) && outside).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

function isTaken(path: string): boolean {
  try {
    return folderIn(path) === FOLDER;
  } catch (error) {
    if (error instanceof RelayError && error.code === "forbidden") return false;
    throw error;
  }
}
