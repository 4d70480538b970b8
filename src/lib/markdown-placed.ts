import type { StateInline, Token } from "markdown-it";
import footnotes from "markdown-it-footnote";
import { newParser, remembering } from "./markdown.ts";

/*
 * Markdown with the places of its parts in the text, for what is taken out in place: the rules of `markdown.ts`, with
 * GitHub's and GitLab's footnotes, and links to any address, since trackers show the words of those that they refuse.
 */

/** Where a part of an `inline` token stands in its `content`; for links also where their words end. */
export interface Place {
  start: number;
  end: number;
  wordsEnd: number;
}

type InlineRule = (state: StateInline, silent: boolean) => boolean;

const PLACED: Readonly<Record<string, string>> = {
  backtick: "code_inline",
  link: "link_open",
  image: "image",
  autolink: "link_open",
  html_inline: "html_inline",
  entity: "text_special",
  footnote_ref: "footnote_ref",
};

const places = new WeakMap<Token, Place>();

const parser = placedParser();

function placedParser(): ReturnType<typeof newParser> {
  const made = newParser().use(footnotes);
  made.core.ruler.disable(["linkify", "replacements", "smartquotes", "text_join", "strip_references", "footnote_tail"]);
  made.inline.ruler.disable("footnote_inline");
  made.validateLink = () => true;
  for (const rule of made.inline.ruler.getRules("")) {
    const type = PLACED[rule.name];
    if (type !== undefined)
      made.inline.ruler.at(rule.name === "backtick" ? "backticks" : rule.name, placed(rule, type));
  }
  return made;
}

function placed(rule: InlineRule, type: string): InlineRule {
  return (state, silent) => {
    const [start, first] = [state.pos, state.tokens.length];
    if (!rule(state, silent)) return false;
    // The text before it is pushed first.
    const token = silent ? undefined : [state.tokens[first], state.tokens[first + 1]].find((one) => one?.type === type);
    if (token === undefined) return true;
    const wordsEnd = rule.name === "link" ? state.md.helpers.parseLinkLabel(state, start, true) : start;
    places.set(token, { start, end: state.pos, wordsEnd });
    return true;
  };
}

/** The tokens of a text: definitions and footnotes stand where they are written. */
export const placedTokens = remembering(parser);

/** Where code, a link, an image, HTML, a character reference or the mark of a footnote stands; null for the rest. */
export function placeOf(token: Token): Place | null {
  return places.get(token) ?? null;
}

/** Whether a character reference stands for these characters, as HTML reads it. */
export function unescapedReference(reference: string): string {
  return parser.utils.unescapeAll(reference.endsWith(";") ? reference : `${reference};`);
}
