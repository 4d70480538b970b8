import { LineMap } from "../outline/line-map.ts";
import type { FoundDefinition, Language } from "./language.ts";

export const MARKDOWN: Language = { names: ["markdown"], definitions: headingsOf };

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;

/**
 * Headings, each up to the next one of the same or a higher level. Ignores fences, HTML, lists, quotes and front
 * matter.
 */
async function headingsOf(text: string): Promise<FoundDefinition[]> {
  const { blockTokens } = await import("../../lib/markdown.ts");
  const read = text.slice(0, LONGEST_READ);
  const lines = new LineMap(read);
  const found: FoundDefinition[] = [];
  const open: { level: string; found: FoundDefinition }[] = [];
  const tokens = blockTokens(withoutFrontMatter(read));
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "heading_open" || token.level > 0) continue;
    const from = lines.startOf((token.map?.[0] ?? 0) + 1);
    for (let last = open.at(-1); last && last.level >= token.tag; last = open.at(-1)) {
      last.found.to = from;
      open.pop();
    }
    const name = tokens[at + 1]?.content ?? "";
    const one: FoundDefinition = { name, kind: "heading", from, to: read.length, owner: null };
    open.push({ level: token.tag, found: one });
    found.push(one);
  }
  return found;
}

/** Blanks front matter without moving lines. A thematic break looks the same; only keys make it front matter. */
function withoutFrontMatter(text: string): string {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)?.[0];
  if (match === undefined || !/^\w[\w -]*:/m.test(match)) return text;
  return match.replaceAll(/[^\n]/g, " ") + text.slice(match.length);
}
