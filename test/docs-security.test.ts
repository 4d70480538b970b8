import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("what docs/security.md names as holding a claim exists", () => {
  const text = readFileSync(join(root, "docs/security.md"), "utf8");
  const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, path = ""]) => path);
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((path) => !existsSync(join(root, "docs", path)))).toEqual([]);
});
