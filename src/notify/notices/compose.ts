import { commentAddress } from "../../adapters/trackers/addresses.ts";
import { knownCost } from "../../domain/cost.ts";
import { type Issue, type IssueAddress, issueName, pathOf } from "../../domain/issue.ts";
import type { Notice, NoticeEvent } from "../../domain/notice.ts";
import type { Stand, Standing } from "../../domain/standing.ts";
import { keptCode } from "../../domain/text/clean-text.ts";
import { withoutMarkdown } from "../../domain/text/comment-markdown.ts";
import { addressesAsWords } from "../../domain/text/outgoing-links.ts";
import { timeText } from "../../i18n/dates.ts";
import { cut, oneLine } from "../../lib/text.ts";
import type { IssueOverview } from "../../storage/issue-overview.ts";
import type { BudgetStop } from "../../storage/spending.ts";
import { standingWords } from "../status-comment.ts";
import { newestQuestion } from "./occasion.ts";

const LONGEST_TITLE = 200;
const LONGEST_TEXT = 500;
const MOST_PEOPLE = 20;
const MOST_READ = 2_000;

type Body = Omit<Notice, "id">;

export interface Told {
  type: NoticeEvent;
  stand: Stand;
  issue: Issue;
  /** Where the issue stands, which may be elsewhere than `stand` while it is paused. */
  standing: Standing;
  overview: Pick<IssueOverview, "gaps" | "plan" | "request" | "stop" | "usage" | "isMoved">;
  at: Date;
  /** Of the dashboard; null where nobody reaches it. */
  publicUrl: string | null;
}

/** Pure. A notice about an issue. A confidential one stays without its title. */
export function noticeOf({ type, stand, issue, standing: now, overview, at, publicUrl }: Told): Body {
  const standing: Standing =
    stand === now.stand ? now : { ...now, stand, people: [], anyone: stand === "review" ? "write" : null };
  const { request } = overview;
  const stop = type === "budget" ? overview.stop : null;
  const words = stop === null ? standingWords(issue, { ...overview, standing }, "en") : budgetWords(stop, issue);
  const isAwaited = type !== "merged" && type !== "spec_ready";
  return {
    type,
    at: at.toISOString(),
    text: lineOf(withoutMarkdown(words), LONGEST_TEXT),
    waiting_for: isAwaited
      ? {
          what: stand,
          people: standing.people.slice(0, MOST_PEOPLE),
          anyone_with: standing.anyone,
          until: stop?.resumesAt?.toISOString() ?? null,
        }
      : null,
    issue: about(issue),
    request: request && { number: request.number, url: request.url },
    budget: stop && {
      name: stop.budget,
      window: stop.window,
      limit_usd: stop.limitUsd,
      spent_usd: stop.spentUsd,
      resumes_at: stop.resumesAt?.toISOString() ?? null,
    },
    links: {
      thread: commentAddress(issue, commentFor(stand, overview)) ?? issue.url,
      dashboard: publicUrl === null ? null : `${publicUrl}${pathOf(issue)}`,
      request: request?.url ?? null,
    },
    cost_usd: knownCost(overview.usage),
  };
}

function about(issue: Issue): NonNullable<Notice["issue"]> {
  return {
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: /^\d{1,15}$/.test(issue.externalIssueId) ? Number(issue.externalIssueId) : issue.externalIssueId,
    title: issue.confidential ? null : titleOf(issue),
    url: issue.url,
    state: issue.state,
    confidential: issue.confidential,
  };
}

/** Pure. Most of the month's budget of everything is spent. */
export function monthNotice(
  { window, spentUsd, limitUsd, ends }: { window: string; spentUsd: number; limitUsd: number; ends: Date | null },
  { at, publicUrl }: Pick<Told, "at" | "publicUrl">,
): Body {
  const share = Math.floor((spentUsd / limitUsd) * 100);
  return {
    type: "budget",
    at: at.toISOString(),
    text: `${share} % of this month’s budget for models is spent: ${amounts({ spentUsd, limitUsd })}.`,
    waiting_for: null,
    issue: null,
    request: null,
    budget: {
      name: "workspace_month",
      window,
      limit_usd: limitUsd,
      spent_usd: spentUsd,
      resumes_at: ends?.toISOString() ?? null,
    },
    links: { thread: null, dashboard: publicUrl === null ? null : `${publicUrl}/costs`, request: null },
    cost_usd: null,
  };
}

/**
 * Pure. Work of an issue became a dead letter. It says nothing else about an issue that Relay does not know, since it
 * may be confidential.
 */
export function deadLetterNotice(
  { what, address, issue }: { what: "delivery" | "wake"; address: IssueAddress; issue: Issue | null },
  { at, publicUrl }: Pick<Told, "at" | "publicUrl">,
): Body {
  const name = issue === null ? `an issue of ${address.externalProjectId}` : issueName(issue);
  const failed = what === "delivery" ? "What was said or done at" : "The work on";
  return {
    type: "stuck",
    at: at.toISOString(),
    text: cut(
      `${failed} ${name} failed for good; relay status says why, and relay retry tries it again.`,
      LONGEST_TEXT,
    ),
    waiting_for: { what: "dead_letter", people: [], anyone_with: "operator", until: null },
    issue: issue && about(issue),
    request: null,
    budget: null,
    links: {
      thread: issue?.url ?? null,
      dashboard: publicUrl === null ? null : `${publicUrl}/queue`,
      request: null,
    },
    cost_usd: null,
  };
}

/** A notice that only shows that notices arrive. */
export function testNotice(at: Date): Body {
  return {
    type: "test",
    at: at.toISOString(),
    text: "This is a test of Relay’s notifications. Nobody needs to do anything.",
    waiting_for: null,
    issue: null,
    request: null,
    budget: null,
    links: { thread: null, dashboard: null, request: null },
    cost_usd: null,
  };
}

/**
 * The title, which somebody else wrote: on one line, without secrets, hidden text, and addresses that a client turns
 * into links.
 */
function titleOf({ title }: Pick<Issue, "title">): string {
  return lineOf(cut(title, MOST_READ), LONGEST_TITLE);
}

function lineOf(text: string, most: number): string {
  return cut(addressesAsWords(oneLine(keptCode(text))), most);
}

/** The comment that asks. */
function commentFor(stand: Stand, { gaps, plan }: Pick<Told["overview"], "gaps" | "plan">): string | null {
  if (stand === "answers") return newestQuestion(gaps)?.askedIn ?? null;
  return stand === "approval" ? (plan?.commentId ?? null) : null;
}

function budgetWords(stop: BudgetStop, issue: Issue): string {
  const spent = `is used up: ${amounts(stop)}`;
  const until = stop.resumesAt === null ? "" : timeText(stop.resumesAt, "en");
  switch (stop.budget) {
    case "issue":
      return `The budget of this issue ${spent}. It goes on when Relay’s operator resumes it.`;
    case "repository_day":
      return `Today’s budget of ${issue.externalProjectId} ${spent}. Work there goes on after ${until}.`;
    case "workspace_month":
      return `This month’s budget for models ${spent}. Work goes on after ${until}.`;
    default:
      return stop.budget satisfies never;
  }
}

function amounts({ spentUsd, limitUsd }: { spentUsd: number; limitUsd: number }): string {
  return `$${spentUsd.toFixed(2)} of $${limitUsd.toFixed(2)}`;
}
