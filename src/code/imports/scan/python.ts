import type { SiteList } from "../site-list.ts";

/** Strings and comments to step over, and the beginnings of imports. */
const TOKEN =
  /"""|'''|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|#[^\n]*|(?:^|[;:])[ \t]{0,200}(?:c?import|from)(?=[ \t.\\])/gm;
const FROM =
  /[ \t]{0,20}(\.{0,30})[ \t]{0,20}([^\s.,;#()"'\\][^\s,;#()"'\\]{0,300})?[ \t\\\r\n]{0,20}\bc?import\b[ \t]{0,20}/y;
const LONGEST_LIST = 20_000;

/**
 * Python: `import a.b` is `a.b`; `from a import b` is `a.b`, as nobody can tell from the text whether `b` is a module;
 * `from . import x` is `.x`.
 */
export function scanPython(list: SiteList): void {
  const { text } = list;
  let next = 0;
  while (!list.full) {
    TOKEN.lastIndex = next;
    if (!TOKEN.test(text)) return;
    const end = TOKEN.lastIndex;
    next = end;
    const last = text[end - 1];
    if (last === '"' || last === "'") {
      const quotes = last + last + last;
      if (text.startsWith(quotes, end - 3)) next = endOfLongString(text, quotes, end);
    } else if (last === "t" && text.startsWith("import", end - 6)) {
      for (const name of namesAt(text, end)) list.add(name, end);
    } else if (last === "m" && text.startsWith("from", end - 4)) {
      FROM.lastIndex = end;
      const found = FROM.exec(text);
      if (!found) continue;
      const module = `${found[1] ?? ""}${found[2] ?? ""}`;
      if (module === "") continue;
      for (const name of namesAt(text, FROM.lastIndex)) list.add(member(module, name), end);
    }
  }
}

function member(module: string, name: string): string {
  if (name === "*") return module;
  return module.endsWith(".") ? module + name : `${module}.${name}`;
}

function endOfLongString(text: string, quotes: string, from: number): number {
  for (let at = text.indexOf(quotes, from); at !== -1; at = text.indexOf(quotes, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + quotes.length;
  }
  return text.length;
}

/** The names of a list in brackets or up to the end of its logical line, without what they are called here. */
function namesAt(text: string, at: number): string[] {
  const bracket = text[at] === "(";
  const ahead = text.slice(bracket ? at + 1 : at, at + LONGEST_LIST);
  const end = bracket ? ahead.indexOf(")") : endOfLogicalLine(ahead);
  if (end === -1) return [];
  const written = ahead.slice(0, end);
  return written
    .replace(/#[^\n]*|[\\()]/g, " ")
    .split(",")
    .map((name) => name.trim().split(/\s/, 1)[0] ?? "")
    .filter((name) => /^[\p{L}_*.][\p{L}\p{N}_.]*$/u.test(name));
}

function endOfLogicalLine(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === ";" || character === "#") return at;
    if (character === "\n" && !/\\\r?$/.test(text.slice(Math.max(0, at - 2), at))) return at;
  }
  return text.length;
}
