import type { Token } from "../../lib/markdown.ts";
import { placeOf, placedTokens } from "../../lib/markdown-placed.ts";
import { TextLines } from "./text-lines.ts";

/** What Relay itself writes, without attributes. */
const OWN = /^<\/?(?:details|summary|code|sub|sup|br|kbd)\s?\/?>/i;
const TAG = /<(?=[a-z/!?])/gi;
const ROUNDS = 4;

/** Tags as text, but for those of Relay's own, so that nothing hides in attributes and nothing is loaded (R-SAFE-6). */
export function tagsAsText(text: string): string {
  let current = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = once(current);
    if (next === current) return current;
    current = next;
  }
  return current.replaceAll("<", "&lt;");
}

function once(text: string): string {
  if (!text.includes("<")) return text;
  const lines = new TextLines(text);
  for (const token of placedTokens(text)) {
    if (token.type === "tr_open") lines.openRow(token.map);
    else if (token.type === "tr_close") lines.closeRow();
    else if (token.type === "html_block") lines.replace(token.map, token.content, editsIn(token.content, 0));
    else if (token.type === "inline")
      lines.replace(token.map, token.content, [
        ...(token.children ?? []).flatMap(editsOf),
        // Before the marker that Relay appends, no comment begins.
        ...(token.content.includes("<!--") ? unclosed(token) : []),
      ]);
  }
  const made = lines.text();
  return made === text.replaceAll(/\r\n?/g, "\n") ? text : made;
}

function editsOf(child: Token) {
  const place = placeOf(child);
  return child.type === "html_inline" && place !== null ? editsIn(child.content, place.start) : [];
}

function editsIn(html: string, offset: number) {
  return [...html.matchAll(TAG)]
    .filter(({ index }) => !OWN.test(html.slice(index, index + 20)))
    .map(({ index }) => ({ start: offset + index, end: offset + index + 1, to: "&lt;" }));
}

/** Openers of comments in plain words; those in code are shown. */
function unclosed({ content, children }: Token) {
  const places = (children ?? []).flatMap((child) =>
    child.type === "code_inline" || child.type === "html_inline" ? (placeOf(child) ?? []) : [],
  );
  let next = 0;
  return [...content.matchAll(/<!--/g)].flatMap(({ index }) => {
    while ((places[next]?.end ?? Infinity) <= index) next += 1;
    const isWithin = (places[next]?.start ?? Infinity) <= index;
    return isWithin ? [] : [{ start: index, end: index + 1, to: "&lt;" }];
  });
}
