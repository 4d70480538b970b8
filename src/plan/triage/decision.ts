import type { Effort, Risk, TriageResult } from "../../domain/plan.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import type { PlanIssue } from "../input.ts";

type Decision = TriageResult["auto_fix_decision"];

const BOTS =
  /\[bot\]$|^(?:dependabot|renovate|greenkeeper|snyk|github-actions|codecov|imgbot|allcontributors|pyup|mergify|stale|gitlab-bot)(?:-(?:bot|preview))?$|(?:^|[-_])bot$/i;
const DUPLICATE = anyOf(
  "duplicates?(?: of)?\\s*(?:#|https?:)\\S+|\\[?duplicate\\]|дубликат\\s*#\\d+|duplikat von #\\d+|duplicado de #\\d+|doublon de #\\d+",
  "重复\\s*#\\d+|#\\d+\\s*と重複",
);
const NO_WORK =
  /^(?:duplicate|invalid|wontfix|won['’]?t fix|spam|question|support|discussion|not a bug|works as intended)$/i;
const DISCUSSION =
  /^\W{0,3}(?:discussion|discuss|rfc|poll|announcement|question|help wanted|meta|thoughts on|обсуждение|вопрос|diskussion|discusión|discussão|讨论|議論|토론)\s*[\]):：-]/iu;
const THIN_TEXT = 12;

/** Whether Relay may do it, a person must look first, or there is nothing to do; and why (R-TRI-1). */
export function decisionOf(given: {
  issue: PlanIssue;
  reading: IssueReading;
  paths: readonly string[];
  risk: Risk;
  effort: Effort;
  flags: readonly string[];
}): { decision: Decision; reason: string } {
  const { issue, reading, paths, flags, risk, effort } = given;
  if (isBot(issue.author)) return { decision: "NO", reason: `a bot, ${issue.author.login}, opened the issue` };
  if (flags.length > 0)
    return { decision: "HUMAN_REVIEW_REQUIRED", reason: `security: ${flags.slice(0, 3).join("; ")}` };
  const none = noWork(issue, reading, paths);
  if (none !== null) return { decision: "NO", reason: none };
  if (risk !== "LOW") return { decision: "HUMAN_REVIEW_REQUIRED", reason: `the risk is ${risk}` };
  if (paths.length === 0) return { decision: "HUMAN_REVIEW_REQUIRED", reason: "no file was found that it is about" };
  if (effort === "COMPLEX") return { decision: "HUMAN_REVIEW_REQUIRED", reason: "it is much work" };
  return { decision: "YES", reason: "low risk, and known where to work" };
}

export function isBot({ login, type, is_bot }: PlanIssue["author"]): boolean {
  return is_bot === true || type?.toLowerCase() === "bot" || BOTS.test(login);
}

function noWork(issue: PlanIssue, reading: IssueReading, paths: readonly string[]): string | null {
  const label = issue.labels.find((each) => NO_WORK.test(each.trim()));
  if (label !== undefined) return `it is labelled ${label}`;
  if (DUPLICATE.test(`${issue.title}\n${reading.prose.slice(0, 4_000)}`)) return "it says that it is a duplicate";
  if (DISCUSSION.test(issue.title)) return "it opens a discussion";
  if (reading.kind.kind === "question") return "it asks a question";
  const said = `${reading.title} ${reading.prose} ${reading.code}`.replaceAll(/[^\p{L}\p{N}]+/gu, "");
  if (said.length < THIN_TEXT && paths.length === 0) return "it says too little to act on";
  return null;
}
