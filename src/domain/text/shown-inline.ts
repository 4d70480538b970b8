import type { Token } from "../../lib/markdown.ts";
import { type Place, placeOf } from "../../lib/markdown-placed.ts";
import type { Cut, HtmlShown } from "./html-shown.ts";
import { shownAddress } from "./shown-address.ts";
import { hiddenInFormula } from "./shown-code.ts";
import { stripHiddenCharacters } from "./hidden-characters.ts";

/** What decides what is seen of a line. */
export interface InlineReading {
  html: HtmlShown;
  /** Whether tags, pictures and the addresses of links are read as trackers show them. */
  tags: boolean;
  /** Labels of footnotes that the text refers to, with their numbers. */
  footnotes: ReadonlyMap<string, number>;
}

/** What to take out of the content of an `inline` token: HTML, addresses, titles, pictures, and what formulas hide. */
export function inlineCuts(token: Token, { html, tags, footnotes }: InlineReading): Cut[] {
  const cuts: Cut[] = [];
  const { content, children } = token;
  let hiddenFrom = html.hides ? 0 : null;
  for (const [at, child] of (children ?? []).entries()) {
    const place = placeOf(child);
    if (place === null) continue;
    if (child.type !== "html_inline") {
      if (hiddenFrom === null) cuts.push(...cutsOf(child, place, { tags, footnotes, content }));
      continue;
    }
    if (hiddenFrom !== null) cuts.push({ start: hiddenFrom, end: place.start, to: "", kind: "unshown" });
    if (tags && hiddenFrom === null) cuts.push(...beside(child, place, { next: children?.[at + 1], content }));
    cuts.push(...html.read(child.content, place.start));
    hiddenFrom = html.hides ? place.end : null;
  }
  if (hiddenFrom !== null) cuts.push({ start: hiddenFrom, end: content.length, to: "", kind: "unshown" });
  cuts.push(...hiddenInFormulas(token), ...(tags ? wikiLinks(content) : []));
  return cuts.filter(({ start, end }) => end > start);
}

/** What is not shown of a link, a picture, a character reference, the mark of a footnote. */
function cutsOf(
  child: Token,
  { start, end, wordsEnd }: Place,
  { tags, footnotes, content }: Pick<InlineReading, "tags" | "footnotes"> & { content: string },
): Cut[] {
  switch (child.type) {
    case "link_open":
      // Its address is what is shown.
      if (child.markup === "autolink") return [];
      if (tags && isUnseen(content.slice(start + 1, wordsEnd))) return [{ start, end, to: "", kind: "unshown" }];
      if (!tags)
        return child.attrGet("title") === null || labelOf(child.meta) !== null
          ? []
          : [untitled(child, { end, wordsEnd })];
      return [addressed(String(child.attrGet("href") ?? ""), { start: wordsEnd, end })];
    case "image":
      return tags ? [{ start, end: attributesEnd(content, end), to: PICTURE, kind: "markup" }] : [];
    case "text_special":
      return child.info === "entity" && stripHiddenCharacters(child.content) !== child.content
        ? [{ start, end, to: "", kind: "comment" }]
        : [];
    case "footnote_ref":
      return [{ start, end, to: `[^${footnotes.get(String(child.meta?.["label"])) ?? 0}]`, kind: "markup" }];
    default:
      return [];
  }
}

/** Where a link leads; an address that says more than that is shortened, and counts as hidden. */
function addressed(href: string, place: { start: number; end: number }): Cut {
  const address = shownAddress(href);
  return { ...place, to: `](${address})`, kind: address.includes("…") && !href.includes("…") ? "unshown" : "markup" };
}

/** What stands for a picture, whose other text people see only if it does not load. */
const PICTURE = "![image](…)";

function labelOf(meta: Token["meta"]): string | null {
  const label = meta?.["label"];
  return typeof label === "string" ? label : null;
}

function untitled(link: Token, { end, wordsEnd }: { end: number; wordsEnd: number }): Cut {
  const address = String(link.attrGet("href") ?? "")
    .replaceAll("(", "%28")
    .replaceAll(")", "%29");
  return { start: wordsEnd, end, to: `](${address})`, kind: "markup" };
}

/** Whether a link has no words: tags and references to blanks show nothing. */
function isUnseen(words: string): boolean {
  if (words.length > 500 || words.includes("`")) return false;
  const plain = words
    .replaceAll(/<(?!img)[^<>]*>/gi, "")
    .replaceAll(
      /&(?:#(?:8203|820[45]|160|x200b|xa0|xad|32|173)|nbsp|shy|zwj|zwnj|ZeroWidthSpace|NoBreak|ensp|emsp|thinsp);/gi,
      "",
    );
  return plain.trim() === "";
}

/** Where GitLab's attributes of a picture end, which stand in braces right behind it. */
function attributesEnd(content: string, end: number): number {
  return end + (/^\{[^}\n]{0,500}\}/.exec(content.slice(end, end + 502))?.[0].length ?? 0);
}

/** Attributes behind a picture in HTML; the tag of a link around nothing. */
function beside(
  { content: tag }: Token,
  { start, end }: Place,
  { next, content }: { next: Token | undefined; content: string },
): Cut[] {
  if (/^<img\b/i.test(tag)) return [{ start: end, end: attributesEnd(content, end), to: "", kind: "markup" }];
  const isEmpty = /^<a\s/i.test(tag) && next?.type === "html_inline" && /^<\/a/i.test(next.content);
  return isEmpty ? [{ start, end, to: "<a>", kind: "unshown" }] : [];
}

/** Formulas of GitHub and GitLab: `$…$`, `$$…$$`, and code between dollar signs. */
const FORMULA = /\$\$([^$]+)\$\$|\$`([^`]+)`\$|(?<![\w\\$])\$(?![\s$`])([^$]+)(?<![\s\\])\$(?![\w$])/g;

function hiddenInFormulas({ content, children }: Token): Cut[] {
  if (!content.includes("$")) return [];
  const code = (children ?? []).flatMap((child) => (child.type === "code_inline" ? (placeOf(child) ?? []) : []));
  let next = 0;
  return [...content.matchAll(FORMULA)].flatMap(({ 0: whole, 1: apart, 2: coded, 3: within, index }) => {
    while ((code[next]?.end ?? Number.POSITIVE_INFINITY) <= index) next += 1;
    const isCode = (code[next]?.start ?? Number.POSITIVE_INFINITY) <= index;
    const formula = apart ?? coded ?? within ?? "";
    const from = index + whole.indexOf(formula);
    const cuts = isCode ? [] : hiddenInFormula(formula);
    return cuts.map((cut) => ({ ...cut, start: from + cut.start, end: from + cut.end }));
  });
}

/** Of GitLab's `[[words|page]]`, the words are shown. */
function wikiLinks(content: string): Cut[] {
  return [...content.matchAll(/\[\[([^[\]|\n]{1,300})\|([^[\]\n]{1,500})\]\]/g)].map(
    ({ 0: whole, 1: words = "", 2: page = "", index }) => ({
      start: index + 3 + words.length,
      end: index + whole.length - 2,
      to: shownAddress(page),
      kind: "markup",
    }),
  );
}
