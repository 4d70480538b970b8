import type { SiteList } from "../site-list.ts";
import { scanEcmascript } from "./ecmascript.ts";
import { scanStyles } from "./styles.ts";

/** Elements that bring another file in; a link for people to follow is none. */
const ELEMENT = /<!--|<(script|style|link|img|source|iframe|embed)(?=[\s>])([^<>]{0,2000})>/gi;
const ADDRESS = /\s(?:src|href)\s{0,9}=\s{0,9}(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/i;

/** HTML, Vue and Svelte: the blocks of script and style, and `src` and `href` of elements that load a file. */
export function scanMarkup(list: SiteList): void {
  const { text } = list;
  let next = 0;
  while (!list.full) {
    ELEMENT.lastIndex = next;
    const found = ELEMENT.exec(text);
    if (!found) return;
    next = ELEMENT.lastIndex;
    if (found[0] === "<!--") {
      const close = text.indexOf("-->", next);
      if (close === -1) return;
      next = close + 3;
      continue;
    }
    const address = ADDRESS.exec(found[2] ?? "");
    const written = address?.[1] ?? address?.[2];
    if (written !== undefined) list.add(asSpecifier(written), found.index);
    const element = (found[1] ?? "").toLowerCase();
    if ((element !== "script" && element !== "style") || found[0].endsWith("/>")) continue;
    const close = text.indexOf(`</${element}`, next);
    const end = close === -1 ? text.length : close;
    if (element === "script") scanEcmascript(list, text.slice(next, end), next);
    else scanStyles(list, text.slice(next, end), next);
    next = end;
  }
}

/** Astro: its code stands between two fences at the top, imports nowhere else. */
export function scanAstro(list: SiteList): void {
  const end = list.text.indexOf("\n---", 3);
  if (list.text.startsWith("---") && end !== -1) scanEcmascript(list, list.text.slice(3, end), 3);
}

/** An address without its own folder is relative to the page; `""` for one that leads out or is computed. */
function asSpecifier(address: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)|[{}$<>]/i.test(address)) return "";
  return /^[./@~$#]/.test(address) ? address : `./${address}`;
}
