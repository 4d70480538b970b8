import { codeRanges, rangeAt } from "../../lib/markdown-offsets.ts";
import { NUMBERED, citedKind, placeIn } from "./citations.ts";
import type { Cited } from "./document.ts";

/** Where a reader finds what is cited; null for what has no address. */
export type AddressOf = (cited: Cited) => string | null;

/** A link around a citation, in each of the three forms of Markdown. */
const CITATION = String.raw`\x60[^\x60\n]{1,400}\x60|(?:gap|finding|message)s?\s+#?\d{1,20}|#?\d{1,20}(?=\]\[(?:gap|finding|message)\s)`;
const LINKED = new RegExp(String.raw`(?<!!)\[(${CITATION})\](?:\[[^\]\n]{0,400}\]|\([^()\s]{0,2000}\))?`, "gi");
const DEFINITION = /^ {0,3}\[(`[^`\n]{1,400}`|(?:gap|finding|message) #?\d{1,20})\]: \S+$/i;
/** Brackets of any kind: a link cannot stand within another. */
const BRACKETS = /\[[^[\]]*\](?:\([^()\s]*\)|\[[^[\]]*\])?/g;
/** Lines that are no prose: headings, whose text is their address, and HTML. */
const SKIPPED = /^ {0,3}(?:#{1,6}[^\S\n]|<)[^\n]*/gm;

/** The text of one block without the links around its citations, so that linked and unlinked texts are equal. */
export function withoutLinks(text: string): string {
  if (text.search(LINKED) === -1) return text;
  const code = codeRanges(text);
  return text.replaceAll(LINKED, (whole: string, cited: string, at: number) =>
    rangeAt(code, at) !== null || (cited.startsWith("`") && placeIn(cited.slice(1, -1)) === null) ? whole : cited,
  );
}

/** The same for a whole document, which loses the addresses at its end as well. A text without links is unchanged. */
export function unlinked(markdown: string): string {
  if (!markdown.includes("[")) return markdown;
  const code = codeRanges(markdown);
  let at = 0;
  const lines = markdown.split("\n").filter((line) => {
    at += line.length + 1;
    return !isDefinition(line) || rangeAt(code, at - 2) !== null;
  });
  return withoutLinks(lines.join("\n"));
}

function isDefinition(line: string): boolean {
  const label = DEFINITION.exec(line.trimEnd())?.[1];
  return label !== undefined && (!label.startsWith("`") || placeIn(label.slice(1, -1)) !== null);
}

/** The addresses that a document's links lead to, by the text of the citation. */
export function linksIn(markdown: string): Map<string, string> {
  const found = markdown.matchAll(/^ {0,3}\[([^\]\n]{1,420})\]: (\S+)$/gm);
  return new Map([...found].map(([line, label = "", address = ""]) => [isDefinition(line) ? label : "", address]));
}

interface Spot {
  start: number;
  end: number;
  label: string;
  address: string;
}

/**
 * The text with a link at each citation that has an address (R-SPEC-17), and the addresses, which belong at the end of
 * the document. The text gets brackets only: it stays as readable as before, and a revision leaves alone what it does not
 * change.
 */
export function linked(text: string, addressOf: AddressOf): { text: string; addresses: string } {
  const spots = spotsIn(text, addressOf);
  // Labels ignore case, and hold no brackets.
  const known = new Map<string, Spot>();
  const starts = new Set(spots.map(({ start }) => start));
  for (const spot of spots) {
    const key = spot.label.toLowerCase();
    if (!/[[\]\\]/.test(spot.label) && !known.has(key)) known.set(key, spot);
  }
  return {
    text: replaced(text, spots, (shown, { label, address, end }) => {
      if (known.get(label.toLowerCase())?.address !== address) return `[${shown}](${address})`;
      if (shown !== label) return `[${shown}][${label}]`;
      // What follows would make it something else.
      return /[:([]/.test(text.charAt(end)) || starts.has(end) ? `[${shown}][]` : `[${shown}]`;
    }),
    addresses: [...known.values()].map(({ label, address }) => `[${label}]: ${address}`).join("\n"),
  };
}

/** A text for a thread, each of whose citations is a link of its own. */
export function linkedInline(text: string, addressOf: AddressOf): string {
  return replaced(text, spotsIn(text, addressOf), (shown, { address }) => `[${shown}](${address})`);
}

function replaced(text: string, spots: readonly Spot[], link: (shown: string, spot: Spot) => string): string {
  let made = "";
  let position = 0;
  for (const spot of spots) {
    made += text.slice(position, spot.start) + link(text.slice(spot.start, spot.end), spot);
    position = spot.end;
  }
  return made + text.slice(position);
}

/** The citations in prose that have an address, in order. */
function spotsIn(text: string, addressOf: AddressOf): Spot[] {
  const code = codeRanges(text);
  const prose = masked(text, code);
  const taken = [...prose.matchAll(BRACKETS)].map(({ index, 0: all }) => ({ start: index, end: index + all.length }));
  const spots: Spot[] = [];
  const add = (start: number, end: number, label: string, cited: Cited) => {
    // A sign before it would make it something else.
    if (prose[start] === BLANK || /[!\]\\]/.test(prose.charAt(start - 1))) return;
    if (rangeAt(taken, start) !== null) return;
    const address = addressOf(cited);
    if (address !== null) spots.push({ start, end, label, address });
  };
  for (const { kind, start, end } of code) {
    const shown = text.slice(start, end);
    const place = kind === "span" ? placeIn(shown.slice(1, -1)) : null;
    if (place !== null) add(start, end, shown, { kind: "file", ...place });
  }
  for (const { 0: list, 1: word = "", index } of prose.matchAll(NUMBERED)) {
    const kind = citedKind(word);
    for (const { 0: shown, 1: id = "", index: at } of list.matchAll(EACH)) {
      const label = SINGLE.test(shown) ? shown : `${kind} ${id}`;
      add(index + at, index + at + shown.length, label, { kind, id });
    }
  }
  return spots.toSorted((a, b) => a.start - b.start);
}

/** Each number of a list; the first one with its word. */
const EACH = /(?:[a-z]+\s+)?#?(\d{1,20})/gi;
/** A citation that can be its own label. */
const SINGLE = /^(?:gap|finding|message) #?\d+$/i;
/** What no citation can stand in. */
const BLANK = "\u0000";

/** The text in which code, headings and HTML are blank, at the same offsets; code spans keep their first sign. */
function masked(text: string, code: ReturnType<typeof codeRanges>): string {
  let made = "";
  let position = 0;
  for (const { kind, start, end } of code) {
    const from = kind === "span" ? start + 1 : start;
    made += text.slice(position, from) + text.slice(from, end).replaceAll(/[^\n]/g, BLANK);
    position = end;
  }
  return `${made}${text.slice(position)}`.replaceAll(SKIPPED, (line) => BLANK.repeat(line.length));
}
