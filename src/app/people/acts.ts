import { permissionNow } from "../../adapters/trackers/permission-now.ts";
import { HOSTED } from "../../adapters/trackers/registry.ts";
import { type Tracker, atLeast } from "../../adapters/trackers/tracker.ts";
import { localPeople } from "../../adapters/trackers/local/people.ts";
import { type HostedName, type Issue, type IssueAddress, issueName } from "../../domain/issue.ts";
import { requireName } from "../../domain/person-name.ts";
import { proxiedKey } from "../../domain/marker.ts";
import { isBlank } from "../../domain/text/hidden-characters.ts";
import { commentOf, refusalToSpeak } from "../../engine/post-proxied-comment.ts";
import type { ReceiveWithin } from "../../intake/receive.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import { record } from "../../storage/audit.ts";
import type { Db } from "../../storage/db.ts";
import { findIssue } from "../../storage/issues.ts";
import type { SqlExecutor } from "../../storage/queue/queue.ts";
import { type ProxiedComment, saveProxiedComment, markProxiedCommentPosted } from "../../storage/proxied-comments.ts";
import { type Control, type ControlDeps, control, retryUnknown } from "./control.ts";
import { type Decision, decisionKey, wordsOf } from "./decisions.ts";
import { type Viewer, isOperator, maySee } from "./viewer.ts";

/**
 * What people do to an issue from pages, the API and MCP. They need the permissions that they have in its tracker, and
 * the audit log records it (R-SAFE-4). Throws `not_found` for an issue that they may not see, `forbidden` and
 * `invalid`.
 */
export interface Acts {
  /**
   * Comments on the issue as this person. The same `key` again does nothing, or throws `conflict` with other words.
   * `planShown`: the id of the plan that the person saw, the only one that the comment can approve; "0" for none, and
   * null for the one in the thread now.
   */
  say(issue: IssueAddress, words: string, by: Viewer, key: string, planShown?: string | null): Promise<void>;
  /** Posts this person's decision, unless it is posted and still holds. Throws `conflict` if it no longer fits. */
  decide(issue: IssueAddress, decision: Decision, by: Viewer): Promise<void>;
  /** Needs write permission in the tracker, or the operator. */
  control(issue: IssueAddress, verb: Control, by: Viewer): Promise<void>;
  /** Retries dead letters, also of an issue that Relay does not work on. Only for the operator. */
  retryLetters(issue: IssueAddress, by: Viewer): Promise<void>;
}

export interface ActsDeps {
  db: () => Db;
  /** Relay's login in the local tracker. */
  bot: string;
  clock: Clock;
  ids: Ids;
  /** Receives an event of the local tracker, in the transaction that caused it. */
  receiveWithin: ReceiveWithin;
  /** What the controls need. */
  controls: () => Promise<ControlDeps>;
  /** Present if people log in with accounts of a tracker; otherwise only the operator acts. */
  hosted?: {
    trackerOf: (provider: HostedName) => Promise<Pick<Tracker, "getIssue" | "permissionOf" | "accountIdOf">>;
    /** Sends the job that posts a proxied comment, when the transaction commits. */
    sendProxiedComment: (id: string, within: SqlExecutor) => Promise<void>;
  };
}

/** Characters of a comment, and of its key, at most. */
export const LONGEST_WORDS = 60_000;
const LONGEST_KEY = 200;

export function openActs(deps: ActsDeps): Acts {
  const put = async (issue: Issue, given: Given, { login, accountId, token }: Viewer, keyIn: KeyIn) => {
    const said = { issueId: issue.id, login, accountId, ...given, token: token?.name ?? null };
    if (issue.provider === "local") await sayLocally(issue, said, keyIn, deps);
    else await sayHosted(issue, said, issue.provider, keyIn, deps);
  };
  return {
    say: async (address, words, by, key, planShown = null) => {
      const issue = await seenIssue(address, by, deps);
      const text = wordsIn(words);
      if (key === "" || key.length > LONGEST_KEY) {
        throw new RelayError("invalid", `the key of what is said has 1 to ${LONGEST_KEY} characters`);
      }
      await put(issue, { words: text, planShown }, by, async () => await Promise.resolve(key));
    },
    decide: async (address, decision, by) => {
      const issue = await seenIssue(address, by, deps);
      const { login } = by;
      const keyIn: KeyIn = async (tx) => await decisionKey(tx, issue.id, decision, { login, ids: deps.ids });
      await put(issue, { words: wordsOf(decision), planShown: null }, by, keyIn);
    },
    control: async (address, verb, by) => {
      const issue = await seenIssue(address, by, deps);
      if (!isOperator(by) && !(await mayWrite(issue, by, deps))) {
        throw new RelayError("forbidden", `${verb} ${issueName(issue)} needs write access there, or who runs Relay`);
      }
      if (by.token !== undefined) {
        const entry = { issueId: issue.id, actor: by.login, what: "token.used", after: { token: by.token.name, verb } };
        await record(deps.db(), entry, deps);
      }
      await control(issue, verb, by.login, await deps.controls());
    },
    retryLetters: async (address, by) => {
      if (!isOperator(by)) throw new RelayError("forbidden", `only who runs Relay may retry ${issueName(address)}`);
      const issue = await findIssue(deps.db(), address);
      if (issue === null) await retryUnknown(address, by.login, await deps.controls());
      else await control(issue, "retry", by.login, await deps.controls());
    },
  };
}

type Words = Omit<Parameters<typeof saveProxiedComment>[1], "key">;
type Given = Pick<Words, "words" | "planShown">;

/** Finds the key of a comment in the transaction that stores it. */
type KeyIn = (tx: Db) => Promise<string>;

async function mayWrite(issue: Issue, { login, accountId }: Viewer, { hosted }: ActsDeps): Promise<boolean> {
  if (issue.provider === "local" || hosted === undefined || accountId === null) return false;
  const tracker = await hosted.trackerOf(issue.provider);
  return atLeast(await permissionNow({ login, accountId }, issue.externalProjectId, tracker), "write");
}

async function seenIssue(address: IssueAddress, by: Viewer, { db }: ActsDeps): Promise<Issue> {
  const issue = await findIssue(db(), address);
  if (issue !== null && maySee(by, issue)) return issue;
  throw new RelayError("not_found", `Relay has not taken up ${issueName(address)}, or not yet`);
}

function wordsIn(words: string): string {
  const text = words.replaceAll("\r\n", "\n");
  if (isBlank(text)) throw new RelayError("invalid", "there is nothing to say: write a comment first");
  // The database would store another text.
  if (!text.isWellFormed()) throw new RelayError("invalid", "the words hold half of a character; send valid Unicode");
  if (text.length <= LONGEST_WORDS) return text;
  throw new RelayError("invalid", `a comment has at most ${LONGEST_WORDS} characters, not ${text.length}`);
}

async function keep(
  tx: Db,
  words: Words,
  keyIn: KeyIn,
  deps: Pick<ActsDeps, "clock" | "ids">,
): Promise<ProxiedComment> {
  const kept = await saveProxiedComment(tx, { ...words, key: await keyIn(tx) }, deps);
  if (kept.words === words.words) return kept;
  throw new RelayError("conflict", "other words were sent from this form before; open the page again to say these too");
}

/** In the local tracker the person comments directly: row, comment and event are stored in one transaction. */
async function sayLocally(
  issue: Issue,
  words: Words,
  keyIn: KeyIn,
  { db, bot, receiveWithin, ...now }: ActsDeps,
): Promise<void> {
  requireName(words.login, bot);
  await db().transaction(async (tx) => {
    const kept = await keep(tx, words, keyIn, now);
    if (kept.commentId !== null) return;
    const people = localPeople(tx, now);
    await people.invite(issue.externalProjectId, words.login, "read");
    const event = await people.comment(issue, words.login, words.words);
    if (event.commentId === null) throw new RelayError("internal", `a comment at ${issueName(issue)} has no id`);
    await markProxiedCommentPosted(tx, kept.id, { id: event.commentId, at: event.at });
    await receiveWithin(tx, { provider: "local", deliveryId: proxiedKey(kept.id), contentKey: null, events: [event] });
  });
}

/**
 * In a hosted tracker Relay posts the comment for the person, by a job that is stored with it. If the tracker does not
 * answer, the job retries later, and then checks whether the person may comment.
 */
async function sayHosted(
  issue: Issue,
  words: Words,
  provider: HostedName,
  keyIn: KeyIn,
  deps: ActsDeps,
): Promise<void> {
  const name = issueName(issue);
  const { title } = HOSTED[provider];
  if (deps.hosted === undefined || words.accountId === null) {
    throw new RelayError("forbidden", `log in with ${title} to speak at ${name}: it shows who said what`);
  }
  if (commentOf(words, issue.language).length > LONGEST_COMMENT) {
    throw new RelayError("invalid", `a comment of so many lines does not fit into ${name}; say it in two`);
  }
  const refused = await refusalNow(issue, words, provider, deps.hosted);
  if (refused !== null) throw new RelayError("forbidden", refused);
  const { sendProxiedComment } = deps.hosted;
  await deps.db().transaction(async (tx) => {
    const kept = await keep(tx, words, keyIn, deps);
    if (kept.commentId === null && kept.refused === null) await sendProxiedComment(kept.id, tx);
  });
}

/** Trackers take 65,536 characters; the difference is for the marker. */
const LONGEST_COMMENT = 65_000;

async function refusalNow(
  issue: Issue,
  words: Words,
  provider: HostedName,
  { trackerOf }: NonNullable<ActsDeps["hosted"]>,
): Promise<string | null> {
  try {
    return await refusalToSpeak(words, issue, await trackerOf(provider));
  } catch (error) {
    if (error instanceof RelayError && error.retryable) return null;
    throw error;
  }
}
