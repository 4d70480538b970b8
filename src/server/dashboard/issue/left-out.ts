import { html } from "hono/html";
import { type HiddenPlace, hiddenIn } from "../../../domain/text/hidden-places.ts";
import { cut, oneLine, visible } from "../../../lib/text.ts";
import type { Markup } from "../document.ts";

const KINDS: Record<HiddenPlace["kind"], string> = {
  comment: "a comment or declaration",
  markup: "a tag, attribute, address or word after a fence",
  unshown: "contents that nobody sees",
  reference: "a definition, title or footnote",
  tag: "letters written in invisible characters",
  variation: "selectors of variants",
  bidi: "characters that reorder text",
  zero_width: "characters without width",
  control: "control characters",
};
const QUOTE = 120;

/** What nobody sees of a text, and no model got, by kind and quoted as text (R-SAFE-6); nothing where all is seen. */
export function leftOut(text: string): Markup {
  const hidden = hiddenIn(text);
  if (hidden.length === 0) return html``;
  const places = hidden.length === 1 ? "1 place" : `${hidden.length} places`;
  return html`<details class="between">
    <summary>Hidden text was left out: ${places}</summary>
    <ul>
      ${hidden.map(({ kind, text: gone, count }) => {
        const quote = cut(visible(oneLine(gone)), QUOTE);
        return html`<li>
          ${KINDS[kind]}${count > 1 ? ` (${count})` : ""}${quote === "" ? "" : html`: <code>${quote}</code>`}
        </li>`;
      })}
    </ul>
  </details>`;
}
