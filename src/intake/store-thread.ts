import type { ThreadMessage } from "../domain/conversation.ts";
import type { TrackerEvent } from "../domain/event.ts";
import type { Issue } from "../domain/issue.ts";
import { answerStands } from "../domain/gap.ts";
import { isAmong } from "../domain/login.ts";
import { actionKey, keyOf } from "../domain/marker.ts";
import { basisOf } from "../domain/plan.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { record } from "../storage/audit.ts";
import type { Db } from "../storage/db.ts";
import { isDeletionWaiting, listToldComments } from "../storage/deliveries.ts";
import { listGaps, reopenGap } from "../storage/gaps.ts";
import { getIssue, saveIssue, startDebounce } from "../storage/issues.ts";
import { countMessages, listThread, listUnreadSeqs, saveThread } from "../storage/messages.ts";
import { isPosted, settlePost } from "../storage/posts.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { findThreadFetch, saveThreadFetch } from "../storage/threads.ts";
import { removeRepeated, repeatedPosts } from "./repeated-posts.ts";
import type { Tracker, TrackerIssue } from "../adapters/trackers/tracker.ts";
import { withProxiedAuthors, repeatedProxiedComments } from "./proxied-comments.ts";
import { refreshDiscussion } from "./refresh.ts";

export interface Renewed {
  issue: Issue;
  /** The discussion. */
  messages: ThreadMessage[];
  /** The issue as it was fetched. */
  shown: TrackerIssue;
  /** Whether people wrote unread messages, an answer is gone, or the issue's own text changed. */
  news: boolean;
}

interface RenewDeps {
  db: Db;
  tracker: Tracker;
  repository: StoredRepository;
  clock: Clock;
  ids: Ids;
  log: Log;
  detectLanguage: (text: string) => string;
  /** Whether to fetch the whole thread, regardless of what is stored. */
  whole: boolean;
  /** How often the tracker was looked at for this event before. */
  looks?: number;
  /**
   * The issue as just fetched, if the caller handles its state and assignees. Otherwise the stored ones are kept until an
   * event about them comes, as is the copy for comparisons (R-IN-8): the list may lag behind the last change.
   */
  issue?: TrackerIssue;
}

/** The tracker's lists may lack comments that were delivered up to this many milliseconds before Relay took the issue up. */
const JUST_TOLD = 2 * 60_000;

/** Makes the stored issue and its thread equal to the tracker's. If a request fails, nothing changes (R-IN-6). */
export async function renew(event: TrackerEvent, tracked: Issue | null, deps: RenewDeps): Promise<Renewed> {
  const { db, log } = deps;
  const tracker = withProxiedAuthors(deps.tracker, db);
  const stored = tracked && {
    messages: await listThread(db, tracked.id),
    fetch: await findThreadFetch(db, tracked.id),
  };
  // Where Relay was not engaged or had stopped, deliveries about the thread were dropped meanwhile.
  const since = new Date(event.at.getTime() - JUST_TOLD);
  const earlier = deps.whole ? await listToldComments(db, event, since) : [];
  const isDeleted = async (told: TrackerEvent) => await isDeletionWaiting(db, told);
  const fetched = await refreshDiscussion(event, stored, deps.whole, { ...deps, tracker, earlier, isDeleted }).catch(
    async (error: unknown) => {
      if (tracked) {
        const existing = await countMessages(db, tracked.id);
        log.warn({ issue_id: tracked.id, existing_count: existing, error: String(error) }, "stored discussion kept");
      }
      throw error;
    },
  );
  const { issue, messages } = fetched;
  const kept = deps.issue === undefined ? stored?.fetch : null;
  const assignees = kept && tracked ? keptAssignees(tracked, issue, deps.tracker) : issue.assignees;
  const fetch = kept ?? fetched.fetch;
  const repeated = [...repeatedPosts(messages), ...(await repeatedProxiedComments(messages, event, db))];
  const words = [
    issue.title,
    issue.body,
    ...messages.filter((message) => message.role === "reporter").map((m) => m.content),
  ];
  const renewed = await db.transaction(async (tx) => {
    const saved = await saveIssue(
      tx,
      deps.repository.id,
      {
        externalIssueId: issue.externalIssueId,
        title: issue.title,
        body: issue.body,
        labels: issue.labels,
        assignees,
        reporter: issue.author,
        url: issue.url,
        confidential: issue.confidential,
        openedAt: issue.createdAt,
        language: deps.detectLanguage(words.slice(0, 5).join("\n\n")),
      },
      { ...deps, engagedBy: event.actor || "relay" },
    );
    // Marks the issue as unfinished in case of a crash before the real debounce starts.
    if (tracked === null && issue.state === "open") await startDebounce(tx, saved.id, 0);
    for (const { role, content, externalId, timestamp } of await saveThread(tx, saved.id, messages)) {
      if (role === "self") await recordFound(tx, saved.id, { externalId, content, timestamp }, deps);
    }
    await saveThreadFetch(tx, saved.id, fetch);
    const reopened = await reopenAnswered(tx, saved.id, stored?.messages ?? [], messages, deps);
    const unread = new Set(await listUnreadSeqs(tx, saved.id));
    const spoken = messages.some((message) => unread.has(message.seq) && !message.isBot);
    const rewritten = tracked !== null && basisOf(tracked) !== basisOf({ ...saved, spec: tracked.spec });
    const discussion = messages.filter(({ seq }) => seq > 0);
    const news = spoken || rewritten || reopened;
    return { issue: await getIssue(tx, saved.id), messages: discussion, shown: issue, news };
  });
  await removeRepeated(renewed.issue, repeated, deps);
  return renewed;
}

/** Opens the questions again whose answer was deleted or changed; whether there are any. */
async function reopenAnswered(
  tx: Db,
  issueId: string,
  before: readonly ThreadMessage[],
  now: readonly ThreadMessage[],
  deps: Pick<RenewDeps, "clock" | "ids">,
): Promise<boolean> {
  const gone = (await listGaps(tx, issueId)).filter((gap) => {
    const was = gap.status === "closed" ? textIn(before, gap.answeredIn) : null;
    return was !== null && !answerStands(gap, was, textIn(now, gap.answeredIn));
  });
  for (const { id, number, answeredIn } of gone) {
    await reopenGap(tx, id);
    const why = "its answer was deleted or changed";
    await record(
      tx,
      { issueId, actor: "relay", what: "gap.reopened", why, after: { number, answered_in: answeredIn } },
      deps,
    );
  }
  return gone.length > 0;
}

function textIn(thread: readonly ThreadMessage[], id: string | null): string | null {
  return thread.find(({ externalId }) => externalId === id)?.content ?? null;
}

/** The assignees now, with Relay among them as stored. */
function keptAssignees(stored: Issue, now: TrackerIssue, { bot, calledAs }: Tracker): string[] {
  const isRelay = (login: string) => isAmong(login, [bot, ...calledAs]);
  return [...now.assignees.filter((login) => !isRelay(login)), ...stored.assignees.filter(isRelay)];
}

/** Records a notice of Relay's that a crash kept out of its records, so that it is not posted again. */
async function recordFound(
  tx: Db,
  issueId: string,
  { externalId: id, content, timestamp }: Pick<ThreadMessage, "externalId" | "content" | "timestamp">,
  deps: Pick<RenewDeps, "clock" | "ids">,
): Promise<void> {
  const key = keyOf(content);
  // An action's comment is recorded together with the action.
  if (key === null || key.startsWith(actionKey(""))) return;
  const isKnown = await isPosted(tx, issueId, id);
  if (!(await settlePost(tx, issueId, key, { id, createdAt: timestamp })) || isKnown) return;
  const after = { comment_id: id, body: content };
  await record(tx, { issueId, actor: "relay", what: "comment.posted", why: "found in the thread", after }, deps);
}
