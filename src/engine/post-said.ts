import { type Permission, type Tracker, type TrackerIssue, atLeast } from "../adapters/trackers/tracker.ts";
import { permissionNow } from "../adapters/trackers/permission-now.ts";
import { buildEvent } from "../domain/event.ts";
import { type Issue, addressOf, issueName } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import { saidKey } from "../domain/marker.ts";
import { answeredGap } from "../domain/given-answer.ts";
import { originsIn } from "../notify/link-origins.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Receive } from "../intake/receive.ts";
import { Postponed, nullIfNotFound } from "../lib/errors.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Context } from "../storage/context.ts";
import { findIssueById } from "../storage/issues.ts";
import { type Said, findSaid, refuseSaid, setComment } from "../storage/said.ts";

type PostSaidDeps = Pick<Context, "db" | "clock" | "ids" | "log"> & {
  receive: Receive;
  trackerFor: (issue: Issue) => Promise<Tracker>;
};

/** The comment of Relay's in which somebody's words stand: who said them where, and the words as a quote. */
export function commentOf({ login, words }: Pick<Said, "login" | "words">, language: string): string {
  const quote = words
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
  return `${phrases("thread", language)("said_here", { login })}\n\n${quote}`;
}

/**
 * The job `say`: puts somebody's words into the thread of a hosted issue, once, and tells of them as a webhook would tell
 * of a person's own comment. Whether they may speak there is asked again, since the job may have waited.
 */
export async function postSaid(id: string, deps: PostSaidDeps): Promise<void> {
  // Words that are sent twice before they stand there have two jobs, which two processes may run at once.
  const attempt = await deps.db.tryLock(`words ${id}`, async () => await postAlone(id, deps), WAIT_MS);
  if (attempt.kind === "done") return;
  throw new Postponed("another process puts these words into the thread", { retryAfterMs: RETRY_AFTER_MS });
}

/** How long a job waits for the one that is under way, and when it tries again after that, in milliseconds. */
const WAIT_MS = 2_000;
const RETRY_AFTER_MS = 1_000;

async function postAlone(id: string, deps: PostSaidDeps): Promise<void> {
  const { db } = deps;
  const said = await findSaid(db, id);
  const issue = said && (await findIssueById(db, said.issueId));
  if (issue === null || said === null || said.refused !== null) return;
  const tracker = await deps.trackerFor(issue);
  const posted = said.commentId === null ? await post(said, issue, tracker, deps) : said;
  if (posted === null) return;
  const { login, words, commentId, commentedAt, saidAt } = posted;
  const about = { actor: login, at: commentedAt ?? saidAt, commentId, text: words };
  await deps.receive({
    provider: issue.provider,
    deliveryId: saidKey(id),
    contentKey: null,
    events: [buildEvent({ ...addressOf(issue), kind: "commented", ...about })],
  });
}

/** Null if they may not speak there; that is kept for their page. */
async function post(said: Said, issue: Issue, tracker: Tracker, deps: PostSaidDeps): Promise<Said | null> {
  const { db, log } = deps;
  const refused = await refusalToSpeak(said, issue, tracker);
  if (refused !== null) {
    log.info({ issue_id: issue.id, login: said.login, refused }, "words not said");
    await refuseSaid(db, said.id, refused);
    return null;
  }
  const words = commentOf(said, issue.language);
  // A person's own words name hosts, a program's do not.
  const isProgram = answeredGap(said.words) !== null;
  const now = { author: said.login, role: "other" as const, isBot: isProgram, content: said.words };
  const origins = await originsIn(words, issue, { db, tracker, said: [now] });
  const once = {
    key: saidKey(said.id),
    words,
    why: `said by ${said.login}`,
    people: [said.login],
    origins,
    atEnd: true,
  };
  const { id, createdAt } = await postOnce(issue, once, { ...deps, tracker });
  return await setComment(db, said.id, { id, at: createdAt });
}

/** Why the tracker would not let this account comment on the issue now; null if it would. Throws the tracker's errors. */
export async function refusalToSpeak(
  { login, accountId }: { login: string; accountId: string | null },
  issue: Issue,
  tracker: Pick<Tracker, "getIssue" | "permissionOf" | "accountIdOf">,
): Promise<string | null> {
  if (accountId === null) return "an account of the tracker is needed";
  const permission = await permissionNow({ login, accountId }, issue.externalProjectId, tracker);
  const shown = await tracker.getIssue(issue).catch(nullIfNotFound);
  if (shown === null) return `${issueName(issue)} is not there any more`;
  if (!seesNow(login, permission, shown)) return `${login} may not read ${issueName(issue)} any more`;
  if (shown.isLocked === true && !atLeast(permission, "write")) {
    return `${issueName(issue)} is locked: only people who may write there can comment`;
  }
  return null;
}

function seesNow(login: string, permission: Permission, { confidential, author, assignees }: TrackerIssue): boolean {
  if (!atLeast(permission, "read")) return false;
  return !confidential || atLeast(permission, "triage") || isAmong(login, [author, ...assignees]);
}
