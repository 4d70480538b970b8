import type { SiteList } from "../site-list.ts";

const RULE =
  /^[ \t]*\/\*|@(?:import|use|forward|plugin|config|reference)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:url\([ \t]*)?(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|([^"'\s;(),{}]{1,300}))/gm;
const FURTHER = /\s*,\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/y;

/**
 * CSS, Sass and Less: `@import`, `@use`, `@forward`, and what Tailwind adds to them. `text` is the part of the list's
 * text that begins at `start`.
 */
export function scanStyles(list: SiteList, text = list.text, start = 0): void {
  RULE.lastIndex = 0;
  for (let found = RULE.exec(text); found && !list.full; found = RULE.exec(text)) {
    const end = RULE.lastIndex;
    const at = start + found.index;
    if (found[0].endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      RULE.lastIndex = close + 2;
      continue;
    }
    if (list.commentedOut(at)) continue;
    list.add(asFile(found[1] ?? found[2] ?? found[3] ?? ""), at);
    FURTHER.lastIndex = end;
    for (let more = FURTHER.exec(text); more && !list.full; more = FURTHER.exec(text)) {
      list.add(asFile(more[1] ?? more[2] ?? ""), at);
      RULE.lastIndex = FURTHER.lastIndex;
    }
  }
}

/** `""` for what is computed or on another host. */
function asFile(written: string): string {
  return /^(?:https?:|\/\/|data:|sass:)|[#$@]\{|^\$/.test(written) ? "" : written;
}
