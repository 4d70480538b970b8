import { expect, test } from "vitest";
import type { ChangedTogether } from "../git/history.ts";
import { authorsOf, neighboursOf } from "./history.ts";

function change(author: string, at: string, paths: string[], changed = paths.length): ChangedTogether {
  return { commit: "c", author, at, subject: "s", paths, changed };
}

test("who worked on it lately knows it better than who did more of it long ago", () => {
  const changes = [
    change("Bob", "2026-01-01T00:00:00Z", []),
    ...Array.from({ length: 3 }, () => change("Ann", "2021-01-01T00:00:00Z", [])),
  ];
  expect(authorsOf(changes)).toEqual([
    { name: "Bob", commits: 1, share: 25, last: "2026-01-01T00:00:00Z" },
    { name: "Ann", commits: 3, share: 75, last: "2021-01-01T00:00:00Z" },
  ]);
  expect(authorsOf([])).toEqual([]);
});

test("files of the place itself, gone ones, single coincidences and sweeping commits are no neighbours", () => {
  const at = "2026-01-01T00:00:00Z";
  const changes = [
    change("Ann", at, ["src/a.ts", "test/a.ts", "gone.ts", "once.ts"]),
    change("Ann", at, ["src/b.ts", "test/a.ts", "gone.ts"]),
    change("Ann", at, ["src/a.ts", "swept.ts"], 500),
    change("Ann", at, ["src/a.ts", "swept.ts"]),
  ];
  expect(neighboursOf(changes, "src", (path) => path !== "gone.ts")).toEqual([
    { path: "test/a.ts", commits: 2, share: 67 },
  ]);
  expect(neighboursOf(changes, "", () => true)).toEqual([]);
});
