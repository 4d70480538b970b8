import type { Issue } from "../domain/issue.ts";
import type { LifecycleEvent } from "../domain/lifecycle.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Database, Db } from "./db.ts";

/** What every step of an issue works with; a step names only what it needs beyond this. */
export interface Context {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  transition: Transition;
}

/**
 * Tells the state machine what happened to an issue, and has its effects carried out in the same transaction: the only
 * way in which an issue changes its state (R-LIFE-1). `moved` is false where the event means nothing in the issue's
 * state. Throws `illegal_transition` where it must not happen there.
 */
export type Transition = (
  tx: Db,
  issueId: string,
  event: LifecycleEvent,
  record: { why: string; actor?: string },
) => Promise<{ issue: Issue; moved: boolean }>;
