import type { Issue } from "../../src/domain/issue.ts";
import type { Db } from "../../src/storage/db.ts";
import { forEachPage } from "../../src/storage/issue-lists.ts";

/** All issues, most recently changed first. */
export async function allIssues(db: Db): Promise<Issue[]> {
  const all: Issue[] = [];
  await forEachPage(db, { states: "all", repositories: null }, null, async (page) => {
    await Promise.resolve(all.push(...page));
  });
  return all;
}
