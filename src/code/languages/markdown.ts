import { LineMap } from "../outline/line-map.ts";
import type { Found, Language } from "./language.ts";

export const MARKDOWN: Language = { names: ["markdown"], definitions: headingsOf };

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;

/**
 * Headings, each to the next of the same or a higher level. What a reader of Markdown takes for something else is
 * none: what stands in a fence, in HTML, in a list or a quote, in the front matter.
 */
async function headingsOf(text: string): Promise<Found[]> {
  const { blockTokens } = await import("../../lib/markdown.ts");
  const read = text.slice(0, LONGEST_READ);
  const lines = new LineMap(read);
  const found: Found[] = [];
  const open: { level: string; found: Found }[] = [];
  const tokens = blockTokens(withoutFrontMatter(read));
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "heading_open" || token.level > 0) continue;
    const from = lines.startOf((token.map?.[0] ?? 0) + 1);
    for (let last = open.at(-1); last && last.level >= token.tag; last = open.at(-1)) {
      last.found.to = from;
      open.pop();
    }
    const name = tokens[at + 1]?.content ?? "";
    const one: Found = { name, kind: "heading", from, to: read.length, owner: null };
    open.push({ level: token.tag, found: one });
    found.push(one);
  }
  return found;
}

/** Of the same length and lines. A rule at the top looks the same; only keys make it front matter. */
function withoutFrontMatter(text: string): string {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)?.[0];
  if (match === undefined || !/^\w[\w -]*:/m.test(match)) return text;
  return match.replaceAll(/[^\n]/g, " ") + text.slice(match.length);
}
