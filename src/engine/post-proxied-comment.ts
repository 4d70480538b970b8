import { type Permission, type Tracker, type TrackerIssue, atLeast } from "../adapters/trackers/tracker.ts";
import { permissionNow } from "../adapters/trackers/permission-now.ts";
import { buildEvent } from "../domain/event.ts";
import { type Issue, addressOf, issueName } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import { proxiedKey } from "../domain/marker.ts";
import { answeredGap } from "../domain/given-answer.ts";
import { originsIn } from "../notify/link-origins.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Receive } from "../intake/receive.ts";
import { Postponed, nullIfNotFound } from "../lib/errors.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Context } from "../storage/context.ts";
import { findIssueById } from "../storage/issues.ts";
import { getRepository } from "../storage/repositories.ts";
import {
  type ProxiedComment,
  findProxiedComment,
  refuseProxiedComment,
  markProxiedCommentPosted,
} from "../storage/proxied-comments.ts";

type PostDeps = Pick<Context, "db" | "clock" | "ids" | "log"> & {
  receive: Receive;
  trackerFor: (issue: Issue) => Promise<Tracker>;
};

/** The comment that Relay posts for a person: who wrote it where, and the words as a quote. */
export function commentOf({ login, words }: Pick<ProxiedComment, "login" | "words">, language: string): string {
  const quote = words
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
  return `${phrases("thread", language)("said_here", { login })}\n\n${quote}`;
}

/**
 * The job `say`: posts a person's comment in the thread of a hosted issue, once, and receives it like the webhook of a
 * comment of their own. Whether they may comment there is asked again, since the job may have waited.
 */
export async function postProxiedComment(id: string, deps: PostDeps): Promise<void> {
  // A comment that is sent twice before it is posted has two jobs, which two processes may run at once.
  const attempt = await deps.db.tryLock(`words ${id}`, async () => await postAlone(id, deps), WAIT_MS);
  if (attempt.kind === "done") return;
  throw new Postponed("another process is posting this comment", { retryAfterMs: RETRY_AFTER_MS });
}

/** Milliseconds that a job waits for the running one, and until it tries again after that. */
const WAIT_MS = 2_000;
const RETRY_AFTER_MS = 1_000;

async function postAlone(id: string, deps: PostDeps): Promise<void> {
  const { db } = deps;
  const proxied = await findProxiedComment(db, id);
  const issue = proxied && (await findIssueById(db, proxied.issueId));
  if (issue === null || proxied === null || proxied.refused !== null) return;
  const tracker = await deps.trackerFor(issue);
  const posted = proxied.commentId === null ? await post(proxied, issue, tracker, deps) : proxied;
  if (posted === null) return;
  const { login, words, commentId, commentedAt, saidAt } = posted;
  const { stableId } = await getRepository(db, issue.repositoryId);
  const named = stableId === null ? {} : { stableProjectId: stableId };
  const about = { ...named, actor: login, at: commentedAt ?? saidAt, commentId, text: words };
  await deps.receive({
    provider: issue.provider,
    deliveryId: proxiedKey(id),
    contentKey: null,
    events: [buildEvent({ ...addressOf(issue), kind: "commented", ...about })],
  });
}

/** Null if its author may not comment there; their page shows why. */
async function post(
  proxied: ProxiedComment,
  issue: Issue,
  tracker: Tracker,
  deps: PostDeps,
): Promise<ProxiedComment | null> {
  const { db, log } = deps;
  const refused = await refusalToSpeak(proxied, issue, tracker);
  if (refused !== null) {
    log.info({ issue_id: issue.id, login: proxied.login, refused }, "comment not posted");
    await refuseProxiedComment(db, proxied.id, refused);
    return null;
  }
  const words = commentOf(proxied, issue.language);
  // A person's own words name hosts, a program's do not.
  const isProgram = answeredGap(proxied.words) !== null;
  const now = { author: proxied.login, role: "other" as const, isBot: isProgram, content: proxied.words };
  const origins = await originsIn(words, issue, { db, tracker, said: [now] });
  const once = {
    key: proxiedKey(proxied.id),
    words,
    why: `said by ${proxied.login}`,
    people: [proxied.login],
    origins,
    atEnd: true,
  };
  const { id, createdAt } = await postOnce(issue, once, { ...deps, tracker });
  return await markProxiedCommentPosted(db, proxied.id, { id, at: createdAt });
}

/**
 * Why the tracker would not let this account comment on the issue now; null if it would. Throws the tracker's errors.
 */
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
