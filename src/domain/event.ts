import { textOf } from "../lib/markdown.ts";
import { escapeRegExp } from "../lib/text.ts";
import type { IssueAddress } from "./issue.ts";

/** The normalised meaning of a delivery. */
export const EVENT_KINDS = [
  "opened",
  "edited",
  "assigned",
  "unassigned",
  "closed",
  "reopened",
  "commented",
  "comment_edited",
  "comment_deleted",
  "labelled",
  // Of a pull request, whose `externalIssueId` is `!` and its number; see `OF_A_BRANCH`.
  "pull_request_merged",
  "pull_request_closed",
  "review_submitted",
  "review_commented",
  "checks_completed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface TrackerEvent extends IssueAddress {
  kind: EventKind;
  /** The tracker's own id of the project, which stays when people rename or move it; absent where it does not tell. */
  stableProjectId?: string;
  /** Login of who did it; empty where Relay found a change by comparing, and nobody says whose (R-IN-8). */
  actor: string;
  actorIsBot: boolean;
  at: Date;
  /** The login that was (un)assigned. */
  assignee: string | null;
  /** The comment in question, for the comment kinds. */
  commentId: string | null;
  /** The thread of that comment, where the tracker has threads and tells. */
  threadId: string | null;
  /** The comment's text, where there is one: it may hold a mention. */
  text: string | null;
  /** Of a pull request: its head branch. */
  branch: string | null;
  /**
   * How a review or the checks came out: `approved`, `changes_requested`, `success`, `failure`, …; why an issue that is
   * `closed` is not there any more: `deleted`, `transferred`.
   */
  outcome: string | null;
}

type EventAt<At> = Omit<TrackerEvent, "at"> & { at: At };

/** An event whose payload may not say when it happened. */
export type UndatedEvent = EventAt<Date | null>;

/**
 * The one place that an event is put together: what is not given is empty. The order of the fields stays as it is, since
 * webhook readers hash the text of an event to recognize it under another delivery id.
 */
export function buildEvent<At>(
  event: IssueAddress & { kind: EventKind; at: At } & Partial<Omit<TrackerEvent, "at">>,
): EventAt<At> {
  const { provider, externalProjectId, externalIssueId, kind, stableProjectId, at, ...details } = event;
  return {
    provider,
    externalProjectId,
    externalIssueId,
    kind,
    ...(stableProjectId === undefined ? {} : { stableProjectId }),
    actor: "",
    actorIsBot: false,
    at,
    assignee: null,
    commentId: null,
    threadId: null,
    text: null,
    branch: null,
    outcome: null,
    ...details,
  };
}

/** The `externalIssueId` of checks that a tracker tells of with their `branch`, but without the pull request. */
export const OF_A_BRANCH = "!";

/** Whether Relay found the change by comparing: what it is, the tracker alone knows (R-IN-8). */
export function isFound(event: TrackerEvent): boolean {
  return event.actor === "";
}

/** Whether the event is something that somebody said, or took back. */
export function isSpeech({ kind }: TrackerEvent): boolean {
  return kind === "commented" || kind === "comment_edited" || kind === "comment_deleted";
}

/** Whether it happened to a pull request, whatever it was: talk there is of the kinds of talk in issues. */
export function isOfPullRequest(event: Pick<TrackerEvent, "externalIssueId">): boolean {
  return event.externalIssueId.startsWith("!");
}

/** True when the text addresses `@bot` outside of code and quotes. */
export function mentions(text: string, bot: string): boolean {
  const mention = new RegExp(String.raw`(?<![\w@/.-])@${escapeRegExp(bot)}(?![\w-])`, "iu");
  // Most texts mention nobody, and need no parsing.
  if (!mention.test(text)) return false;
  // Markdown counts a line right below a quote to the quote; who answers by e-mail means it as their own.
  const answered = text.replaceAll(/^( {0,3}>.*\n)(?! {0,3}>)/gm, "$1\n");
  return mention.test(textOf(answered, ["text", "folded"]));
}
