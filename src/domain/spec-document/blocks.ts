import { blockTokens, type Token } from "../../lib/markdown.ts";

/** A piece of a Markdown text at the line (from 1) where its text begins. Texts are as written, without the marks of the block itself. */
export type Block =
  | { kind: "heading"; depth: number; text: string; line: number }
  | { kind: "text"; text: string; line: number }
  | { kind: "item"; depth: number; text: string; line: number }
  | { kind: "row"; cells: string[]; header: boolean; line: number }
  | { kind: "code"; text: string; line: number };

/**
 * The blocks of a Markdown text, in order; headings inside of lists, quotes and code are none. Only the block
 * structure is worked out, which is what makes checking hundreds of specs quick.
 */
export function readBlocks(markdown: string): Block[] {
  return [...blocksOf(blockTokens(blankFrontMatter(markdown)))];
}

/** The lines of a text, as the numbers of blocks count them, with any line endings. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** Without a byte order mark; front matter becomes blank lines, so that what follows keeps its line numbers. */
export function blankFrontMatter(markdown: string): string {
  const text = markdown.startsWith("\uFEFF") ? markdown.slice(1) : markdown;
  const match = /^---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  // A thematic break at the top of a document looks the same; only keys make it front matter.
  if (!match || !/^\w[\w -]*:/m.test(match[0])) return text;
  return "\n".repeat(match[0].split("\n").length - 1) + text.slice(match[0].length);
}

function* blocksOf(tokens: readonly Token[]): Generator<Block> {
  let lists = 0;
  let quotes = 0;
  let heading = 0;
  let row: { cells: string[]; header: boolean; line: number } | null = null;
  let inHead = false;
  let fresh = false;
  for (const token of tokens) {
    const line = (token.map?.[0] ?? 0) + 1;
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        lists += 1;
        break;
      case "bullet_list_close":
      case "ordered_list_close":
        lists -= 1;
        break;
      case "list_item_open":
        fresh = true;
        break;
      case "blockquote_open":
        quotes += 1;
        break;
      case "blockquote_close":
        quotes -= 1;
        break;
      case "heading_open":
        heading = token.level === 0 ? Number(token.tag.slice(1)) : 0;
        break;
      case "thead_open":
        inHead = true;
        break;
      case "thead_close":
        inHead = false;
        break;
      case "tr_open":
        row = { cells: [], header: inHead, line };
        break;
      case "tr_close":
        if (row && quotes === 0) yield { kind: "row", ...row };
        row = null;
        break;
      case "fence":
        yield { kind: "code", text: token.content, line: line + 1 };
        break;
      case "code_block":
        yield { kind: "code", text: token.content, line };
        break;
      case "inline":
        if (row) row.cells.push(token.content.trim());
        else if (heading > 0) yield { kind: "heading", depth: heading, text: token.content.trim(), line };
        else if (lists > 0 && fresh) yield { kind: "item", depth: lists, text: token.content, line };
        else yield { kind: "text", text: token.content, line };
        heading = 0;
        fresh = false;
        break;
      default:
        break;
    }
  }
}
