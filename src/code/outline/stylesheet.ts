import type { Found } from "./found.ts";

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;
/** Rules of one text that are kept. */
const MOST_FOUND = 10_000;
const TOKEN = /\/\*|\/\/|["'{};]|\burl\(/g;

/** Rules, mixins, functions and top variables of SCSS and Less, by their braces. */
export function rulesOf(text: string): Found[] {
  const read = text.slice(0, LONGEST_READ);
  const token = new RegExp(TOKEN);
  const found: Found[] = [];
  const open: (Found | null)[] = [];
  let start = 0;
  for (let match = token.exec(read); match && found.length < MOST_FOUND; match = token.exec(read)) {
    const at = match.index;
    switch (match[0]) {
      case "{": {
        const one = read.charAt(at - 1) === "#" || read.charAt(at - 1) === "@" ? null : ruleBetween(read, start, at);
        open.push(one);
        if (!one) break;
        found.push(one);
        start = at + 1;
        break;
      }
      case "}": {
        const one = open.pop();
        if (!one) break;
        one.to = at + 1;
        start = at + 1;
        break;
      }
      case ";": {
        const one = open.length === 0 ? variableBetween(read, start, at) : null;
        if (one) found.push(one);
        start = at + 1;
        break;
      }
      default: {
        token.lastIndex = pastQuoted(read, match[0], token.lastIndex);
        if (match[0].startsWith("/") && read.slice(start, at).trim() === "") start = token.lastIndex;
      }
    }
  }
  for (const one of open) if (one) one.to = read.length;
  return found;
}

function ruleBetween(text: string, start: number, end: number): Found | null {
  const written = text.slice(start, Math.min(end, start + 2_000));
  const name = written.trim();
  if (name === "") return null;
  const from = start + written.length - written.trimStart().length;
  const callable = /^@(?:mixin|function)\s+([\w-]+)/.exec(name)?.[1];
  return {
    name: callable ?? name,
    kind: callable === undefined ? "rule" : "function",
    from,
    to: text.length,
    owner: null,
  };
}

function variableBetween(text: string, start: number, end: number): Found | null {
  const written = text.slice(start, Math.min(end, start + 2_000));
  const name = /^\s*([$@][\w-]{1,200})\s*:/.exec(written)?.[1];
  if (name === undefined) return null;
  const from = start + written.length - written.trimStart().length;
  return { name, kind: "variable", from, to: end + 1, owner: null };
}

function pastQuoted(text: string, token: string, at: number): number {
  const closing = token === "/*" ? "*/" : token === "//" ? "\n" : token === "url(" ? ")" : token;
  const end = text.indexOf(closing, at);
  return end === -1 ? text.length : end + closing.length;
}
