import { raw } from "hono/html";
import { newParser } from "../../lib/markdown.ts";
import type { Markup } from "./document.ts";

/** Tags that Relay's own comments use, as they write them: without attributes. */
const TAGS = /<!--[^]*?-->|<(\/?)(details|summary|sub|sup|kbd)>|<br ?\/?>/gi;

const reader = newParser().set({ linkify: true });
const { escapeHtml } = reader.utils;

/** Which tags of the text being rendered are open, so that they end with it. */
let tags: string[] = [];

function plainTags(text: string): string {
  let written = "";
  let from = 0;
  for (const found of text.matchAll(TAGS)) {
    written += escapeHtml(text.slice(from, found.index));
    from = found.index + found[0].length;
    const [whole, slash = "", name] = found;
    if (name === undefined) written += whole.startsWith("<!--") ? "" : "<br>";
    else if (slash === "") {
      tags.push(name.toLowerCase());
      written += `<${name.toLowerCase()}>`;
    } else if (tags.at(-1) === name.toLowerCase()) {
      tags.pop();
      written += `</${name.toLowerCase()}>`;
    }
  }
  return written + escapeHtml(text.slice(from));
}

reader.renderer.rules["html_block"] = (tokens, index) => plainTags(tokens[index]?.content ?? "");
reader.renderer.rules["html_inline"] = (tokens, index) => plainTags(tokens[index]?.content ?? "");
// A picture from elsewhere would tell its server who reads this.
reader.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const address = String(token?.attrGet("src") ?? "");
  return `<a href="${escapeHtml(address)}" rel="noreferrer nofollow">${escapeHtml(token?.content || address)}</a>`;
};
// On a phone a table is wider than the page: it scrolls by itself.
reader.renderer.rules["table_open"] = () => `<div class="wide" tabindex="0"><table>`;
reader.renderer.rules["table_close"] = () => "</table></div>";
const linkOpen = reader.renderer.rules["link_open"];
reader.renderer.rules["link_open"] = (tokens, index, options, env, self) => {
  tokens[index]?.attrSet("rel", "noreferrer nofollow");
  return linkOpen?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
};

/** Longer texts are cut, and say so. */
const LONGEST = 200_000;

/**
 * Markdown by anybody as markup that runs nothing and loads nothing (R-SAFE-4): HTML stands as text but for the few
 * tags that Relay's own comments use, pictures become links, and comments are left out.
 */
export function markdown(text: string): Markup {
  return raw(rendered(reader.parse(shortened(text), {})));
}

/**
 * The same, with each section of the second level in an element of its own. `classOf` gives the class by the line of
 * the heading, from 1; the first element of a class also has it as its id.
 */
export function markdownSections(text: string, classOf: (line: number) => string | null): Markup {
  const tokens = reader.parse(shortened(text), {});
  const starts = tokens.flatMap(({ type, tag, level }, at) =>
    type === "heading_open" && tag === "h2" && level === 0 ? [at] : [],
  );
  const known = new Set<string>();
  const sections = starts.map((start, at) => {
    const name = classOf((tokens[start]?.map?.[0] ?? 0) + 1);
    const isFirst = name !== null && !known.has(name);
    if (name !== null) known.add(name);
    const opening = name === null ? "<section>" : `<section class="${name}"${isFirst ? ` id="${name}"` : ""}>`;
    return `${opening}${rendered(tokens.slice(start, starts[at + 1]))}</section>`;
  });
  return raw(rendered(tokens.slice(0, starts[0])) + sections.join(""));
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}\n\n…` : text;
}

function rendered(tokens: ReturnType<typeof reader.parse>): string {
  tags = [];
  const markup = reader.renderer.render(tokens, reader.options, {});
  const ends = tags.toReversed().map((name) => `</${name}>`);
  return markup + ends.join("");
}
