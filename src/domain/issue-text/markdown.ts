import { blockTokens } from "../../lib/markdown.ts";

/** Characters of the text, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A piece of a Markdown text, in reading order and flat. */
export type Block = Span &
  (
    | { kind: "heading"; text: string; level: number }
    | { kind: "paragraph"; text: string; inList: boolean; ordered: boolean; quoted: boolean }
    | { kind: "code"; text: string; language: string; fenced: boolean }
    | { kind: "html"; text: string }
  );

/** The blocks of a Markdown text. Offsets are whole lines. */
export function blocksOf(text: string): Block[] {
  // The parser normalises line ends; replacing one character by one keeps the offsets.
  const plain = text.replaceAll("\r\n", " \n").replaceAll("\r", "\n");
  const starts = lineStarts(plain);
  const tokens = blockTokens(plain, { keepReferences: true });
  const blocks: Block[] = [];
  let quotes = 0;
  const lists: boolean[] = [];
  let heading: number | null = null;
  for (const token of tokens) {
    const [first, last] = token.map ?? [0, 0];
    const start = starts[first] ?? plain.length;
    const span = { start, end: Math.max(start, starts[last] ?? plain.length) };
    switch (token.type) {
      case "blockquote_open":
      case "blockquote_close":
        quotes += token.nesting;
        break;
      case "bullet_list_open":
      case "ordered_list_open":
        lists.push(token.type === "ordered_list_open");
        break;
      case "bullet_list_close":
      case "ordered_list_close":
        lists.pop();
        break;
      case "heading_open":
        heading = Number(token.tag.slice(1));
        break;
      case "heading_close":
        heading = null;
        break;
      case "inline":
        if (heading === null) {
          const ordered = lists.at(-1) ?? false;
          blocks.push({
            kind: "paragraph",
            text: token.content,
            inList: lists.length > 0,
            ordered,
            quoted: quotes > 0,
            ...span,
          });
        } else {
          blocks.push({ kind: "heading", text: token.content, level: heading, ...span });
        }
        break;
      case "fence":
      case "code_block": {
        const language = (token.info.trim().split(/[\s,{:]/, 1)[0] ?? "").toLowerCase();
        blocks.push({ kind: "code", text: token.content, language, fenced: token.type === "fence", ...span });
        break;
      }
      case "html_block":
        blocks.push({ kind: "html", text: token.content, ...span });
        break;
      default:
    }
  }
  return blocks;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

const PAIRED_STARS =
  /(`[^`\n]*`)|(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{N}*/\\])(\*{1,3})(?=[^\s*])([^*\n]{0,500}[^\s*])\2(?![\p{Script=Latin}\p{Script=Cyrillic}\p{N}*/])/gu;

/** Inline text as displayed: without emphasis, links as their words; code as it is written. */
export function plainText(inline: string): string {
  return (
    inline
      .replaceAll(/(`[^`\n]*`)|!\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, "$1$2")
      .replaceAll(/(`[^`\n]*`)|\[([^\]\n]{1,300})\]\([^)\n]{0,500}\)/g, "$1$2")
      .replaceAll(/`[^`\n]*`|<\/?[a-z][^<>\n]{0,200}>/gi, (tag) =>
        /^<\/?(?:b|i|em|strong|br|p|sub|sup|kbd|code|details|summary|img|a|div|span|h\d)\b/i.test(tag) ? " " : tag,
      )
      // Only in pairs: `src/**/*.ts`, `"*"` and `**kwargs` are none. A sentence may have one end of a pair.
      .replaceAll(PAIRED_STARS, "$1$3")
      .replaceAll(PAIRED_STARS, "$1$3")
      .replaceAll(/^\*{2,3}(?=\p{Lu})|(?<=[\p{L}\p{N}][.!?:]?)\*{2,3}$/gu, "")
      // `__name__` and `a._name` are names more often than emphasis.
      .replaceAll(/(`[^`\n]*`)|(?<![\p{L}\p{N}_.])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu, "$1$2")
      .replaceAll(/[ \t]+/g, " ")
      .trim()
  );
}
