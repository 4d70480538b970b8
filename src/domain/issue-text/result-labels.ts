import type { Block } from "./markdown.ts";
import phrases from "./aspect-phrases.json" with { type: "json" };
import { topicOf } from "./section-titles.ts";

type Paragraph = Extract<Block, { kind: "paragraph" }>;
type Result = "actual" | "expected";

interface Label {
  topic: Result;
  start: number;
  /** It begins a line or a sentence, with a capital or in a script without them. */
  opensSentence: boolean;
}

/** Up to six words before a colon. */
const LABELS =
  /(?<=^|[\s.。,;，；、/|(—–])\*{0,3}(?<words>[\p{L}-]{1,40}(?:[ '’][\p{L}-]{1,40}){0,5})\s?(?::\*{0,3}(?![\p{L}\d/:])|\*{1,3}:(?![\p{L}\d/:])|\*{0,3}：)/gu;
/** What leads on to the next label: “/”, “but”, “, y”; a letter alone may be a name. */
const TAIL = new RegExp(
  String.raw`(?:\s(?:${phrases.joinsResults.filter((word) => word.length > 1).join("|")})|[,;]\s(?:${phrases.joinsResults.join("|")}))?[\s,;/|、，；(—–-]*$`,
  "iu",
);
const LONGEST_TAIL = 20;
/** “Actual/Expected: 1 / 2”. */
const BOTH =
  /^\*{0,3}(?<one>[\p{L}-]{2,20})\s?\/\s?(?<other>[\p{L}-]{2,20})\*{0,3}\s?[:：]\*{0,3}\s*(?<first>[^/\n]{1,200})\/(?<second>[^/\n]{1,200})$/u;

/** A paragraph that names results by labels, “Actual: 1 / Expected: 2”, as a paragraph for each; any other as it is. */
export function splitAtResults(block: Block): Block[] {
  if (block.kind !== "paragraph" || block.quoted) return [block];
  const { one = "", other = "", first = "", second = "" } = BOTH.exec(block.text.trim())?.groups ?? {};
  if (areBoth([resultOf(one), resultOf(other)]))
    return [piece(block, `${one}: ${first}`, 0), piece(block, `${other}: ${second}`, 0)];
  const labels = labelsIn(block.text);
  const isPair = areBoth(labels.map(({ topic }) => topic));
  // Alone, a label in a paragraph may be any word before a colon.
  const starts = labels
    .filter(({ topic, opensSentence }) => isPair || (topic === "expected" && opensSentence))
    .map(({ start }) => start);
  if (starts.every((start) => start === 0)) return [block];
  return [...new Set([0, ...starts])].flatMap((start, at, all) => {
    const next = all[at + 1];
    const text = block.text.slice(start, next).trimEnd();
    const own = next === undefined ? text : text.slice(0, -LONGEST_TAIL) + text.slice(-LONGEST_TAIL).replace(TAIL, "");
    return own.trim() === "" ? [] : [piece(block, own, start)];
  });
}

function piece(block: Paragraph, text: string, at: number): Paragraph {
  const start = Math.min(block.start + at, block.end);
  return { ...block, text: text.trim(), start, end: block.end };
}

function areBoth(topics: readonly (Result | null)[]): boolean {
  return topics.includes("actual") && topics.includes("expected");
}

function labelsIn(text: string): Label[] {
  const prose = text.replaceAll(/`[^`\n]*`|"[^"\n]*"/g, (code) => "x".repeat(code.length));
  return [...prose.matchAll(LABELS)].flatMap(({ index, 0: whole, groups }) => {
    const words = groups?.["words"] ?? "";
    const from = index + whole.indexOf(words);
    // The longest title that ends at the colon.
    for (const { index: at } of words.matchAll(/(?<=^|[ '’])\S/gu)) {
      const topic = resultOf(words.slice(at));
      if (topic === null) continue;
      const start = at === 0 ? index : from + at;
      return [
        {
          topic,
          start,
          opensSentence:
            /(?:^|\n|[.!。！]\s?)[ \t]*$/.test(prose.slice(Math.max(0, start - 20), start)) &&
            !/^\**\p{Ll}/u.test(words.slice(at)),
        },
      ];
    }
    return [];
  });
}

function resultOf(title: string): Result | null {
  const topic = topicOf(title);
  return topic === "actual" || topic === "expected" ? topic : null;
}
