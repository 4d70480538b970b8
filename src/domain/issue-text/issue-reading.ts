import { forbidsPlaces } from "../statements/places-meant.ts";
import { onlyAsksForFix } from "../statements/sentence.ts";
import { type HiddenText, stripHiddenText } from "../text/hidden-text.ts";
import { withoutSignature } from "../text/mail.ts";
import { stripHiddenCharacters } from "../text/hidden-characters.ts";
import { type Areas, areasOf } from "./areas.ts";
import { KEEPS_EXISTING } from "./aspect-words.ts";
import { type Aspects, aspectsOf } from "./aspects.ts";
import { proseSentences } from "./prose-sentences.ts";
import { type CodeFacts, codeFactsOf } from "./code-facts.ts";
import { cleanTitle, gistOf } from "./summary.ts";
import { scenariosOf, withoutScenarios } from "./written-scenarios.ts";
import { type IssueKind, type KindReading, kindOf } from "./kind.ts";
import { itemsOf, requirementsIn } from "./listed.ts";
import { type Block, blocksOf, plainText } from "./markdown.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { type StackTrace, stackTracesOf } from "./stack-traces.ts";
import { explanationsIn, proposalIn, todayIn } from "./remarks.ts";
import { HIDDEN_READ, hiddenOrders, ordersInComments, withoutOrders } from "./orders-in-text.ts";
import { addressesTool, withoutToolOrders } from "./tool-orders.ts";
import { checkbox } from "./stop-words.ts";
import { anyOf } from "./phrases.ts";

export interface IssueText {
  title: string;
  body: string;
  labels: readonly string[];
  /** Later comments, oldest first. */
  comments?: readonly { author: string; body: string }[];
}

/** An issue's text as facts. Offsets of blocks and sections are into `text`. */
export interface IssueReading {
  title: string;
  /** The body as people see it, without hidden text, at most 256 Ki characters. */
  text: string;
  /** The body was longer and its end was not read. */
  truncated: boolean;
  hidden: HiddenText[];
  /** Beginnings of sentences, hidden ones too, that order whatever reads them; nothing else here has them (R-SAFE-1). */
  toolOrders: string[];
  kind: KindReading;
  areas: Areas;
  gist: string;
  blocks: Block[];
  sections: Section[];
  traces: StackTrace[];
  facts: CodeFacts;
  aspects: Aspects;
  acceptanceCriteria: string[];
  /** The fix that the reporter proposes, in their own sentence; null without one. */
  proposal: string | null;
  /** The reporter's explanations of the fault, as far as they name code. */
  explanations: string[];
  /** How it is today, according to a request; null without it. */
  today: string | null;
  /** Prose without code, for word search. */
  prose: string;
  /** All code blocks but those that list the environment: versions, system, browsers. */
  code: string;
}

const LONGEST_TEXT = 256 * 1024;
const LONGEST_TITLE = 1_000;
const COMMENTS_READ = 100;
/** Characters of a hidden part that are told. */
const SHOWN = 500;

/** The part of a reading that a search in the code needs. */
export type SearchReading = Pick<IssueReading, "title" | "areas" | "prose" | "code" | "traces" | "facts">;

/** Parses only what a search needs, in a fraction of the time of `readIssue`; says the same of it. */
export function readForSearch(issue: IssueText): SearchReading {
  const { title, areas, traces, facts, prose, code } = partsOf(issue);
  return { title: cleanTitle(title), areas, traces, facts, prose, code };
}

/**
 * Parses an issue's text into facts, without a model (R-PLAN-12, R-SAFE-1). Never throws; its time grows linearly with
 * the text's length, which is bounded.
 */
export function readIssue(issue: IssueText): IssueReading {
  const { title, text, hidden, areas, blocks, orders, sections, later, traces, facts, prose, code } = partsOf(issue);
  const kept = sections.flatMap((section) => section.blocks);
  const wanted = sections.filter(({ topic }) => topic !== "left_out");
  const kind = kindOf({ title, prose, labels: issue.labels, sections, traces: traces.length });
  const acceptanceCriteria = criteriaOf(wanted, title, kind.kind);
  const given = { kind: kind.kind, title, traces, versions: facts.versions, urls: facts.urls };
  const aspects = aspectsOf({
    ...given,
    sections: sections.map(withoutScenarios),
    blocks: kept.filter((block) => scenariosOf(block).length === 0),
    criteria: acceptanceCriteria,
  });
  if (later !== "") answerFromComments(aspects, withoutOrders(blocksOf(later), title).blocks, given);
  return {
    title: cleanTitle(title),
    text,
    truncated: issue.body.length > LONGEST_TEXT,
    hidden,
    toolOrders: [...new Set([...orders, ...ordersInComments(issue.comments ?? [], issue.title)])],
    kind,
    areas,
    gist: gistOf(title, kind.kind, aspects),
    blocks,
    sections,
    traces,
    facts,
    aspects,
    acceptanceCriteria,
    proposal: proposalIn(wanted),
    explanations: explanationsIn(sections),
    today: todayIn(wanted),
    prose,
    code,
  };
}

/** `later` is the text of the comments. */
function partsOf(issue: IssueText) {
  const title = stripHiddenCharacters(issue.title.slice(0, LONGEST_TITLE)).replaceAll(/\s+/g, " ").trim();
  const stripped = stripHiddenText(issue.body, { most: LONGEST_TEXT, keep: HIDDEN_READ });
  const own = withoutSignature(stripped.text.slice(0, LONGEST_TEXT), () => true);
  const text = withoutRepeat(own, title);
  const { blocks, orders } = withoutOrders(blocksOf(text), title);
  const inTitle = addressesTool(title) ? [title.slice(0, SHOWN)] : [];
  const sections = sectionsOf(blocks);
  const later = laterText(issue.comments ?? []);
  const traces = stackTracesOf(`${text}\n${later}`);
  const facts = codeFactsOf(
    cleanTitle(title),
    orders.length > 0 ? withoutToolOrders(text) : text,
    later === "" ? blocks : [...blocks, ...withoutOrders(blocksOf(later), title).blocks],
  );
  return {
    title,
    text,
    hidden: stripped.hidden.map((one) => ({ ...one, text: one.text.slice(0, SHOWN) })),
    areas: areasOf(title, sections, issue.labels),
    blocks,
    orders: [...inTitle, ...orders, ...hiddenOrders(stripped.hidden, issue.body.slice(0, LONGEST_TEXT))],
    sections,
    later,
    traces,
    facts: { ...facts, messages: [...new Set([...errorMessages(traces), ...facts.messages])] },
    prose: proseOf(sections),
    code: codeOf(blocks, sections),
  };
}

/** Some exports contain title and body twice; the copy adds nothing. */
function withoutRepeat(text: string, title: string): string {
  const again = title === "" ? -1 : text.indexOf(`\n${title}\n`);
  if (again === -1) return text;
  const before = text.slice(0, again).trim();
  const after = text.slice(again + title.length + 2).trim();
  const compared = Math.min(200, before.length, after.length);
  return compared > 0 && before.slice(0, compared) === after.slice(0, compared) ? text.slice(0, again) : text;
}

function laterText(comments: readonly { author: string; body: string }[]): string {
  const seen = comments.slice(-COMMENTS_READ).map(({ body }) => stripHiddenText(body, { most: LONGEST_TEXT }).text);
  return seen.join("\n\n").slice(0, LONGEST_TEXT);
}

function answerFromComments(
  aspects: Aspects,
  later: readonly Block[],
  given: Pick<Parameters<typeof aspectsOf>[0], "kind" | "traces" | "versions" | "urls">,
): void {
  const blocks = later.filter((block) => !(block.kind === "paragraph" && block.quoted));
  const sections = sectionsOf(blocks);
  const inComments = aspectsOf({
    ...given,
    title: "",
    sections,
    blocks,
    criteria: criteriaOf(sections, "", given.kind),
  });
  for (const topic of ["reproduction", "expected", "actual", "acceptance", "scope", "compatibility"] as const) {
    if (!aspects[topic].present && inComments[topic].present)
      aspects[topic] = { ...inComments[topic], from: "comment" };
  }
}

function errorMessages(traces: readonly StackTrace[]): string[] {
  return traces.flatMap((trace) => (trace.error && trace.error.message !== "" ? [trace.error.message] : []));
}

function proseOf(sections: readonly Section[]): string {
  const texts: string[] = [];
  for (const section of sections) {
    if (["checklist", "environment", "left_out"].includes(section.topic ?? "")) continue;
    if (section.topic === null) texts.push(section.title);
    for (const block of section.blocks) if (block.kind === "paragraph") texts.push(plainText(block.text));
  }
  return texts.filter((text) => text !== "").join("\n");
}

/** A line of a list of versions, as tools print it: `Node: 20.1.0 - /usr/bin/node`, `react: ^18.2.0 => 18.2.0`. */
const VERSION_LINE = /^\s*[-*|]?\s*"?[@\w][\w@/. ()+-]{0,50}"?\s*(?:[:=|]|=>)+\s*"?[~^v]?\d+(?:\.\d+)+/;
const HEADING_LINE =
  /^\s*(?:system|binaries|browsers|npm(?:global)?packages|packages|environment|utilities|sdks|ides)\s*:\s*$/i;

function codeOf(blocks: readonly Block[], sections: readonly Section[]): string {
  const environment = sections.filter(({ topic }) => topic === "environment").flatMap((section) => section.blocks);
  const texts = blocks.flatMap((block) => {
    if (block.kind !== "code" || environment.some(({ start }) => start === block.start)) return [];
    return listsVersions(block.text) ? [] : [block.text];
  });
  return texts.join("\n");
}

/** Most of its lines are versions of programs and packages. */
function listsVersions(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const listed = lines.filter((line) => VERSION_LINE.test(line) || HEADING_LINE.test(line));
  return listed.length >= 3 && listed.length * 2 > lines.length && lines.some((line) => HEADING_LINE.test(line));
}

const MOST = 20;

const BINDING = anyOf(
  "must(?: not)?|mustn't|shall(?: not)?|is required to|are required to|обязан\\p{L}*|обязательно|(?:не )?долж(?:ен|на|но|ны)|muss|müssen|darf nicht|debe(?:n)?|tiene que|doit|doivent|deve(?:m)?|tem que",
  "必须|必要があ|しなければならない|なければなりません|不得",
);
const NOT_A_RULE = anyOf(
  "must (?:be (?:there|something|a (?:bug|reason|way))|have (?:been|done|missed))|i (?:must|have to)|you must|(?:we|i|people|users?|one) (?:currently |now |always )?ha(?:s|ve|d) to|you have to",
);

/**
 * The criteria for the result: an acceptance section's items, checklists that name work, and sentences that say "must".
 * What only asks for the fix states none. Errors and options quoted with "must" in code are none.
 */
function criteriaOf(sections: readonly Section[], title: string, kind: IssueKind): string[] {
  const judges = (text: string) => !onlyAsksForFix(text, title);
  const written = sections.filter(tellsWhatIsWanted).flatMap(({ blocks }) => blocks.flatMap(scenariosOf));
  const stated = sections
    .filter((section) => section.topic === "acceptance")
    .flatMap((section) => itemsOf(withoutScenarios(section).blocks));
  if (stated.length > 0) return distinct([...written, ...stated.filter(judges)]);
  const ticked = sections
    .filter((section) => section.topic !== "checklist")
    .flatMap((section) =>
      section.blocks.flatMap((block) => (block.kind === "paragraph" ? (checkbox(block.text)?.text ?? []) : [])),
    )
    .map(plainText);
  const listed = sections.flatMap((section) => requirementsIn(section, kind));
  const binding = proseSentences(sections.flatMap((section) => section.blocks))
    .map((sentence) => sentence.text)
    .filter(
      (text) =>
        !/[?？:：]$/.test(text) &&
        BINDING.test(withoutCode(text)) &&
        !NOT_A_RULE.test(text) &&
        !forbidsPlaces(text) &&
        !KEEPS_EXISTING.test(text),
    )
    .map(plainText);
  const isWritten = (text: string) => written.some((one) => one.includes(text));
  return distinct([
    ...written,
    ...[...ticked, ...listed, ...binding].filter((text) => judges(text) && !isWritten(text)),
  ]);
}

/** Steps under such titles tell of the fault. */
function tellsWhatIsWanted({ topic }: Section): boolean {
  return !["reproduction", "actual", "logs", "environment", "checklist"].includes(topic ?? "");
}

function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, " ");
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ""))].slice(0, MOST);
}
