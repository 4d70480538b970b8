import type { IssueState } from "../domain/lifecycle.ts";
import { isStuck, standingOf } from "../domain/standing.ts";
import { overviewsOf } from "../storage/issue-overview.ts";
import { type StateLabels, labelsFor } from "../domain/state-labels.ts";
import type { Issue } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { record } from "../storage/audit.ts";
import type { Db } from "../storage/db.ts";
import { findSyncedLabels, markSynced, markUnsynced } from "../storage/issue-labels.ts";
import { getIssue } from "../storage/issues.ts";
import { type StoredRepository, findRepository } from "../storage/repositories.ts";
import { stateFilesIn } from "../storage/state-files.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

export interface LabelSyncDeps {
  db: Db;
  clock: Clock;
  ids: Ids;
  log: Log;
  home: string;
  labels: StateLabels;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  jobs: { sendStatusAt: (issueId: string, at: Date) => Promise<void> };
}

/** Milliseconds after which labels are tried again, where the tracker does not say when. */
const AGAIN_MS = 60_000;

/**
 * Publishes an issue's state: labels in the tracker (R-LIFE-5) and its state file (R-LIFE-6). A failure is only logged,
 * since the work itself is done and must not be repeated: the job of the status comment tries again what was refused
 * for a while, as do the next change and maintenance.
 */
export function createLabelSync({
  db,
  clock,
  ids,
  log,
  home,
  labels,
  trackerFor,
  jobs,
}: LabelSyncDeps): (issueId: string) => Promise<void> {
  const files = stateFilesIn(home, db);
  return async (issueId) => {
    const issue = await getIssue(db, issueId);
    try {
      const repository = await findRepository(db, issue.provider, issue.externalProjectId);
      const tracker = repository && (await trackerFor(repository));
      const before = await findSyncedLabels(db, issueId);
      const change = labelsFor(await shownState(issue, tracker?.bot ?? "", db), labels, before);
      if (!isShown(issue, before, change)) await tracker?.changeLabels(issue, change);
      const isNew =
        change.add.some((name) => !before.includes(name)) || before.some((name) => change.remove.includes(name));
      await db.transaction(async (tx) => {
        await markSynced(tx, issueId, issue.state, change.add);
        const entry = { what: "labels.changed", before, after: change.add };
        if (isNew && tracker !== null) await record(tx, { issueId, actor: "relay", ...entry }, { clock, ids });
      });
    } catch (error) {
      // The tracker would refuse again.
      if (error instanceof RelayError && !error.retryable) {
        await markSynced(db, issueId, issue.state, labelsFor(issue.state, labels).add);
      } else {
        await markUnsynced(db, issueId);
        const waitMs = (error instanceof RelayError ? error.retryAfterMs : undefined) ?? AGAIN_MS;
        await jobs.sendStatusAt(issueId, new Date(clock.now().getTime() + waitMs));
      }
      log.warn({ issue_id: issueId, error: messageOf(error) }, "labels not changed");
    }
    try {
      await files.update(issue);
    } catch (error) {
      log.warn({ issue_id: issueId, error: messageOf(error) }, "state file not written");
    }
  };
}

/**
 * The state that labels show: if a follow-up got stuck at the request, the issue is stuck, as its status comment says.
 */
async function shownState(issue: Issue, bot: string, db: Db): Promise<IssueState> {
  if (issue.state !== "in_review") return issue.state;
  const { stand } = standingOf(issue, (await overviewsOf(db, [issue.id]))(issue.id), bot);
  return isStuck(stand) ? "stuck" : issue.state;
}

/** Whether the state has no label, and none of Relay's is left from before: asking the tracker would change nothing. */
function isShown({ labels: present }: Issue, before: string[], { add, remove }: ReturnType<typeof labelsFor>): boolean {
  return add.length === 0 && before.length === 0 && !present.some((name) => remove.includes(name));
}
