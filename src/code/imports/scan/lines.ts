import type { SiteList } from "../site-list.ts";
import type { LineForm } from "./line-forms.ts";

/** Gathers the imports of a language that writes them on lines of their own. */
export function scanLines(list: SiteList, form: LineForm): void {
  const { text } = list;
  const { pattern, commentEnd = "*/", names } = form;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found && !list.full; found = pattern.exec(text)) {
    const end = pattern.lastIndex;
    if (found.groups?.["comment"] !== undefined) {
      const close = text.indexOf(commentEnd, end);
      if (close === -1) return;
      pattern.lastIndex = close + commentEnd.length;
      continue;
    }
    const at = found.index + (found[0].startsWith("\n") ? 1 : 0);
    if (commented(list, text, at)) continue;
    const name = found.groups?.["name"];
    const beside = found.groups?.["beside"];
    if (beside !== undefined) list.add(besides(beside), at);
    else if (name !== undefined) for (const one of names?.(name) ?? [name.trim()]) list.add(one, at);
  }
}

/** Forms that may stand within a line can stand behind a `//`, `#` or `--`; the others begin their line. */
function commented(list: SiteList, text: string, at: number): boolean {
  if (at === 0 || text[at - 1] === "\n") return false;
  const before = list.lineBefore(at);
  return before !== "" && /(?<!:)\/\/|^\s*(?:#|--|\*)/.test(before);
}

function besides(written: string): string {
  if (written.startsWith("/")) return `.${written}`;
  return written.startsWith(".") ? written : `./${written}`;
}
