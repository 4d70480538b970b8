import { checkbox, isFiller } from "./stop-words.ts";
import { blocksOf, plainText, type Block, type Span } from "./markdown.ts";
import { stripHiddenText } from "../text/hidden-text.ts";
import { withoutOrders } from "./orders-in-text.ts";
import { splitAtResults } from "./result-labels.ts";
import { topicOf, type SectionTopic } from "./section-titles.ts";

/** A part of an issue under one title; the first part has none. */
export interface Section extends Span {
  title: string;
  topic: SectionTopic | null;
  /** The text that people wrote there, in Markdown; empty if the template was left unchanged. */
  text: string;
  blocks: Block[];
}

/** Splits an issue into sections at its headings, bold lines and labels, without the template's own text. */
export function sectionsOf(blocks: readonly Block[]): Section[] {
  const first: Section = { title: "", topic: null, text: "", blocks: [], start: 0, end: 0 };
  const sections = [first];
  /** What a heading opened: the text after a label's own falls back to it. */
  let parent = first;
  let label: { section: Section; closed: boolean } | null = null;
  let outside: Section | null = null;
  /** Questions of a list that may be titles of answers, and where they stand otherwise. */
  const asked: { section: Section; block: Block; parent: Section }[] = [];
  for (const block of blocks.flatMap(splitAtResults)) {
    const folded = foldedIn(block);
    if (folded !== null) {
      outside ??= parent;
      const topic = topicOf(folded);
      // Folded versions and logs are aside; any other details go on with what is around them.
      parent = topic === null || !FOLDED.has(topic) ? outside : { ...first, title: folded, topic, blocks: [] };
      if (parent !== outside) sections.push(Object.assign(parent, { start: block.start, end: block.end }));
      label = null;
    } else if (outside !== null && closesFold(block)) {
      parent = outside;
      outside = null;
    }
    const opened = opens(block, label !== null);
    if (opened) {
      const section: Section = {
        title: opened.title,
        topic: opened.topic,
        text: "",
        blocks: [],
        start: block.start,
        end: block.end,
      };
      sections.push(section);
      if (opened.rest !== null && !isFiller(opened.rest) && block.kind === "paragraph") {
        section.blocks.push({ ...block, text: opened.rest });
      }
      if (opened.topic === null && opened.isLabel) asked.push({ section, block, parent });
      label = opened.isLabel ? { section, closed: opened.rest !== null } : null;
      if (!opened.isLabel) parent = section;
      continue;
    }
    if (label?.closed === false) {
      // The label is alone on its line: it announces the next paragraph, list or code.
      const isText = block.kind === "paragraph" && !block.inList;
      const isLater = isText && label.section.blocks.length > 0;
      if (!isLater && !isLeftover(block, label.section)) label.section.blocks.push(block);
      label.closed = isText;
      if (!isLater) continue;
    }
    if (!isLeftover(block, parent)) parent.blocks.push(block);
  }
  const open = asked.filter(({ section }) => section.blocks.length === 0);
  for (const { block, parent: around } of open) {
    around.blocks = [...around.blocks, block].toSorted((a, b) => a.start - b.start);
  }
  const unanswered = new Set(open.map(({ section }) => section));
  return sections
    .filter((section) => !unanswered.has(section))
    .map(finish)
    .filter((section) => section.title !== "" || section.blocks.length > 0);
}

/** The sections of a comment as people see it, without orders to the tool. */
export function sectionsOfComment(content: string): Section[] {
  const { text } = stripHiddenText(content, { most: READ_OF_COMMENT });
  return sectionsOf(withoutOrders(blocksOf(text), "").blocks);
}

const READ_OF_COMMENT = 20_000;

function finish(section: Section): Section {
  const end = section.blocks.reduce((most, block) => Math.max(most, block.end), section.end);
  const start = section.title === "" ? (section.blocks[0]?.start ?? 0) : section.start;
  return { ...section, start, end: Math.max(start, end), text: textOf(section.blocks) };
}

function textOf(blocks: readonly Block[]): string {
  const [only, ...others] = blocks;
  if (only?.kind === "paragraph" && others.length === 0) return only.text.trim();
  return blocks.map(blockText).join("\n\n").trim();
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "code":
      return `\`\`\`${block.language}\n${block.text.trimEnd()}\n\`\`\``;
    case "paragraph":
      return block.inList ? `- ${block.text}` : block.text;
    case "heading":
    case "html":
      return block.text;
    default:
      return block satisfies never;
  }
}

interface Opening {
  title: string;
  topic: SectionTopic | null;
  /** Text on the same line or in the same paragraph. */
  rest: string | null;
  /** Announces one piece of text only. */
  isLabel: boolean;
}

const BOLD_LINE = /^\s*(?:\*\*|__)([^*_\n]{2,120}?)(?:\*\*|__)\s*:?[ \t]*(?:\n|$)/;
const BOLD_LABEL = /^\s*(?:\*{2,3}_?|__)([^*\n:]{2,80}?):?(?:_?\*{2,3}|__)\s*:?\s+/;
const LABEL = /^\s*([^\n:：`]{2,60}?)\s*(?::[ \t]*\n|:[ \t]*$|:[ \t]+|：\s*)/;
const QUESTION = /^\s*([^\n?？]{4,118}[?？])[ \t]*(?:\n|$)/;

const FOLDED = new Set<SectionTopic>(["environment", "logs", "checklist"]);

/** The last title that a piece of HTML unfolds; null without one. */
function foldedIn(block: Block): string | null {
  if (block.kind !== "html" && block.kind !== "paragraph") return null;
  const titles = [...block.text.matchAll(/<summary>([^<\n]{2,120})<\/summary>/gi)];
  return plainText(titles.at(-1)?.[1] ?? "") || null;
}

function closesFold({ kind, text }: Block): boolean {
  return (kind === "html" || kind === "paragraph") && /^\s*<\/details>\s*$/i.test(text);
}

/** In a list of questions, an unknown one ends the previous answer. */
function opens(block: Block, afterLabel: boolean): Opening | null {
  if (block.kind === "heading")
    return { title: plainText(block.text), topic: topicOf(block.text), rest: null, isLabel: false };
  if (block.kind !== "paragraph" || block.quoted) return null;
  const bold = BOLD_LINE.exec(block.text);
  if (bold?.[1]) return opening(bold[1], block.text.slice(bold[0].length), !block.inList);
  for (const pattern of [BOLD_LABEL, LABEL, QUESTION]) {
    const found = pattern.exec(block.text);
    if (found?.[1]) {
      const opened = opening(found[1], block.text.slice(found[0].length), false);
      if (opened) return opened;
      if (pattern === QUESTION && afterLabel && block.inList) {
        return {
          title: plainText(found[1]),
          topic: null,
          rest: block.text.slice(found[0].length).trim() || null,
          isLabel: true,
        };
      }
    }
  }
  return null;
}

/** Bold lines are always titles; labels and questions only if they are known. */
function opening(title: string, rest: string, always: boolean): Opening | null {
  const topic = topicOf(title);
  if (topic === null && !always) return null;
  return { title: plainText(title), topic, rest: rest.trim() === "" ? null : rest.trim(), isLabel: !always };
}

/** Leftovers of the template: prompts, `_No response_`, unticked boxes, images of nothing. */
function isLeftover(block: Block, section: Section): boolean {
  if (block.kind === "code") return block.text.trim() === "";
  if (block.kind !== "paragraph") return block.kind === "html" && block.text.trim() === "";
  const box = checkbox(block.text);
  // What is ticked in an open issue is a promise or a choice, or done.
  if (box) return !mayHoldTasks(section) || isForReporter(box.text) || (box.checked && section.topic !== "acceptance");
  return isFiller(block.text);
}

/** Ticks elsewhere choose among a template's options or promise to have searched. */
function mayHoldTasks(section: Section): boolean {
  return (
    section.topic === null || ["acceptance", "scope", "left_out", "proposal", "description"].includes(section.topic)
  );
}

function isForReporter(task: string): boolean {
  return /^(?:i |i'|we |this is |include |read |search|check |make sure|ensure |minimal |`?pip |.{0,40}versions?(?:\n|$)|bug\b|feature\b|question\b|yes\b|no\b|other\b|я |ich |he |j'ai |eu |我|私)/i.test(
    task,
  );
}
