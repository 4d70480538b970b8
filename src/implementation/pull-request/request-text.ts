import { withoutClosing, withoutSkips } from "../../domain/text/closing-keywords.ts";
import { requestMarker } from "../../domain/marker.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import type { RequestFacts, RequestText } from "./request-facts.ts";
import {
  assumed,
  changedFiles,
  howToVerify,
  keptOut,
  links,
  riskLines,
  voiceOf,
  whatChanged,
  why,
} from "./request-sections.ts";
import { checkTable, coverageTable } from "./request-tables.ts";
import { requestTitle } from "./request-title.ts";
import { scenarioCoverage } from "./scenario-coverage.ts";

/** In characters; the sections together stay below it. */
const LONGEST_BODY = 60_000;
const MOST_LABELS = 10;
const LONGEST_LABEL = 50;
const NOBODY = { participants: [], bot: "" };

/**
 * The pull request of a task as people read it (R-WORK-7): what was changed and why, how to verify it, what the checks
 * came to, the risk, what was assumed, what was not let through, and which scenario of the spec is found where. In the
 * issue's language. Whatever the texts behind it say, it mentions nobody, holds no secret, and closes its own issue
 * only. A draft where a person must look.
 */
export function requestText(facts: RequestFacts): RequestText {
  const voice = voiceOf(facts.issue.language);
  const draft = facts.plan.human_check_reason !== null || facts.triage.risk === "HIGH";
  const coverage = facts.spec ? scenarioCoverage(facts.spec.text, facts.patch) : [];
  const sections = [
    whatChanged(facts, voice),
    why(facts, coverage, voice),
    changedFiles(facts, voice),
    howToVerify(facts, voice),
    checkTable(facts, voice),
    riskLines(facts, draft, voice),
    assumed(facts, voice),
    keptOut(facts, voice),
    coverageTable(coverage, voice),
    links(facts, voice),
  ];
  const told = sections.filter((section) => section !== "").join("\n\n");
  const end = `\n\nCloses #${facts.issue.number}\n\n${requestMarker(facts.taskId)}`;
  return {
    title: requestTitle(facts.triage.classification, facts.issue, facts.changes),
    body: `${cut(withoutSkips(withoutClosing(safeComment(told, NOBODY).text)), LONGEST_BODY - end.length)}${end}`,
    draft,
    labels: labelsOf(facts),
  };
}

/** For a text that grew more than any was seen to: whole lines of its beginning. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 100);
  return safeComment(`${start.slice(0, start.lastIndexOf("\n"))}\n\n…`, NOBODY).text;
}

function labelsOf({ triage }: RequestFacts): string[] {
  return [...new Set(triage.suggested_labels.map((label) => label.trim()))]
    .filter((label) => label !== "" && label.length <= LONGEST_LABEL && !/[\p{Cc},]/u.test(label))
    .slice(0, MOST_LABELS);
}
