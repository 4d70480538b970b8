import type { Gap, Respondent, Severity, Topic } from "../../domain/gap.ts";
import { type Translate, phrases } from "../../i18n/phrases.ts";
import { type Located, isPinpointed } from "../../code/search/rank-files.ts";
import { likelyFiles } from "../../code/search/likely-files.ts";
import { cleanTitle } from "../../domain/issue-text/summary.ts";
import { cutAtWord, codeSpan } from "../../lib/text.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Verdict } from "../../approval/verdict.ts";
import type { CycleContext } from "../planner.ts";
import type { IssueFacts, IssueKind } from "./facts.ts";

/** A question that the rules would ask. */
export interface MissingTopic {
  topic: Topic;
  question: string;
  why: string;
  /** Places in the code that it is about. */
  places: string[];
  severity: Severity;
  respondent: Respondent;
  proposedDefault: string;
}

/** More at once is an interrogation; the rest appears in the spec as assumptions. */
const MOST = 3;
/** From this many places on, ask which of them are meant. */
const MANY_PLACES = 3;

interface Rule {
  topic: Topic;
  severity: Severity;
  respondent: Respondent;
}

/** What each kind of issue must cover, most important first. */
const RULES: Record<IssueKind, Rule[]> = {
  bug: [
    { topic: "actual", severity: "blocking", respondent: "reporter" },
    { topic: "reproduction", severity: "high", respondent: "reporter" },
    { topic: "expected", severity: "high", respondent: "reporter" },
  ],
  performance: [
    { topic: "reproduction", severity: "high", respondent: "reporter" },
    { topic: "acceptance", severity: "high", respondent: "reporter" },
  ],
  feature: [
    { topic: "acceptance", severity: "high", respondent: "reporter" },
    { topic: "scope", severity: "medium", respondent: "assignee" },
    { topic: "compatibility", severity: "medium", respondent: "assignee" },
  ],
  chore: [{ topic: "scope", severity: "medium", respondent: "assignee" }],
  docs: [],
  question: [],
};

/** What others cannot settle. */
const TOLD_BY_REPORTER = new Set<Topic>(["actual", "reproduction"]);

/**
 * Information that is missing from the issue and not available in the code (R-PLAN-12): at most three questions, each
 * with the evidence for asking and the assumption made otherwise. `isFound`: there is a finding.
 */
export function missingTopics(
  title: string,
  facts: IssueFacts,
  { located, isFound }: { located: Located[]; isFound: boolean },
  say: Translate<"questions">,
): MissingTopic[] {
  if (facts.kind === "question" && facts.isDiscussed) return isFound ? [] : [where(title, say)];
  if (facts.kind === "question") return onlyAsks(facts) ? [whatToChange(located, say)] : [];
  const places = located.filter((found) => found.role === "source").slice(0, MANY_PLACES);
  const certain = places.find(isPinpointed);
  const asked = RULES[facts.kind].filter(({ topic }) => {
    if (facts.known.has(topic) || (facts.isDiscussed && !TOLD_BY_REPORTER.has(topic))) return false;
    switch (topic) {
      // A stack trace, or a message found in the code, shows what happens and where.
      case "actual":
        return certain === undefined;
      case "reproduction":
        return !certain?.reasons.some((reason) => reason.kind === "frame");
      case "scope":
        return places.length === MANY_PLACES && certain === undefined;
      case "compatibility":
        return places.length > 0 && certain !== undefined;
      // Who proposes a fix has said what should happen.
      case "expected":
        return facts.proposal === null;
      case "acceptance":
        return true;
      default:
        return topic satisfies never;
    }
  });
  // Nothing known and nothing found: at the least, a spec needs to know when the work is done.
  const isClear = facts.isDiscussed || facts.known.has("acceptance") || facts.known.has("expected");
  if (asked.length === 0 && places.length === 0 && !isClear) {
    asked.push({ topic: "acceptance", severity: "high", respondent: "reporter" });
  }
  // A spec rests on code that was found, or on an answer.
  if (asked.length === 0 && !isFound) return [where(title, say)];
  const names = places.map((found) => codeSpan(found.path));
  return asked.slice(0, MOST).map((rule) => ({
    ...rule,
    question: say(`q_${rule.topic}`, {
      text: rule.topic === "scope" ? names.join(", ") : cutAtWord(cleanTitle(title), 80),
    }),
    places: rule.topic === "scope" || rule.topic === "compatibility" ? names : [],
    why: say(`w_${rule.topic}`, { text: names[0] ?? "" }),
    proposedDefault:
      rule.topic === "scope" && names[0] !== undefined
        ? say("d_scope_here", { text: names[0] })
        : say(`d_${rule.topic}`),
  }));
}

/**
 * Whether an issue asks the project something, and orders no work: neither a check for the result nor a change is in
 * it.
 */
export function onlyAsks({ kind, known, proposal }: IssueFacts): boolean {
  return kind === "question" && !known.has("acceptance") && proposal === null;
}

/**
 * A question to the project is no work order: any change would be a guess, so that this blocks, and takes a no for an
 * answer.
 */
function whatToChange(located: readonly Located[], say: Phrases): MissingTopic {
  return {
    topic: "acceptance",
    question: say("q_change"),
    why: say("w_change"),
    places: likelyFiles(located, { aboutDocs: false, proposal: null }).map(({ path }) => codeSpan(path)),
    severity: "blocking",
    respondent: "reporter",
    proposedDefault: say("d_change"),
  };
}

function where(title: string, say: Phrases): MissingTopic {
  return {
    topic: "scope",
    question: say("q_where", { text: cutAtWord(cleanTitle(title), 80) }),
    why: say("w_where"),
    places: [],
    severity: "high",
    respondent: "reporter",
    proposedDefault: say("d_where"),
  };
}

/** A question before it is stored, with its future number. */
export interface Question {
  number: number;
  question: string;
  why: string;
  severity: Severity;
  respondent: Respondent;
  proposedDefault: string;
}

type Phrases = Translate<"questions">;

/**
 * One comment per respondent: numbered and tagged questions, each with its reason and the assumption made without an
 * answer (R-PLAN-6).
 */
export function questionComment(lead: string, questions: Question[], say: Phrases): string {
  const items = questions.map(({ number, question, why, severity, proposedDefault }) =>
    [
      `**${number}.** ${question} _(${say(`severity_${severity}`)})_`,
      `   ${say("why", { text: why })}`,
      `   ${say("default", { text: proposedDefault })}`,
    ].join("\n"),
  );
  return [lead, ...items, say("closing")].join("\n\n");
}

const MOST_SHOWN = 4;

/** What the code shows about an issue that only asks: each finding with its first place. */
export function shownLead(
  login: string,
  findings: readonly Pick<Finding, "synthesis" | "sources">[],
  say: Phrases,
): string {
  if (findings.length === 0) return say("shown_nowhere", { login });
  const lines = findings
    .slice(0, MOST_SHOWN)
    .map(
      ({ synthesis, sources: [first] }) => `- ${synthesis}${first === undefined ? "" : ` ${codeSpan(first.location)}`}`,
    );
  return [say("shown", { login }), lines.join("\n")].join("\n\n");
}

/** The short comment that asks for the go-ahead, separate from any question (R-PLAN-7). */
export function gateComment(
  place: string | null,
  revision: "edit" | "comment" | null,
  { issue }: Pick<CycleContext, "issue">,
  verdict: Verdict,
): string {
  const say = phrases("questions", issue.language);
  if (revision === null && verdict.kind !== "open") return say("gate_over", { login: verdict.by.author });
  if (revision !== null) return say(revision === "edit" ? "gate_edited" : "gate_revision");
  return place === null ? say("gate") : say("gate_found", { text: codeSpan(place) });
}

/** The assumptions made in place of missing answers (R-PLAN-8). */
export function assumptionsComment(assumed: { gap: Gap; assumption: string }[], say: Phrases): string {
  return [
    say("assumptions"),
    ...assumed.map(
      ({ gap, assumption }) =>
        `- ${say("assumption", { number: gap.number, question: gap.question, text: assumption })}`,
    ),
  ].join("\n");
}
