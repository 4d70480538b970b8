import type { SiteList } from "../site-list.ts";

/** Imports come before everything else, so the first declaration ends the search. */
const TOKEN =
  /^(?:[ \t]*\/\*|import[ \t]*(\()|import[ \t]+(?:[\w.]+[ \t]+)?["`]([^"`\n]{1,300})["`]|(?:func|type|var|const)\b)/gm;
const LINE = /^[ \t]*(?:[\p{L}\w.]+[ \t]+)?["`]([^"`\n]{1,300})["`]/gmu;

/** Go: single imports and blocks of them. */
export function scanGo(list: SiteList): void {
  const { text } = list;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found && !list.full; found = TOKEN.exec(text)) {
    const end = TOKEN.lastIndex;
    if (found[2] !== undefined) list.add(found[2], found.index);
    else if (found[0].endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      TOKEN.lastIndex = close + 2;
    } else if (found[1] !== undefined) {
      const close = text.indexOf(")", end);
      const block = text.slice(end, close === -1 ? text.length : close);
      for (const line of block.matchAll(LINE)) list.add(line[1] ?? "", end + line.index + line[0].length);
      TOKEN.lastIndex = end + block.length;
    } else return;
  }
}
