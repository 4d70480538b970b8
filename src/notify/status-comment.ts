import { commentAddress } from "../adapters/trackers/addresses.ts";
import { TRACKERS } from "../adapters/trackers/registry.ts";
import type { Gap } from "../domain/gap.ts";
import { isLong } from "../domain/outage.ts";
import type { Issue } from "../domain/issue.ts";
import { type Anyone, type Standing, standingOf } from "../domain/standing.ts";
import { code, inRow, link, prose, withoutMarkdown } from "../domain/text/comment-markdown.ts";
import type { HiddenPlace } from "../domain/text/hidden-places.ts";
import type { TaskRequest } from "../domain/work.ts";
import { anyOf, timeText } from "../i18n/dates.ts";
import { type Translate, phrases } from "../i18n/phrases.ts";
import { lacksText } from "./lacks.ts";
import type { IssueOverview } from "../storage/issue-overview.ts";

/** What a status comment tells besides where the issue stands. */
export type StatusFacts = Pick<
  IssueOverview,
  "gaps" | "spec" | "plan" | "request" | "run" | "engagedBy" | "goAheadBy" | "isMoved"
> & {
  standing: Standing;
  /** The address of the newest spec; null where it opens nowhere. */
  specUrl: string | null;
  /** Until when the tracker's limit keeps the work waiting; null if it does not. */
  limitedUntil: Date | null;
  /** What the thread hides from people, and models do not get (R-SAFE-6). */
  hidden: readonly HiddenPlace[];
  now: Date;
};

/** A debounce that ends sooner is over before anybody reads of it. */
const SHORTEST_WAIT_MS = 30_000;
const MINUTE_MS = 60_000;
const LONGEST_NAME = 100;
const LONGEST_PLACES = 300;

/**
 * The words of the status comment, in the issue's language (R-LIFE-9). It mentions nobody: the comment that asks tells
 * people that they must act.
 */
export function statusComment(issue: Issue, facts: StatusFacts): string {
  const { standing, now, engagedBy, run } = facts;
  const say = phrases("status", issue.language, TRACKERS[issue.provider].requestWord);
  const time = (at: Date) => timeText(at, issue.language);
  const { stand, until } = standing;
  const waits = stand !== "budget" && until !== null && until.getTime() - now.getTime() >= SHORTEST_WAIT_MS;
  const done = [
    questions(issue, facts.gaps, say),
    spec(facts, say, time),
    plan(issue, facts, say),
    stale(facts, say),
    request(issue, facts, say),
  ];
  const lines = done.filter((line) => line !== null).map((line) => `- ${line}`);
  return [
    `**${standingWords(issue, facts, issue.language)}**  \n${say("since", { time: time(standing.since) })}`,
    ...(run?.status === "running" && run.outage !== null && isLong(run.outage, now)
      ? [say(`outage_${run.outage.of}`, { time: time(run.outage.since) })]
      : []),
    ...limited(issue, facts, say),
    ...lacking(issue, facts.plan),
    ...(waits ? [say(stand === "quiet" ? "begins" : "unread", { until: time(until) })] : []),
    ...(lines.length > 0 ? [lines.join("\n")] : []),
    ...unseen(facts.hidden, say),
    `<sub>${[...(engagedBy === null ? [] : [say("called_by", { who: name(engagedBy) })]), say("kept")].join(" ")}</sub>`,
  ].join("\n\n");
}

/** Rounded up: at the time that it names, the wait is over. */
function limited(
  { provider, language }: Issue,
  { limitedUntil: end }: StatusFacts,
  say: Translate<"status">,
): string[] {
  if (end === null) return [];
  const until = timeText(new Date(Math.ceil(end.getTime() / MINUTE_MS) * MINUTE_MS), language);
  return [say("limited", { tracker: TRACKERS[provider].title, until })];
}

/** Hidden text is counted, not repeated: this comment is read as well. */
function unseen(hidden: StatusFacts["hidden"], say: Translate<"status">): string[] {
  if (hidden.length === 0) return [];
  const authors = [...new Set(hidden.map(({ author }) => name(author)))];
  return [`<sub>${say("hidden", { count: String(hidden.length), who: inRow(authors, LONGEST_PLACES) })}</sub>`];
}

/** What is missing for the work, while a yes to its plan is still to come, or has just been given. */
function lacking({ state, language }: Issue, posted: StatusFacts["plan"]): string[] {
  if (state !== "waiting_confirmation" && state !== "queued") return [];
  const text = lacksText(posted?.lacks ?? [], language);
  return text === "" ? [] : [text];
}

/** Where the issue stands in one sentence of Markdown. */
export function standingWords(
  issue: Issue,
  { standing, plan: posted, request: opened, isMoved }: Pick<StatusFacts, "standing" | "plan" | "request" | "isMoved">,
  language: string,
): string {
  const say = phrases("status", language);
  const anyone: Record<Anyone, string> = {
    write: say("anyone_write"),
    maintain: say("anyone_maintain"),
    operator: say("anyone_operator"),
  };
  const { stand, people, until } = standing;
  const others = standing.anyone === null ? [] : [anyone[standing.anyone]];
  const version = String(posted?.version ?? "");
  const isBranchGone = stand === "request_closed" && opened?.branchGone === true;
  const key = isBranchGone ? "request_branch_gone" : stand === "closed" && isMoved ? "moved" : stand;
  return say(key, {
    who: anyOf([...people.map(name), ...others], language),
    by: people.map(name).join(", "),
    plan: link(version, posted && commentAddress(issue, posted.commentId)),
    request: opened === null ? "" : requestLink(issue, opened),
    until: until === null ? "" : timeText(until, language),
  });
}

/** The same as plain text in English, as commands show it; `bot` is Relay's own login. */
export function standingText(issue: Issue, overview: IssueOverview, bot: string): string {
  return withoutMarkdown(standingWords(issue, { ...overview, standing: standingOf(issue, overview, bot) }, "en"));
}

function questions(issue: Issue, gaps: readonly Gap[], say: Translate<"status">): string | null {
  const asked = gaps.filter(({ status, askedAt }) => status !== "pending" && askedAt !== null);
  if (asked.length === 0) return null;
  const comments = [...new Set(asked.map(({ askedIn }) => askedIn))];
  const numbers = comments.map((comment) => {
    const together = asked.filter(({ askedIn }) => askedIn === comment).map(({ number }) => number);
    return link(together.join(", "), commentAddress(issue, comment));
  });
  const open = asked.filter(({ status }) => status === "open").map(({ number }) => number);
  return joined([
    say("questions", { numbers: numbers.join(", ") }),
    open.length > 0 && open.length < asked.length && say("open", { numbers: open.join(", ") }),
  ]);
}

function spec(
  { spec: written, specUrl, goAheadBy }: Pick<StatusFacts, "spec" | "specUrl" | "goAheadBy">,
  say: Translate<"status">,
  time: (at: Date) => string,
): string | null {
  if (written === null) return null;
  const version = say("version", { number: written.version });
  const { status, decidedBy, decidedAt } = written;
  const isDecided = (status === "approved" || status === "rejected") && decidedBy !== null && decidedAt !== null;
  return joined([
    say("spec", { spec: link(version, specUrl) }),
    goAheadBy !== null && say("go_ahead_by", { who: name(goAheadBy) }),
    isDecided && say(`spec_${status}`, { who: name(decidedBy), time: time(decidedAt) }),
  ]);
}

function plan(issue: Issue, { plan: made }: Pick<StatusFacts, "plan">, say: Translate<"status">): string | null {
  if (made === null || made.commentId === null) return null;
  const version = link(say("version", { number: made.version }), commentAddress(issue, made.commentId));
  const by = made.status === "confirmed" && made.approval !== null && made.approval.by;
  return joined([say("plan", { plan: version }), by !== false && say("approved_by", { who: name(by) })]);
}

/** Citations of the spec, and of a plan made from it, that are no longer true (R-SPEC-15). */
function stale({ spec: written }: Pick<StatusFacts, "spec">, say: Translate<"status">): string | null {
  const places = (written?.staleCitations ?? []).map(({ location }) => code(location, 200));
  return places.length === 0 ? null : say("stale", { places: inRow(places, LONGEST_PLACES) });
}

function request(
  issue: Issue,
  { request: opened, run }: Pick<StatusFacts, "request" | "run">,
  say: Translate<"status">,
): string | null {
  if (opened === null) return run === null ? null : say("started", { branch: code(run.branch, 200) });
  return say("request", { request: requestLink(issue, opened) });
}

function requestLink({ provider }: Issue, { number, url }: TaskRequest): string {
  return link(`${TRACKERS[provider].requestSign}${number}`, url);
}

function name(login: string): string {
  return prose(login, LONGEST_NAME);
}

function joined(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(" · ");
}
