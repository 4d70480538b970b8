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
  "pull_request_reopened",
  "review_submitted",
  "review_commented",
  "checks_completed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface TrackerEvent extends IssueAddress {
  kind: EventKind;
  /**
   * The tracker's own id of the project, unchanged when people rename or move it; absent if the tracker does not send
   * it.
   */
  stableProjectId?: string;
  /**
   * Login of the person who acted; empty if Relay found the change by comparing, which does not show whose it is
   * (R-IN-8).
   */
  actor: string;
  actorIsBot: boolean;
  at: Date;
  /** The login that was (un)assigned. */
  assignee: string | null;
  /** The comment in question, for the comment kinds. */
  commentId: string | null;
  /** The comment's thread, if the tracker has threads and sends it. */
  threadId: string | null;
  /** The comment's text, if any: it may contain a mention. */
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

/** An event whose payload may lack its time. */
export type UndatedEvent = EventAt<Date | null>;

/**
 * The only constructor of events: omitted fields are empty. Keep the order of the fields, since webhook readers hash
 * the text of an event to recognize it under another delivery id.
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

/** The `externalIssueId` of checks that a tracker reports with their `branch`, but without the pull request. */
export const OF_A_BRANCH = "!";

/** Whether Relay found the change by comparing: only the tracker knows its content (R-IN-8). */
export function isFound({ actor }: Pick<TrackerEvent, "actor">): boolean {
  return actor === "";
}

/** Whether the event is a message, written or deleted. */
export function isSpeech({ kind }: Pick<TrackerEvent, "kind">): boolean {
  return kind === "commented" || kind === "comment_edited" || kind === "comment_deleted";
}

/** Whether it happened to a pull request; comments there have the same kinds as comments on issues. */
export function isOfPullRequest(event: Pick<TrackerEvent, "externalIssueId">): boolean {
  return event.externalIssueId.startsWith("!");
}

/** True when the text addresses `@bot` outside of code and quotes. */
export function mentions(text: string, bot: string): boolean {
  const mention = new RegExp(String.raw`(?<![\w@/.-])@${escapeRegExp(bot)}(?![\w-])`, "iu");
  // Most texts mention no one, and need no parsing.
  if (!mention.test(text)) return false;
  // Markdown adds a line right below a quote to the quote; people who answer by e-mail mean it as their own.
  const answered = text.replaceAll(/^( {0,3}>.*\n)(?! {0,3}>)/gm, "$1\n");
  return mention.test(textOf(answered, ["text", "folded"]));
}
