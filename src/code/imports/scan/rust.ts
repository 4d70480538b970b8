import type { SiteList } from "../site-list.ts";

const VISIBLE = String.raw`(?:pub(?:[ \t]{0,9}\([^()\n]{0,80}\))?[ \t]{1,9})?`;
const ATTRIBUTES = String.raw`(?:#\[[^\]\n]{0,200}\][ \t]{0,9}){0,5}`;
const TOKEN = new RegExp(
  String.raw`^[ \t]*\/\*|^([ \t]*)${ATTRIBUTES}${VISIBLE}(?:use[ \t\n]+|extern[ \t]+crate[ \t]+([\w]{1,100})|mod[ \t]+(?:r#)?([\w]{1,100})[ \t\n]{0,20}([;{]))|\binclude(?:_str|_bytes)?![ \t]{0,9}\([ \t\n]{0,40}"([^"\n]{1,300})"`,
  "gm",
);
const PATH_ATTRIBUTE =
  /#\[path[ \t]{0,9}=[ \t]{0,9}"([^"\n]{1,280})"\]\s*(?:#\[[^\]\n]{0,200}\]\s*){0,9}(?:pub[^\n]{0,90})?$/;
const COMMENT = /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g;
const LONGEST_TREE = 20_000;
const DEEPEST_TREE = 20;

/** A module with its body in this file: from its brace to the `}` that stands as far left as its `mod`. */
interface InlineModule {
  indent: string;
  end: number;
}

/**
 * Rust: `use a::{b, c::d}` is `a::b` and `a::c::d`; `mod x;` is `self::x`, or `./y.rs` where an attribute says so.
 * In a module written within the file, `super::` is taken off once: it is seen from the file.
 */
export function scanRust(list: SiteList): void {
  const { text } = list;
  let inline: InlineModule[] = [];
  let semicolon = -1;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found && !list.full; found = TOKEN.exec(text)) {
    const at = found.index;
    const end = TOKEN.lastIndex;
    const [whole, indent = "", crate, module, opening, included] = found;
    if (whole.endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      TOKEN.lastIndex = close + 2;
      continue;
    }
    inline = inline.filter((around) => around.end > at);
    if (included !== undefined) {
      if (!list.commentedOut(at)) list.add(`./${included}`, at);
    } else if (crate !== undefined) list.add(crate, at + indent.length);
    else if (opening === "{") {
      if (inline.every((around) => around.indent.length < indent.length)) {
        inline.push({ indent, end: indexOrEnd(text, `\n${indent}}`, end) });
      }
    } else if (module !== undefined) {
      const path = PATH_ATTRIBUTE.exec(text.slice(Math.max(0, at - 600), at + whole.lastIndexOf("mod")))?.[1];
      list.add(path === undefined ? `self::${module}` : `./${path}`, at + indent.length);
    } else {
      // Asked again only behind the last one, so that a text without any is not searched for every `use`.
      if (semicolon < end) semicolon = indexOrEnd(text, ";", end);
      if (semicolon === text.length || semicolon - end > LONGEST_TREE) continue;
      TOKEN.lastIndex = semicolon;
      for (const path of useTree(text.slice(end, semicolon))) {
        const seen = seenFromFile(path, inline.length);
        if (seen !== null) list.add(seen, at + indent.length);
      }
    }
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
}

/** A path of an inner module as the file would write it; `null` for what lies within the file. */
function seenFromFile(path: string, depth: number): string | null {
  if (depth === 0) return path;
  const names = path.split("::");
  const up = names.findIndex((name) => name !== "super");
  const supers = up === -1 ? names.length : up;
  if (supers === 0) return names[0] === "self" ? null : path;
  if (supers > depth) return names.slice(depth).join("::");
  return supers === depth && up !== -1 ? ["self", ...names.slice(depth)].join("::") : null;
}

/** The paths of `a::{b, c::{self, d as e}, *}`, without what they are called here. */
function useTree(written: string): string[] {
  const paths: string[] = [];
  const around: string[] = [""];
  let part = "";
  const finish = (): void => {
    const name = (part.split(/\sas\s/, 1)[0] ?? "").replace(/\s|r#/g, "");
    part = "";
    if (!/^[\p{L}\p{N}_:*]+$/u.test(name)) return;
    const path = `${around.at(-1) ?? ""}${name}`;
    paths.push(path.replace(/::(?:\*|self)$/, "").replace(/^::/, ""));
  };
  for (const character of written.replace(COMMENT, "")) {
    if (character === "{") {
      if (around.length > DEEPEST_TREE) return paths;
      around.push(`${around.at(-1) ?? ""}${part.replace(/\s|r#/g, "")}`.slice(0, 400));
      part = "";
    } else if (character === "}") {
      finish();
      if (around.length > 1) around.pop();
    } else if (character === ",") finish();
    else part += character;
  }
  finish();
  return paths;
}
