import type { SiteList } from "./site-list.ts";

/**
 * How a language writes imports that can be matched line by line. Groups of the pattern: `comment` starts a block
 * comment, `name` is the imported name, `beside` is a path relative to the importing file.
 */
export interface LineForm {
  pattern: RegExp;
  /** What closes a block comment. */
  commentEnd?: string;
  /** Expands `name` to specifiers; without this it is the specifier. */
  names?: (written: string) => string[];
}

/** Names with more parts are not resolved. */
export const LONGEST_NAME = 30;

/** Creates the import scanner of a language with this form. */
export function scanLines({ pattern, commentEnd = "*/", names }: LineForm): (list: SiteList) => void {
  return (list) => {
    const { text } = list;
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
  };
}

/** Whether a match inside a line follows a `//`, `#` or `--`. */
function commented(list: SiteList, text: string, at: number): boolean {
  if (at === 0 || text[at - 1] === "\n") return false;
  const before = list.lineBefore(at);
  return before !== "" && /(?<!:)\/\/|^\s*(?:#|--|\*)/.test(before);
}

function besides(written: string): string {
  if (written.startsWith("/")) return `.${written}`;
  return written.startsWith(".") ? written : `./${written}`;
}

/**
 * Expands `a.{b, c => d}` to `a.b` and `a.c`, or splits a plain list. Local aliases (`as`, `=>`) are dropped.
 */
export function braced(written: string, separator: string): string[] {
  const open = written.indexOf("{");
  if (open === -1) return written.split(",").map(asDefined);
  const before = written.slice(0, open).trim();
  const stem = before.endsWith(separator) ? before : before + separator;
  const close = written.indexOf("}", open);
  return written
    .slice(open + 1, close === -1 ? written.length : close)
    .split(",")
    .map(asDefined)
    .filter((name) => name !== "")
    .map((name) => stem + name);
}

function asDefined(name: string): string {
  return (name.split(/\sas\s|=>/, 1)[0] ?? "").trim();
}
