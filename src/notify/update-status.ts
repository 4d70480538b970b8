import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { STATUS_KEY, marker } from "../domain/marker.ts";
import { standingOf } from "../domain/standing.ts";
import { hiddenPlaces } from "../domain/text/hidden-places.ts";
import { originsIn } from "./link-origins.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { record } from "../storage/audit.ts";
import type { Database } from "../storage/db.ts";
import { overviewsOf } from "../storage/issue-overview.ts";
import { findLimitWait } from "../storage/quotas.ts";
import { findIssueById } from "../storage/issues.ts";
import { listThread } from "../storage/messages.ts";
import { findEditedPost, markRemoved, setShown } from "../storage/posts.ts";
import { type PostDeps, postOnce } from "./post-once.ts";
import { statusComment } from "./status-comment.ts";

export interface StatusDeps extends Omit<PostDeps, "tracker"> {
  db: Database;
  log: Log;
  specStore: Pick<SpecStore, "address">;
  trackerFor: (issue: Issue) => Promise<Tracker>;
  jobs: { sendStatusAt: (issueId: string, at: Date) => Promise<void> };
}

/** Milliseconds that a job waits for another of the same issue, and after which it looks again. */
const LOCK_WAIT_MS = 5_000;
const BUSY_MS = 1_000;

/**
 * The job `status`: makes the status comment of an issue say where the issue stands (R-LIFE-9). It is posted once, when
 * Relay begins to read, and then edited in place; words that it shows already cost no request. One that somebody
 * deleted is not made again. Outages are thrown, and the job is tried again; nothing else fails because of it.
 */
export async function updateStatus(issueId: string, deps: StatusDeps): Promise<void> {
  const issue = await findIssueById(deps.db, issueId);
  if (issue === null) return;
  // Separate from the issue's own lock, so that an edit delays nobody's answer.
  const lock = `status ${issueName(issue)}`;
  const attempt = await deps.db.tryLock(lock, async () => await update(issueId, deps), LOCK_WAIT_MS);
  if (attempt.kind === "done") return;
  const why = `the status comment of ${issueName(issue)} is being edited`;
  throw new RelayError("conflict", why, { retryable: true, retryAfterMs: BUSY_MS });
}

async function update(issueId: string, deps: StatusDeps): Promise<void> {
  const { db, log } = deps;
  const issue = await findIssueById(db, issueId);
  const post = issue && (await findEditedPost(db, issueId, STATUS_KEY));
  if (issue === null || post?.removed === true) return;
  const limitedUntil = await findLimitWait(db, issueId);
  const isBegun = issue.state !== "pending_plan" && issue.state !== "closed";
  if (post === null && !isBegun && limitedUntil === null) return;
  // By then, what it says about the limit is outdated.
  if (limitedUntil !== null) await deps.jobs.sendStatusAt(issueId, limitedUntil);
  const tracker = await deps.trackerFor(issue);
  const words = await wordsFor(issue, tracker, limitedUntil, deps);
  if (post?.shown === words) return;
  const about = { ...deps, tracker };
  try {
    const begun = post?.commentId == null ? await begin(issue, words, about) : null;
    // After a try whose outcome was not known, the comment may show what was true then.
    if (post === null && begun !== null) await setShown(db, issueId, STATUS_KEY, { words, at: begun.createdAt });
    else await edit(issue, begun?.id ?? post?.commentId ?? "", words, about);
  } catch (error) {
    if (error instanceof RelayError && error.retryable) throw error;
    // A locked issue takes no comments.
    log.warn({ issue_id: issue.id, error: messageOf(error) }, "status comment not written");
  }
}

async function begin(issue: Issue, words: string, deps: PostDeps): Promise<{ id: string; createdAt: Date }> {
  return await postOnce(issue, { key: STATUS_KEY, words, why: "Relay begins to read" }, deps);
}

async function edit(
  issue: Issue,
  commentId: string,
  words: string,
  { db, clock, ids, tracker }: PostDeps,
): Promise<void> {
  const body = `${words}\n\n${marker(STATUS_KEY)}`;
  const edited = await tracker.updateComment(issue, commentId, body).catch(nullIfDeleted);
  const entry = { issueId: issue.id, actor: "relay" };
  await db.transaction(async (tx) => {
    if (edited === null) {
      await markRemoved(tx, issue.id, STATUS_KEY, clock.now());
      await record(tx, { ...entry, what: "status.removed", after: { comment_id: commentId } }, { clock, ids });
      return;
    }
    await setShown(tx, issue.id, STATUS_KEY, { words, at: edited.editedAt ?? edited.createdAt });
    const after = { comment_id: commentId, body: edited.body };
    await record(tx, { ...entry, what: "comment.edited", why: "where it stands", after }, { clock, ids });
  });
}

/** A tracker gives the same answer for what Relay may not see for now. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof RelayError && error.code === "not_found" && !error.accessLost) return null;
  throw error;
}

async function wordsFor(
  issue: Issue,
  tracker: Tracker,
  limitedUntil: Date | null,
  { db, clock, specStore }: StatusDeps,
): Promise<string> {
  const overview = (await overviewsOf(db, [issue.id]))(issue.id);
  const specUrl = overview.spec === null ? null : await specStore.address(overview.spec.ref);
  const standing = standingOf(issue, overview, tracker.bot);
  const hidden = hiddenPlaces(issue, await listThread(db, issue.id));
  const words = statusComment(issue, { ...overview, standing, specUrl, limitedUntil, hidden, now: clock.now() });
  const origins = await originsIn(words, issue, { db, tracker }, [specUrl, overview.request?.url ?? null]);
  return safeComment(words, { participants: [], bot: tracker.bot, origins }).text;
}
