import type { Token } from "../../lib/markdown.ts";
import { placedTokens, unescapedReference } from "../../lib/markdown-placed.ts";
import { type Cut, HtmlShown } from "./html-shown.ts";
import { hiddenInCode, shownLanguage } from "./shown-code.ts";
import { inlineCuts } from "./shown-inline.ts";
import { TextLines } from "./text-lines.ts";
import {
  type HiddenCharacterKind,
  fromTags,
  replaceHiddenCharacters,
  stripHiddenCharacters,
} from "./hidden-characters.ts";

/** Content that people do not see in the rendered text, but a model would read (R-SAFE-1, R-SAFE-6). */
export interface HiddenText {
  /** `markup`: tags and attributes; `unshown`: what its element hides; `reference`: definitions, titles, footnotes. */
  kind: Cut["kind"] | "reference" | HiddenCharacterKind;
  /** The hidden text itself, for tags decoded; empty for characters that only hide. At most 500 characters, unless told. */
  text: string;
  /** How many such places or characters. */
  count: number;
}

export interface StrippedText {
  text: string;
  /** The removed parts, one by one, characters by kind. */
  hidden: HiddenText[];
}

const ROUNDS = 4;
const SHOWN = 500;

/**
 * Takes out of a Markdown text what its readers in a tracker do not see, as the Markdown reader and the trackers'
 * sanitizers have it: comments, declarations, tags and attributes, contents that elements hide, definitions, titles,
 * other texts of pictures, unused footnotes, invisible characters. Code stays. With `tags` false, tags stay as well: for
 * texts of Relay's own, which show them. At most `most` characters of the text are read, up to where no hidden part is cut
 * open; `keep` characters of each hidden part are told. Stripping the result again changes nothing. Linear in the text's length.
 */
export function stripHiddenText(
  original: string,
  { tags = true, most = Number.POSITIVE_INFINITY, keep = SHOWN }: { tags?: boolean; most?: number; keep?: number } = {},
): StrippedText {
  const hidden: HiddenText[] = [];
  let text = withoutFrontFences(withoutHiddenCharacters(beginningOf(original, most).toWellFormed(), hidden, keep));
  if (!/[<&[\]`~|$]|[^\S\n]{80}|\t{30}/.test(text)) return { text, hidden };
  for (let round = 0; round < ROUNDS; round += 1) {
    const shown = shownOnce(text, { tags, keep, hidden: round === 0 ? hidden : [] });
    if (shown === text) return { text, hidden };
    text = shown;
  }
  // Hidden text in hidden text without end is nothing that a person wrote by hand.
  return { text: withoutMarks(text), hidden };
}

/** The text up to the last empty line before the limit: nothing within a line of Markdown goes on behind one. */
function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  const empty = Math.max(start.lastIndexOf("\n\n"), start.lastIndexOf("\n\r\n"));
  return empty > 0 ? start.slice(0, empty + 1) : (start.split(/[<[&`]/, 1)[0] ?? "");
}

/** GitLab shows front matter as code of its own: fences in it open nothing. */
function withoutFrontFences(text: string): string {
  const front = /^(---|\+\+\+|;;;)[^\S\n]?\w{0,20}[^\S\n]*\n[\s\S]*?\n\1[^\S\n]*(?:\n|$)/.exec(text)?.[0] ?? "";
  return front.replaceAll(/`{3,}|~{3,}/g, "'''") + text.slice(front.length);
}

function withoutHiddenCharacters(text: string, hidden: HiddenText[], keep: number): string {
  const kinds = new Map<HiddenCharacterKind, HiddenText>();
  const left = replaceHiddenCharacters(text, (found, kind) => {
    const same = kinds.get(kind) ?? { kind, text: "", count: 0 };
    same.count += 1;
    if (kind === "tag") same.text = (same.text + fromTags(found)).slice(0, keep);
    kinds.set(kind, same);
    return "";
  });
  hidden.push(...kinds.values());
  // Taking characters out can bring others together.
  return left === text ? text : stripHiddenCharacters(left);
}

/** All that could hide anything, as signs that mean nothing. */
function withoutMarks(text: string): string {
  const others: Record<string, string> = {
    "<": "‹",
    "&": "＆",
    "[": "(",
    "]": ")",
    "`": "'",
    "~": "-",
    "|": "¦",
    $: "＄",
  };
  return text.replaceAll(/[<&[\]`~|$]/g, (sign) => others[sign] ?? "");
}

interface Reading {
  lines: TextLines;
  html: HtmlShown;
  tags: boolean;
  /** Labels of footnotes that the text refers to, with their numbers. */
  footnotes: ReadonlyMap<string, number>;
  hidden: HiddenText[];
  /** Characters of a hidden part that are told. */
  keep: number;
}

function shownOnce(text: string, { tags, keep, hidden }: Pick<Reading, "tags" | "keep" | "hidden">): string {
  const tokens = placedTokens(text);
  const reading = {
    lines: new TextLines(text),
    html: new HtmlShown({ tags }),
    tags,
    footnotes: usedIn(tokens),
    hidden,
    keep,
  };
  const written = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (token.type === "footnote_reference_open") footnote(tokens, at, written, reading);
    else block(token, tokens, at, reading);
  }
  const shown = reading.lines.text();
  return shown === text.replaceAll(/\r\n?/g, "\n") ? text : shown;
}

/** A definition that says where something leads and no more: texts of Relay's own keep it. */
const ADDRESS = /^\s*\[[^\]\n]{1,300}\]:\s+<?https?:\/\/[^\s>]+>?\s*$/;

function block(token: Token, tokens: readonly Token[], at: number, reading: Reading): void {
  const { lines, html } = reading;
  switch (token.type) {
    case "reference_definition":
      if (!reading.tags && ADDRESS.test(lines.of(token.map))) break;
      hide("reference", lines.remove(token.map), reading);
      break;
    case "html_block":
      lines.replaceBlock(token.map, token.content, [
        ...noted(html.read(token.content, 0), token.content, reading),
        ...hiddenReferences(token.content),
      ]);
      break;
    case "fence":
    case "code_block":
      code(token, reading);
      break;
    case "tr_open":
      lines.openRow(token.map);
      break;
    case "tr_close":
      hide("reference", lines.closeRow(), reading);
      break;
    case "inline":
      lines.replace(token.map ?? null, token.content, noted(inlineCuts(token, reading), token.content, reading));
      break;
    default:
  }
}

/** The words after a fence are not shown, nor are comments within diagrams and formulas. */
function code(token: Token, reading: Reading): void {
  const { lines, html } = reading;
  if (html.hides) return hide("unshown", lines.remove(token.map), reading);
  const isFence = token.type === "fence";
  const info = token.info.trim();
  const language = isFence ? shownLanguage(info) : "";
  if (info !== language) {
    lines.replaceFirst(token.map, info, language);
    hide("markup", info.slice(language.length), reading);
  }
  if (!token.map) return;
  const content = token.content.replace(/\n$/, "");
  const first = token.map[0] + (isFence ? 1 : 0);
  lines.replace([first, token.map[1]], content, noted(hiddenInCode(language, content), content, reading));
}

/** Footnotes are numbered; only the first of a name is shown, and only if the text refers to it. */
function footnote(tokens: readonly Token[], at: number, written: Set<string>, reading: Reading): void {
  const label = String(tokens[at]?.meta?.["label"]);
  const number = written.has(label) ? undefined : reading.footnotes.get(label);
  written.add(label);
  const inner = tokens.slice(at + 1, closeOf(tokens, at)).filter(({ map }) => map);
  const first = inner[0]?.map?.[0];
  if (first === undefined) return;
  if (number !== undefined) return reading.lines.replaceFirst([first, first + 1], `[^${label}]:`, `[^${number}]:`);
  const end = inner.reduce((last, { map }) => Math.max(last, map?.[1] ?? 0), 0);
  hide("reference", reading.lines.remove([first, end]), reading);
}

function closeOf(tokens: readonly Token[], at: number): number {
  let close = at;
  while (close < tokens.length && tokens[close]?.type !== "footnote_reference_close") close += 1;
  return close;
}

/** Footnotes that the text itself refers to, in order; those that only footnotes refer to are found by the next round. */
function usedIn(tokens: readonly Token[]): Map<string, number> {
  const used = new Map<string, number>();
  let depth = 0;
  for (const { type, children } of tokens) {
    if (type === "footnote_reference_open") depth += 1;
    else if (type === "footnote_reference_close") depth -= 1;
    else
      for (const child of children ?? []) {
        const label = child.type === "footnote_ref" ? String(child.meta?.["label"]) : null;
        if (label !== null && !used.has(label)) used.set(label, used.size + 1);
      }
  }
  return used;
}

/** Notes what is taken out, as far as it says anything. */
function noted(cuts: readonly Cut[], source: string, reading: Reading): Cut[] {
  const real = cuts.filter(({ start, end, to }) => source.slice(start, end) !== to);
  for (const { start, end, kind } of real) {
    const gone = source.slice(start, end);
    if (kind !== "markup" || says(gone)) hide(kind, gone, reading);
  }
  return real;
}

/** References to characters that nobody sees. */
function hiddenReferences(html: string): Cut[] {
  return [...html.matchAll(/&(?:#[xX]?[0-9a-fA-F]{1,8}|[A-Za-z]{2,24});?/g)].flatMap(({ 0: found, index }): Cut[] => {
    const sign = unescapedReference(found);
    const isUnseen = sign !== "" && stripHiddenCharacters(sign) === "";
    return isUnseen ? [{ start: index, end: index + found.length, to: "", kind: "comment" }] : [];
  });
}

/** Whether an attribute or an address says something: words beside the usual ones of a picture. */
function says(markup: string): boolean {
  const words = markup
    .replaceAll(/https?:\/\/[^\s"')>]+/g, " ")
    .match(
      /(?!(?:img|image|width|height|src|alt|href|align|center|left|right|screenshot|picture|https?)\b)\p{L}{2,}/giu,
    );
  return (words?.length ?? 0) >= 2;
}

function hide(kind: HiddenText["kind"], gone: string, { hidden, keep }: Pick<Reading, "hidden" | "keep">): void {
  const text = gone.replaceAll(/^<!--|-->$/g, "").trim();
  const last = hidden.at(-1);
  if (text === "") return;
  // One element's contents, piece by piece.
  if (kind === "unshown" && last?.kind === kind) {
    if (last.text.length < keep) last.text = `${last.text} ${text}`.slice(0, keep);
  } else hidden.push({ kind, text: text.slice(0, keep), count: 1 });
}
