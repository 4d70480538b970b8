import type { Cycle } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import type { CycleContext } from "../planner/planner.ts";
import { textPlannedFrom } from "../storage/audit.ts";
import { listCycles } from "../storage/cycles.ts";
import type { Db } from "../storage/db.ts";
import { listUnreadByPeople, listUnreadSeqs } from "../storage/messages.ts";
import { sha256Of } from "../lib/sha256.ts";

/**
 * Whether the issue waits for people, and nobody has written or edited anything since its last cycle: another would
 * only cost.
 */
export async function isUpToDate(db: Db, issue: Issue): Promise<boolean> {
  if (issue.state !== "clarifying" && issue.state !== "awaiting_proceed") return false;
  const last = (await listCycles(db, issue.id)).at(-1);
  if (last?.status !== "done" || (await listUnreadSeqs(db, issue.id)).length > 0) return false;
  return (await textPlannedFrom(db, last)) === textOf(issue);
}

/** Whether people said or changed something since the cycle was planned. */
export async function hasNews(db: Db, { issue }: Pick<CycleContext, "issue">, cycle: Cycle): Promise<boolean> {
  if ((await listUnreadByPeople(db, issue.id)).length > 0) return true;
  const text = await textPlannedFrom(db, cycle);
  return text !== null && text !== textOf(issue);
}

/** A fingerprint of the title and body, for the record. */
export function textOf({ title, body }: Pick<Issue, "title" | "body">): string {
  return sha256Of(JSON.stringify([title, body])).slice(0, 16);
}
