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
  /**
   * Before something is posted in the issue: throws `Postponed` while a delivery waits that may end or stop the work, or
   * if the tracker shows news, since they are processed first (R-LIFE-10). Absent where no events are delivered.
   */
  recheck?: (issue: Issue) => Promise<void>;
}

/**
 * Passes an event of an issue to the state machine and applies its effects in the same transaction; an issue changes
 * its state in no other way (R-LIFE-1). `moved` is false if the event has no effect in the issue's state. Throws
 * `illegal_transition` if it is not allowed there.
 */
export type Transition = (
  tx: Db,
  issueId: string,
  event: LifecycleEvent,
  record: { why: string; actor?: string },
) => Promise<{ issue: Issue; moved: boolean }>;
