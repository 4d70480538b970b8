import { phrases } from "../i18n/phrases.ts";
import { TRACKERS } from "../adapters/trackers/registry.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { code, inRow, prose } from "../domain/text/comment-markdown.ts";
import { type CheckResult, type RevertedChange, isRed } from "../domain/work.ts";
import { codeSpan } from "../lib/text.ts";
import type { Claim } from "./claim.ts";
import { CHECK_PREFIX } from "./feedback.ts";
import { failingLines } from "./run/relevant-output.ts";
import { setupCause } from "./run/setup-failure.ts";
import type { LoopResult } from "./run/work-order.ts";
import { undoneLines } from "./undone.ts";

/** How a run ended without a finished change. */
export type Bad = Exclude<LoopResult, { kind: "done" }>;

/** What people read at the end of a run without a finished change. */
export function wordsFor(
  result: Exclude<Bad, { kind: "stopped" }>,
  { inReview, asBefore }: { inReview: boolean; asBefore: boolean },
  { issue, words: asked }: Pick<Claim, "issue" | "words">,
): string {
  const { language } = issue;
  const say = phrases("work", language, TRACKERS[issue.provider].requestWord);
  const next = say(inReview ? "request_stays" : "nothing_opened");
  const said = (text: string) => {
    const quote = prose(text, LONGEST_SAID);
    // The agent has read the issue and may quote it.
    return quote === "" || (inReview && staysNeutral(issue)) ? "" : `${say("agent_says")}\n\n> ${quote}`;
  };
  switch (result.kind) {
    case "question":
      return `${say("question")}\n\n${quoted(result.question)}\n\n${say("answer")}`;
    case "unusable":
      return say("unusable");
    case "setup failed":
      return paragraphs(say("setup"), shownOf(result.check), ...setupHints(result, language), next);
    case "outage":
      return paragraphs(say(`outage_${result.trouble.of}`), next);
    case "not caused": {
      const names = asked.filter(({ externalId }) => externalId.startsWith(CHECK_PREFIX)).map(({ author }) => author);
      const checks = inRow(
        [...new Set(names)].map((name) => code(name, 150)),
        600,
        names.length,
      );
      return paragraphs(say("not_caused", { checks }), said(result.said));
    }
    case "no progress":
    case "limit": {
      const what = result.kind === "limit" ? (`limit_${result.limit}` as const) : "no_progress";
      return asBefore
        ? paragraphs(say("as_before"), said(result.said), next)
        : paragraphs(
            say(what),
            endedBadly(result.fault, language),
            failing(result, asked, language),
            inReview && staysNeutral(issue) ? "" : leftOut(result.undone, language),
            said(result.said),
            next,
          );
    }
    default:
      return result satisfies never;
  }
}

/** Hints on what to fix on the machine; lists the versions that the repository asks for if they may be the reason. */
export function setupHints({ check, versions }: Extract<Bad, { kind: "setup failed" }>, language: string): string[] {
  const say = phrases("work", language);
  const cause = setupCause(check);
  if (cause !== null) {
    return [say(`setup_${cause.kind}`, { program: code("program" in cause ? cause.program : "", 60) })];
  }
  if (versions.length === 0 || !/\bversions?\b|\bengines?\b|\brequires?\b|unsupported/i.test(check.output)) return [];
  return [say("setup_versions", { versions: versions.map((one) => code(one, 100)).join(", ") })];
}

export const MOST_HOSTS = 5;
/** For readers of the issue: the hosts that the repository's programs tried to reach, and who can allow them. */
export function networkWords(hosts: readonly string[], language: string): string {
  if (hosts.length === 0) return "";
  return phrases("work", language)("network", { hosts: hosts.map((host) => codeSpan(host)).join(", ") });
}

export const MOST_SHOWN = 3;
const LONGEST_OUTPUT = 1_500;
const LONGEST_SAID = 1_000;

/**
 * The limits at which the agent was killed, then each failed command with the lines that show why. If no command
 * failed: the request's own red checks.
 */
function failing(
  { checks, isClean, bounds }: Pick<Extract<Bad, { kind: "limit" }>, "checks" | "isClean" | "bounds">,
  asked: Claim["words"],
  language: string,
): string {
  const ours = checks.filter(isRed);
  const theirs = asked
    .filter(({ externalId }) => externalId.startsWith(CHECK_PREFIX))
    .map(({ author, content }) => ({ command: author, output: content }));
  const red = ours.length > 0 ? ours : theirs;
  const say = phrases("work", language);
  const killed = bounds.map((one) => code(one, 100)).join(", ");
  const first = killed === "" ? "" : say("killed", { bounds: killed });
  if (red.length === 0) return first;
  const where = isClean && ours.length > 0 ? "failing_clean" : "failing";
  return paragraphs(first, say(where), ...red.slice(0, MOST_SHOWN).map(shownOf));
}

/** How the agent failed in its last attempt. */
function endedBadly(fault: string, language: string): string {
  return fault === "" ? "" : phrases("work", language)("ended_badly", { how: code(fault, 200) });
}

/** What the agent did in its last attempt and Relay reverted. */
function leftOut(undone: readonly RevertedChange[], language: string): string {
  const say = phrases("request", language);
  const all = undoneLines(undone, say);
  if (all.length === 0) return "";
  const more =
    all.length > MOST_SHOWN ? [`- ${phrases("plan", language)("left_out", { number: all.length - MOST_SHOWN })}`] : [];
  return [`**${say("undone")}:**`, "", ...all.slice(0, MOST_SHOWN), ...more].join("\n");
}

function shownOf({ command, output }: Pick<CheckResult, "command" | "output">): string {
  if (output.trim() === "") return code(command, 150);
  const lines = failingLines(output, LONGEST_OUTPUT);
  const fence = "`".repeat(Math.max(3, ...[...lines.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${codeSpan(command)}\n\n${fence}\n${lines}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

export function paragraphs(...all: string[]): string {
  return all.filter((one) => one !== "").join("\n\n");
}
