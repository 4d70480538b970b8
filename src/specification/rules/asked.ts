import { markOf } from "../../approval/record.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { type Block, plainText } from "../../domain/issue-text/markdown.ts";
import type { SectionTopic } from "../../domain/issue-text/section-titles.ts";
import { isQuestion } from "../../domain/issue-text/sentences.ts";
import { checkbox } from "../../domain/issue-text/stop-words.ts";
import { isCourtesy } from "../../domain/statements/sentence.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { saysSame } from "./heard.ts";
import { phrase } from "./plain.ts";

/** Sections that ask for nothing, or stand elsewhere in a spec. */
const ASIDE = new Set<SectionTopic | null>(["checklist", "alternatives", "environment", "left_out", "logs", "context"]);
const MOST_ASKED = 24;
/** Characters of one paragraph or item. */
const LONGEST_ASKED = 400;

type Text = Pick<IssueReading, "sections" | "text">;
type Paragraph = Extract<Block, { kind: "paragraph" }>;

/**
 * What an issue asks for, item by item, as it stands: “agreed” and “2. no” say nothing without it. Items without numbers get
 * them, so that “the first and the third” can be read.
 */
export function askedIn({ sections, text }: Text): string[] {
  const asked = sections
    .filter(({ topic }) => !ASIDE.has(topic))
    .flatMap(({ blocks }) => runsOf(blocks).flatMap((run) => itemsOf(run, text)));
  return upToMost(asked);
}

/** The lists of a fault that a discussion answers: those with one of these criteria, or with a question. */
export function listsSpokenOf(reading: Text, criteria: readonly string[]): string[] {
  const lists = reading.sections
    .filter(({ topic }) => !ASIDE.has(topic))
    .flatMap(({ blocks }) => runsOf(blocks))
    .filter((run) => run.length > 1 && run.every(({ inList }) => inList));
  const isSpokenOf = ({ text }: Paragraph) =>
    isQuestion(text) || criteria.some((one) => text.includes(one) || saysSame(one, text));
  const told = lists.filter((list) => list.some(isSpokenOf));
  const rest = criteria.filter((one) => !told.flat().some(({ text }) => text.includes(one) || saysSame(one, text)));
  return upToMost([
    ...told.flatMap((list) => itemsOf(list, reading.text)),
    ...rest.map((one) => phrase(one, LONGEST_ASKED)),
  ]);
}

/** Items as a quotation; empty without any. */
export function asAsked(items: readonly string[], say: Translate<"spec">): string {
  return items.length === 0 ? "" : `${say("problem_as_asked")}\n\n${items.map((item) => `> - ${item}`).join("\n")}`;
}

/** Paragraphs one by one, and the items of a list together. */
function runsOf(blocks: readonly Block[]): Paragraph[][] {
  const runs: Paragraph[][] = [];
  let isOpen = false;
  for (const block of blocks) {
    const isItem = block.kind === "paragraph" && block.inList && !block.quoted;
    if (isItem && isOpen) runs.at(-1)?.push(block);
    else if (block.kind === "paragraph" && !block.quoted) runs.push([block]);
    // Code within an item ends no list.
    if (block.kind !== "code") isOpen = isItem;
  }
  return runs;
}

function itemsOf(run: readonly Paragraph[], text: string): string[] {
  const bullets = run.filter((block) => isBullet(block, text));
  return run.flatMap((block) => {
    const said = phrase(plainText(checkbox(block.text)?.text ?? block.text), LONGEST_ASKED);
    if (said === "" || isCourtesy(said)) return [];
    const [mark = ""] = markOf(block, text);
    if (/\d/.test(mark)) return [`${mark} ${said}`];
    const at = bullets.indexOf(block);
    return [bullets.length > 1 && at !== -1 ? `(${at + 1}) ${said}` : said];
  });
}

/** An item of the outer list, without a number of its own. */
function isBullet({ start, end, inList }: Paragraph, text: string): boolean {
  return inList && /^ ?[-*+]\s/.test(text.slice(start, end));
}

function upToMost(items: readonly string[]): string[] {
  return items.length > MOST_ASKED ? [...items.slice(0, MOST_ASKED), "…"] : [...items];
}
