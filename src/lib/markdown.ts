import type { Token } from "markdown-it";
import MarkdownIt from "markdown-it";

/*
 * The one reader of Markdown: CommonMark with the tables and the strikethrough of GitHub, by markdown-it, in time that
 * grows linearly with the text. Code that needs offsets in the text uses `markdown-offsets.ts`.
 */

export type { Token };

/** Blocks in blocks. */
const DEEPEST_BLOCKS = 100;
/** Links and pictures in the words of others. Looking deeper costs most of the time of a text full of brackets. */
const DEEPEST_LINKS = 10;

/** A reader of CommonMark, with HTML. */
export function newParser(): ReturnType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: true });
  const nestAtMost = (depth: number) => () => {
    parser.set({ maxNesting: depth });
  };
  parser.core.ruler.before("block", "deepest_blocks", nestAtMost(DEEPEST_BLOCKS));
  parser.core.ruler.before("inline", "deepest_links", nestAtMost(DEEPEST_LINKS));
  return parser;
}

export const markdownParser = newParser();

/** In characters: the tokens of a longer text are not kept. */
const LONGEST_KEPT = 300_000;

/** A reader that keeps the tokens of its last text, since the steps of one pass read the same text. */
export function remembering(parser: typeof markdownParser): (text: string) => readonly Token[] {
  let last: { text: string; tokens: readonly Token[] } | null = null;
  return (text) => {
    if (last?.text === text) return last.tokens;
    const tokens = parser.parse(text, {});
    last = text.length > LONGEST_KEPT ? null : { text, tokens };
    return tokens;
  };
}

/** The tokens of a text. */
export const markdownTokens = remembering(markdownParser);
const blocks = remembering(blocksOnly());
const blocksAndReferences = remembering(blocksOnly().disable("reference"));

function blocksOnly(): typeof markdownParser {
  const parser = newParser();
  parser.core.ruler.disable(["inline", "linkify", "replacements", "smartquotes", "text_join"], true);
  return parser;
}

/**
 * Only the block structure, which is fast; `inline` tokens contain their text as written. Definitions of references are
 * omitted, or with `keepReferences` are ordinary text.
 */
export function blockTokens(text: string, { keepReferences } = { keepReferences: false }): readonly Token[] {
  return keepReferences ? blocksAndReferences(text) : blocks(text);
}

/**
 * A piece of a Markdown text in reading order. `text` is the plain text itself, with the marks of list items and `|`
 * between table cells; all other kinds are set apart from it. HTML is read as a browser reads it after GitHub's
 * sanitizer: an unclosed element extends to the end.
 */
export interface Piece {
  kind: "text" | "code" | "quote" | "struck" | "folded" | "hidden" | "link" | "image" | "tag";
  /** Empty for the edges of set-apart pieces; the address of an image; the name of a `tag` without its own meaning. */
  text: string;
}

/** The pieces of a text; line ends in `text` pieces are those of the source, with an empty line between blocks. */
export function piecesOf(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  const reader = new PieceReader((piece) => pieces.push(piece));
  for (const token of markdownTokens(markdown)) reader.block(token);
  return pieces;
}

/** The text of the pieces of these kinds, with a blank for each of the others. */
export function textOf(markdown: string, kinds: readonly Piece["kind"][]): string {
  return piecesOf(markdown)
    .map(({ kind, text }) => (kinds.includes(kind) ? text : " "))
    .join("");
}

/** HTML elements whose contents are set apart. */
const APART: Readonly<Record<string, Piece["kind"]>> = {
  a: "link",
  blockquote: "quote",
  code: "code",
  del: "struck",
  details: "folded",
  iframe: "hidden",
  noscript: "hidden",
  pre: "code",
  q: "quote",
  s: "struck",
  samp: "code",
  script: "hidden",
  strike: "struck",
  style: "hidden",
  sub: "folded",
  sup: "folded",
  template: "hidden",
  textarea: "hidden",
  title: "hidden",
  tt: "code",
};

/** Elements after which a new line begins. */
const BREAKS = new Set(["br", "div", "p", "hr", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"]);

class PieceReader {
  /** What sets the present text apart, outermost first; `name` is that of the element, or of the mark. */
  private readonly open: { name: string; kind: Piece["kind"] }[] = [];
  private quotes = 0;
  /** The mark of a list item without text so far. */
  private mark = "";
  private readonly emit: (piece: Piece) => void;

  constructor(emit: (piece: Piece) => void) {
    this.emit = emit;
  }

  block(token: Token): void {
    switch (token.type) {
      case "blockquote_open":
        this.quotes += 1;
        break;
      case "blockquote_close":
        this.quotes -= 1;
        this.add("quote", "");
        this.say("\n\n");
        break;
      case "list_item_open":
        this.mark = `${token.info}${token.markup} `;
        break;
      case "list_item_close":
        this.mark = "";
        break;
      case "td_open":
      case "th_open":
        this.say("| ");
        break;
      case "fence":
      case "code_block":
        this.add("code", token.content);
        this.say("\n\n");
        break;
      case "html_block":
        this.html(token.content);
        break;
      case "inline":
        for (const child of token.children ?? []) this.inline(child);
        break;
      case "paragraph_close":
      case "heading_close":
        this.say(token.hidden ? "\n" : "\n\n");
        break;
      case "hr":
      case "tr_close":
      case "bullet_list_close":
      case "ordered_list_close":
        this.say("\n");
        break;
      default:
    }
  }

  private inline(token: Token): void {
    switch (token.type) {
      case "text":
      case "text_special":
        this.say(token.content);
        break;
      case "softbreak":
      case "hardbreak":
        this.say("\n");
        break;
      case "code_inline":
        this.add("code", token.content);
        break;
      case "image":
        this.add("image", String(token.attrGet("src") ?? ""));
        break;
      case "html_inline":
        this.html(token.content);
        break;
      case "s_open":
        this.enter("~~", "struck");
        break;
      case "s_close":
        this.leave("~~");
        break;
      case "link_open":
        this.enter("[", "link");
        break;
      case "link_close":
        this.leave("[");
        break;
      default:
    }
  }

  private say(text: string): void {
    this.add("text", text);
  }

  private add(kind: Piece["kind"], text: string): void {
    const shown = this.quotes > 0 ? "quote" : (this.open[0]?.kind ?? kind);
    if (this.mark !== "" && shown !== "quote" && shown !== "hidden" && (shown !== "text" || text.trim() !== "")) {
      this.emit({ kind: "text", text: this.mark });
      this.mark = "";
    }
    this.emit({ kind: shown, text });
  }

  private enter(name: string, kind: Piece["kind"]): void {
    this.add(kind, "");
    // An element opened within a quote ends with it.
    if (this.quotes === 0) this.open.push({ name, kind });
  }

  private leave(name: string): void {
    const at = this.open.findLastIndex((element) => element.name === name);
    if (at !== -1) this.open.splice(at);
  }

  private html(source: string): void {
    let position = 0;
    while (position < source.length) {
      if (this.open.at(-1)?.name === COMMENT) {
        const end = source.indexOf("-->", position);
        if (end === -1) return;
        this.leave(COMMENT);
        position = end + 3;
      }
      const next = source.indexOf("<", position);
      if (next === -1) return this.say(source.slice(position));
      this.say(source.slice(position, next));
      position = this.tag(source, next);
    }
  }

  /** Reads the tag, comment or plain `<` at the position, and returns where it ends. */
  private tag(source: string, at: number): number {
    if (source.startsWith("<!--", at)) {
      // `<!-->` and `<!--->` are whole comments.
      const short = /^<!---?>/.exec(source.slice(at, at + 6))?.[0];
      if (short === undefined) this.enter(COMMENT, "hidden");
      return at + (short ?? "<!--").length;
    }
    const [, slash, name] = /^<(\/?)([a-z][a-z\d-]*)/i.exec(source.slice(at, at + 60)) ?? [];
    if (name === undefined) {
      const end = source.indexOf(">", at);
      // A declaration or an instruction shows nothing; any other `<` is literal.
      if (!/^<[!?/]/.test(source.slice(at, at + 2))) this.say("<");
      else return end === -1 ? source.length : end + 1;
      return at + 1;
    }
    const rest = new RegExp(/(?:"[^"]*"|'[^']*'|[^'">])*>/y);
    rest.lastIndex = at + 1;
    // A tag without an end swallows the rest.
    const end = rest.test(source) ? rest.lastIndex : source.length;
    this.element(name.toLowerCase(), slash === "/");
    return end;
  }

  private element(name: string, closes: boolean): void {
    const kind = APART[name];
    if (kind !== undefined) return closes ? this.leave(name) : this.enter(name, kind);
    if (BREAKS.has(name)) this.say("\n");
    else this.add(name === "img" ? "image" : "tag", name === "img" ? "" : name);
  }
}

const COMMENT = "!--";
