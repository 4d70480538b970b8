import { codeRanges } from "../../lib/markdown-offsets.ts";
import type { Token } from "../../lib/markdown.ts";
import { placeOf, placedTokens } from "../../lib/markdown-placed.ts";
import { stripHiddenCharacters } from "./hidden-characters.ts";
import { isLanguage } from "./fence-languages.ts";
import { TextLines } from "./text-lines.ts";
import { codeSpan } from "../../lib/text.ts";

/** What trackers make a link of by itself, also after a digit or within emphasis: addresses, and those of mail. */
const BARE =
  /(?<![a-z])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s<>`]{1,2000}|(?<![\w:/\\])\/\/[a-z0-9-]{1,63}\.[^\s<>`]{1,2000}|(?<![\w.+-])(?:(?:mailto|xmpp):)?[\w.+-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?\.[a-z]{2,24}(?![\w@-])(?:\/[^\s<>`]{0,500})?/gi;
const SHOWN = 200;
/** Addresses without a host lead to the tracker. */
const OWN = "https://relay.invalid";

/** The origins of these addresses of the tracker, of Relay and its operator. */
export function originsOf(addresses: readonly (string | null)[]): Set<string> {
  return new Set(addresses.flatMap((address) => (address === null ? [] : (URL.parse(address)?.origin ?? []))));
}

/** The origins that a text names, by https. */
export function originsNamed(text: string): Set<string> {
  const hosts = [...text.matchAll(BARE)].flatMap(([address]) => {
    const { host, username } =
      URL.parse(address.replace(/^(?!\w+:\/\/)/, "https://").replace(/[).,;:!?\]'"*_]+$/, "")) ?? {};
    return host === undefined || host === "" || username !== "" ? [] : [`https://${host}`];
  });
  return new Set(hosts);
}

/**
 * Makes text of links that lead anywhere else, whatever they are written with: people can still read where, but nothing
 * opens by a click (R-SAFE-7). Pictures become links or text. `removed` lists the addresses. Linear.
 */
export function foreignLinksAsText(text: string, origins: ReadonlySet<string>): { text: string; removed: string[] } {
  const removed: string[] = [];
  const isOwn = (address: string) => leadsTo(address, origins);
  const first = bareAsText(linksAsText(text, isOwn, removed), isOwn, removed);
  if (!hasForeign(first, isOwn)) return { text: first, removed };
  // References to characters, and code that ends elsewhere than it seems.
  const plain = first.replaceAll(/&(?=#|colon|sol|period|commat|Tab|NewLine|lpar|rpar|lsqb|rsqb)/g, "&amp;");
  if (!hasForeign(plain, isOwn)) return { text: plain, removed };
  const unescaped = plain.replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "");
  return {
    text: unescaped
      .replaceAll(/[[\]<]/g, "\\$&")
      .replaceAll(/:?\/\//g, ": / / ")
      .replaceAll(/www\./gi, "www ")
      .replaceAll(/(?<=[\w.+-])@(?=\w)/g, " at "),
    removed,
  };
}

/** An address of mail with nothing else in it. */
const MAIL = /^(?:mailto:)?[\w.+-]+@([a-z0-9.-]+)$/i;

function leadsTo(address: string, origins: ReadonlySet<string>): boolean {
  if (address === "") return true;
  const mail = MAIL.exec(address);
  if (mail !== null) return origins.has(`https://${(mail[1] ?? "").toLowerCase()}`);
  if (/^(?!https?:\/\/)[a-z][a-z0-9+.-]*:/i.test(address) || /^(?:[\\/]|%5c){2}/i.test(address)) return false;
  const url = URL.parse(address.replace(/^www\./i, "https://www."), OWN);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.origin === OWN || (url.protocol.startsWith("http") && origins.has(url.origin));
}

/**
 * A title or a line of a commit message without anything that a tracker makes a link of by itself (R-SAFE-7): addresses
 * lose their scheme and `www.`, those of mail their `@`. Where code marks would stand as they are. Linear.
 */
export function addressesAsWords(line: string): string {
  return line.replaceAll(BARE, (found: string) =>
    withoutScheme(found)
      .replaceAll(/:?\/\//g, " ")
      .replaceAll(/www\./gi, "www ")
      .trim(),
  );
}

function linksAsText(text: string, isOwn: (address: string) => boolean, removed: string[]): string {
  if (!/[[<]|```|~~~/.test(text)) return text;
  const lines = new TextLines(text);
  for (const token of placedTokens(text)) {
    if (token.type === "tr_open") lines.openRow(token.map);
    else if (token.type === "tr_close") lines.closeRow();
    else if (token.type === "inline") {
      const edits = (token.children ?? []).flatMap((child) => editsOf(child, token.content, isOwn, removed));
      lines.replace(token.map, token.content, edits);
    } else if (token.type === "fence") {
      // Drawn, its addresses are links.
      const found = DRAWN.test(token.info) ? foreignIn(token.content, isOwn) : [];
      removed.push(...found);
      if (found.length > 0 || !isLanguage(token.info)) lines.replaceFirst(token.map, token.info, "");
    } else if (token.type === "html_block") {
      const edits = [...token.content.matchAll(BARE)].flatMap(({ 0: found, index }) => {
        const bare = found.replace(END, "");
        if (isOwn(bare) || token.content.slice(0, index).endsWith("<code>")) return [];
        removed.push(bare);
        // Markdown's marks of code are plain words there.
        return [{ start: index, end: index + bare.length, to: `<code>${shownOf(bare)}</code>` }];
      });
      lines.replace(token.map, token.content, edits);
    } else if (token.type === "reference_definition") {
      const address = /\]:\s*<?([^\s>]+)/.exec(lines.of(token.map))?.[1] ?? "";
      if (!isOwn(address)) lines.remove(token.map);
    }
  }
  const made = lines.text();
  return made === text.replaceAll(/\r\n?/g, "\n") ? text : made;
}

function editsOf(child: Token, content: string, isOwn: (address: string) => boolean, removed: string[]) {
  const place = placeOf(child);
  if (place === null || (child.type !== "link_open" && child.type !== "image")) return [];
  const { start, end, wordsEnd } = place;
  const address = String(child.attrGet(child.type === "image" ? "src" : "href") ?? "");
  const isForeign = !isOwn(address);
  if (isForeign) removed.push(address);
  if (child.type === "image") {
    const words = child.content.replaceAll(/[[\]<`]/g, " ");
    return [{ start, end, to: isForeign ? `${words} (${asText(address)})` : `[${words}](${address})` }];
  }
  const words = content.slice(start + 1, wordsEnd);
  const isEmpty = child.markup !== "autolink" && stripHiddenCharacters(words).trim() === "";
  // Nobody sees a link without words.
  if (isEmpty) return [{ start, end, to: asText(address) }];
  if (!isForeign) return [];
  if (child.markup === "autolink") return [{ start, end, to: asText(content.slice(start + 1, end - 1)) }];
  return [
    { start, end: start + 1, to: "" },
    { start: wordsEnd, end, to: ` (${asText(address)})` },
  ];
}

/** Languages of fences that some tracker shows as a picture. */
const DRAWN = /^\s*[{.]*(?:mermaid|math|geojson|topojson|stl|plantuml|puml|kroki|dot|graphviz|d2|vega|nomnoml|json:)/i;
const END = /[).,;:!?\]'"*_|]*$/;

function foreignIn(text: string, isOwn: (address: string) => boolean): string[] {
  return [...text.matchAll(BARE)].map(([found]) => found.replace(END, "")).filter((address) => !isOwn(address));
}

/** Addresses that stand in the text as they are. */
function bareAsText(text: string, isOwn: (address: string) => boolean, removed: string[]): string {
  const code = codeRanges(text);
  let next = 0;
  return text.replaceAll(BARE, (found: string, at: number) => {
    while ((code[next]?.end ?? Infinity) <= at) next += 1;
    const range = code[next];
    // A formula is no code.
    const isCode =
      range !== undefined && range.start <= at && !(range.kind === "span" && text[range.start - 1] === "$");
    if (isCode || isOwn(found.replace(END, "")) || text.slice(Math.max(0, at - 6), at) === "<code>") return found;
    removed.push(found);
    const end = END.exec(found)?.[0] ?? "";
    const beside = `${text[at - 1] ?? ""}${text[at + found.length] ?? ""}`;
    if (beside === "``") return found;
    const address = found.slice(0, found.length - end.length);
    return `${beside.includes("`") || (range !== undefined && range.start <= at) ? withoutScheme(address) : asText(address)}${end}`;
  });
}

function withoutScheme(address: string): string {
  return address.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:www\.)*(?:(?:mailto|xmpp):)?/i, "").replaceAll("@", " at ");
}

function asText(address: string): string {
  const shown = shownOf(address);
  return shown === "…" ? shown : codeSpan(shown);
}

function shownOf(address: string): string {
  const shown = address
    .replaceAll(/[\s`|<>\\]/g, "")
    .slice(0, SHOWN)
    .toWellFormed();
  return shown.length < address.length ? `${shown}…` : shown;
}

/** Whether a tracker would show a link that leads elsewhere. */
function hasForeign(text: string, isOwn: (address: string) => boolean): boolean {
  return placedTokens(text).some(({ children }) => {
    const linked = (children ?? []).filter(({ type }) => type === "link_open" || type === "image");
    if (linked.some((child) => !isOwn(String(child.attrGet(child.type === "image" ? "src" : "href") ?? ""))))
      return true;
    const said = (children ?? []).map(({ type, content }) => (type.startsWith("text") ? content : "\n")).join("");
    return foreignIn(said, isOwn).length > 0;
  });
}
