import { cut, oneLine } from "../lib/text.ts";
import { EDITED_TEXT, QUICK_WAY } from "../domain/action.ts";
import type { Finding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import { LEARNINGS_READ } from "../domain/learning.ts";
import { exploredText } from "../dossier/render.ts";
import { fence, fenceCode } from "../adapters/models/fence.ts";
import type { CycleContext } from "./planner.ts";

/*
 * Character limits per text; the stores have the full text. Falls to the next smaller limit if the total is too long.
 */
const TEXTS = [1_500, 500, 150];
const STATE_BYTES = 100_000;
const STUB = 6_000;
const EXPLORED = 24_000;
const LEARNINGS = 12_000;
const MOST_PEOPLE = 130;
const LOGIN = 100;
const MOST_HINTS = 12;
const MOST_GAPS = 60;

type Shorten = (text: string) => string;

/** Everything that changes in place between cycles, most stable first; text by others is fenced, facts are not. */
export function stateOf(context: CycleContext, given: { boundary: string; hints: readonly string[] }): string {
  let text = "";
  for (const limit of TEXTS) {
    text = render(context, given, (part) => shortTo(limit, part));
    if (Buffer.byteLength(text) <= STATE_BYTES) break;
  }
  return text;
}

function render(
  context: CycleContext,
  { boundary, hints }: { boundary: string; hints: readonly string[] },
  short: Shorten,
): string {
  const { issue } = context;
  const fenced = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : fence(title, lines.join("\n"), boundary, { tags: false });
  return [
    "# Where the issue stands",
    fenced(...learningLines(context, short)),
    ["People, as the tracker has them:", ...peopleLines(context)].join("\n"),
    fenced("labels", [short(issue.labels.length === 0 ? "none" : issue.labels.join(", "))]),
    fenced(
      "closed questions, the latest",
      context.closedGaps.map((gap) => closedLine(gap, short)),
    ),
    fenced(
      "findings",
      context.findings.map((finding) => findingLine(finding, short)),
    ),
    context.explorations.length === 0
      ? ""
      : fenceCode("explored already", exploredText(context.explorations, EXPLORED), boundary),
    fenced("current spec", context.specStub === null ? [] : [context.specStub.slice(0, STUB)]),
    fenced("index: places that may bear on the issue, not looked at yet", hints.slice(0, MOST_HINTS).map(short)),
    fenced(
      "questions kept for later",
      context.pendingGaps.slice(0, MOST_GAPS).map((gap) => openLine(gap, short)),
    ),
    fenced(
      "open questions",
      context.openGaps.slice(0, MOST_GAPS).map((gap) => openLine(gap, short)),
    ),
    fenced("what failed when your last actions were carried out", context.failures.map(short)),
    newsLines(context).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const QUICK = `The quick way is open, as this issue is small: where nothing needs to be asked, do not ask for the go-ahead, but hand over with ready_for_spec_generation, proceed_signal "${QUICK_WAY}" and complexity_hint "L0". Spec and plan are then agreed to together. Where something is open, ask as usual; assume nothing.`;

const PLANNED =
  "A plan made from this spec is before the people: they approve it, or say what to change. Do not ask for a go-ahead.";
const PLAN_FOLLOWS =
  "The plan made from this spec no longer stands. Relay posts a new version after this cycle, and people approve that one. Do not ask for a go-ahead, and do not say that a plan stands.";
const REVISES =
  "may ask for a change of that plan, by somebody who decides. If so, that is the go-ahead for revising spec and plan: hand over with exact words of it as proceed_signal, or ask first what is truly open. If it only asks something, answer it.";

const EDITED = "The text of the issue was edited since the spec was written.";
const EDIT_ASKS = "Where the edit changes what is wanted, ask for the go-ahead to revise the spec.";
const EDIT_REVISES = `Hand over with ready_for_spec_generation and proceed_signal "${EDITED_TEXT}": spec and plan are revised, and people approve the plan anew.`;

/** Facts that Relay itself knows. */
function newsLines({ newMessages, messages, proceedAsked, quickWay, openGaps, ...context }: CycleContext): string[] {
  const { specStub, nextGapNumber, planned, planStands, wishes } = context;
  const spoken = messages.some((message) => message.role === "self");
  const shown = new Set(messages.map((message) => message.seq));
  const news = newMessages.filter((seq) => shown.has(seq));
  return [
    news.length > 0
      ? `New or edited since your last cycle: ${rangesOf(news)}.`
      : spoken
        ? "Nobody has written since your last cycle."
        : "This is your first look at the issue.",
    `Open questions: ${openGaps.length}. Spec: ${specStub === null ? "none yet" : "exists"}. ${proceedAsked ? "Your last word was the question for the go-ahead." : "The go-ahead is not asked for."}`,
    `The next new question gets number ${nextGapNumber}.`,
    ...(quickWay && specStub === null ? [QUICK] : []),
    ...(planned ? [planStands ? PLANNED : PLAN_FOLLOWS] : []),
    ...(context.textEdited ? [EDITED, planned ? EDIT_REVISES : EDIT_ASKS] : []),
    ...(wishes.length > 0 ? [`${rangesOf(wishes)} ${REVISES}`] : []),
  ];
}

/** `#3, #5-#9`: in the first cycle of a long thread, all messages are new. */
function rangesOf(seqs: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.to === seq - 1) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges.map(({ from, to }) => (from === to ? `#${from}` : `#${from}-#${to}`)).join(", ");
}

/** The learnings under a title, which tells where older ones may be left out. */
function learningLines({ learnings }: CycleContext, short: Shorten): [title: string, lines: string[]] {
  const lines = learnings.map((learning) => `- (${learning.type}) ${short(learning.content)}`);
  // If there are too many, the newest are kept.
  let characters = 0;
  const kept = lines.toReversed().filter((line) => (characters += line.length) <= LEARNINGS);
  const isAll = kept.length === learnings.length && learnings.length < LEARNINGS_READ;
  return [`learnings of the team${isAll ? "" : `, the newest ${kept.length}`}`, kept.toReversed()];
}

function peopleLines({ participants }: CycleContext): string[] {
  return participants.slice(0, MOST_PEOPLE).map(({ login, role, mayProceed }) => {
    const standing = role === "other" && mayProceed ? "maintainer" : role;
    return `- @${plain(login)}: ${standing}${mayProceed ? ", may give the go-ahead" : ""}`;
  });
}

/** These lines are not fenced, as they say who may decide: a login must not be able to pass for anything else. */
function plain(login: string): string {
  return login.replaceAll(/[^\p{L}\p{N}._[\]-]/gu, "").slice(0, LOGIN);
}

function openLine(gap: Gap, short: Shorten): string {
  const assumed = gap.proposedDefault === null ? "" : ` Default: ${short(gap.proposedDefault)}`;
  return `- ${gap.number} (${gap.severity}, for the ${gap.respondent}): ${short(gap.question)}${assumed}`;
}

function closedLine(gap: Gap, short: Shorten): string {
  const note = gap.closedNote === null ? "" : `: ${short(gap.closedNote)}`;
  return `- ${gap.number}: ${short(gap.question)} → ${gap.closedReason ?? "closed"}${note}`;
}

function findingLine({ id, number, synthesis, sources }: Finding, short: Shorten): string {
  return `- Finding #${number}, id ${id}: ${short(synthesis)} (${short(sources.map((source) => source.location).join(", "))})`;
}

function shortTo(limit: number, text: string): string {
  return cut(oneLine(text), limit);
}
