import { localPeople } from "../adapters/trackers/local/people.ts";
import { type TrackerEvent, buildEvent } from "../domain/event.ts";
import { type Issue, type IssueAddress, addressOf, issueName } from "../domain/issue.ts";
import type { Receive } from "../intake/receive.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "../storage/db.ts";
import { findIssue } from "../storage/issues.ts";
import { type Said, keepSaid, setComment } from "../storage/said.ts";
import { type Control, type ControlDeps, control, retryStranger } from "./control.ts";
import { type Viewer, isOperator, maySee } from "./viewer.ts";

/**
 * What people do at an issue from pages, the API and MCP, with the permissions and the audit of its tracker (R-SAFE-4).
 * Throws `not_found` for an issue that they may not see, `forbidden` for what they may not do, and `invalid`.
 */
export interface Acts {
  /** Says words at the issue as this person. The same `key` again does nothing. */
  say(issue: IssueAddress, words: string, by: Viewer, key: string): Promise<void>;
  /** Needs write permission in the tracker, or the operator. */
  control(issue: IssueAddress, verb: Control, by: Viewer): Promise<void>;
  /** Tries dead letters again, also of an issue that Relay is not engaged in; for the operator. */
  retryLetters(issue: IssueAddress, by: Viewer): Promise<void>;
}

export interface ActsDeps {
  db: () => Db;
  clock: Clock;
  ids: Ids;
  receive: Receive;
  /** What carries a verb out. */
  controls: () => Promise<ControlDeps>;
}

/** The longest words, and the longest key, in characters. */
export const LONGEST_WORDS = 60_000;
const LONGEST_KEY = 200;

export function openActs(deps: ActsDeps): Acts {
  return {
    say: async (address, words, by, key) => {
      const issue = await seenIssue(address, by, deps);
      const text = wordsIn(words);
      if (key === "" || key.length > LONGEST_KEY) {
        throw new RelayError("invalid", `the key of what is said has 1 to ${LONGEST_KEY} characters`);
      }
      if (issue.provider !== "local") throw new RelayError("forbidden", `speak at ${issueName(issue)} in its tracker`);
      const said = await sayLocally(issue, { login: by.login, words: text, key }, deps);
      await deps.receive({
        provider: issue.provider,
        deliveryId: `said:${said.id}`,
        contentKey: null,
        events: [eventOf(issue, said)],
      });
    },
    control: async (address, verb, by) => {
      const issue = await seenIssue(address, by, deps);
      if (!isOperator(by)) throw new RelayError("forbidden", `only who runs Relay may ${verb} ${issueName(issue)}`);
      await control(issue, verb, by.login, await deps.controls());
    },
    retryLetters: async (address, by) => {
      if (!isOperator(by)) throw new RelayError("forbidden", `only who runs Relay may retry ${issueName(address)}`);
      const issue = await findIssue(deps.db(), address);
      if (issue === null) await retryStranger(address, by.login, await deps.controls());
      else await control(issue, "retry", by.login, await deps.controls());
    },
  };
}

async function seenIssue(address: IssueAddress, by: Viewer, { db }: ActsDeps): Promise<Issue> {
  const issue = await findIssue(db(), address);
  if (issue !== null && maySee(by, issue)) return issue;
  throw new RelayError("not_found", `Relay has not taken up ${issueName(address)}, or not yet`);
}

function wordsIn(words: string): string {
  const text = words.replaceAll("\r\n", "\n");
  if (text.trim() === "") throw new RelayError("invalid", "there is nothing to say: write a comment first");
  if (text.length <= LONGEST_WORDS) return text;
  throw new RelayError("invalid", `a comment has at most ${LONGEST_WORDS} characters, not ${text.length}`);
}

/** In the local tracker a person's words are their own comment, made with the row in one transaction. */
async function sayLocally(
  issue: Issue,
  said: { login: string; words: string; key: string },
  { db, ...now }: ActsDeps,
): Promise<Said> {
  return await db().transaction(async (tx) => {
    const kept = await keepSaid(tx, { issueId: issue.id, ...said }, now);
    if (kept.commentId !== null) return kept;
    const people = localPeople(tx, now);
    await people.invite(issue.externalProjectId, said.login, "read");
    const { commentId, at } = await people.comment(issue, said.login, said.words);
    if (commentId === null) throw new RelayError("internal", `a comment at ${issueName(issue)} has no id`);
    return await setComment(tx, kept.id, { id: commentId, at });
  });
}

/** What a webhook would tell of the comment. */
function eventOf(issue: Issue, { login, words, commentId, commentedAt, saidAt }: Said): TrackerEvent {
  return buildEvent({
    ...addressOf(issue),
    kind: "commented",
    actor: login,
    at: commentedAt ?? saidAt,
    commentId,
    text: words,
  });
}
