import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";
import { resolveStyles, scanStyles } from "./css.ts";
import { scanEcmascript } from "./ecmascript/imports.ts";
import { resolveEcmascript } from "./ecmascript/resolve.ts";
import type { FoundDefinition, Language, Markup, Script } from "./language.ts";

const COMPONENT = {
  scanImports: scanMarkup,
  resolveImport: (tree: Tree, from: string, specifier: string) =>
    resolveEcmascript(tree, from, specifier) ?? resolveStyles(tree, from, specifier),
};

/** Pages and components, which hold scripts and styles. */
export const MARKUP: readonly Language[] = [
  {
    names: ["html"],
    markup: (text) => markupOf("html", text),
    scanImports: scanMarkup,
    resolveImport: resolveEcmascript,
  },
  { names: ["vue"], markup: (text) => markupOf("vue", text), ...COMPONENT },
  { names: ["svelte"], markup: (text) => markupOf("svelte", text), ...COMPONENT },
  { names: ["astro"], markup: (text) => markupOf("astro", text), ...COMPONENT, scanImports: scanAstro },
];

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;
/** Elements of one file; later ones are left out. */
const MOST_ELEMENTS = 200;
/** Scripts of one file. */
const MOST_SCRIPTS = 100;

interface Open {
  name: string;
  element: FoundDefinition | null;
}

/** Parses a page or component of HTML, Vue, Svelte or Astro. */
function markupOf(language: string, text: string): Markup {
  const read = text.slice(0, LONGEST_READ);
  const scripts = language === "astro" ? frontMatter(read) : [];
  const elements: FoundDefinition[] = [];
  const open: Open[] = [];
  const depths = new Map<string, number>();
  for (const tag of tagsOf(read)) {
    if (tag.kind === "close") {
      closeElement(open, depths, tag);
      const script = scripts.at(-1);
      if (tag.name === "script" && script?.text === "") script.text = read.slice(script.from, tag.from);
      continue;
    }
    const element = elements.length < MOST_ELEMENTS ? elementOf(language, tag, open.length) : null;
    if (element) elements.push(element);
    if (tag.kind === "alone") continue;
    open.push({ name: tag.name, element });
    depths.set(tag.name, (depths.get(tag.name) ?? 0) + 1);
    if (tag.name === "script" && scripts.length < MOST_SCRIPTS) {
      const written = scriptLanguage(tag.attributes);
      if (written) scripts.push({ text: "", from: tag.to, language: written });
    }
  }
  return { scripts, elements };
}

/** Closes the innermost element of that name, and unclosed ones inside it. */
function closeElement(open: Open[], depths: Map<string, number>, tag: Tag): void {
  if ((depths.get(tag.name) ?? 0) === 0) return;
  for (let last = open.pop(); last; last = open.pop()) {
    depths.set(last.name, (depths.get(last.name) ?? 1) - 1);
    if (last.name !== tag.name) continue;
    if (last.element) last.element.to = tag.to;
    return;
  }
}

function elementOf(language: string, tag: Tag, depth: number): FoundDefinition | null {
  const id = /(?:^|\s)id\s*=\s*["']?([\w:.-]{1,100})/.exec(tag.attributes)?.[1];
  const block = language === "vue" && depth === 0 && !["template", "script", "style"].includes(tag.name);
  const name = id ?? (block ? tag.name : null);
  return name === null ? null : { name, kind: "element", from: tag.from, to: tag.to, owner: null };
}

function scriptLanguage(attributes: string): Script["language"] | null {
  const value = (name: string): string | undefined =>
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']?([\\w/+.-]{1,100})`).exec(attributes)?.[1]?.toLowerCase();
  const language = value("lang");
  if (language !== undefined)
    return language.startsWith("ts") || language === "typescript" ? "typescript" : "javascript";
  const type = value("type");
  return type === undefined || /^module$|javascript|babel|jsx/.test(type) ? "javascript" : null;
}

/** The TypeScript front matter of Astro, between two lines of dashes. */
function frontMatter(text: string): Script[] {
  const match = /^\s{0,100}---[ \t]*\r?\n/.exec(text);
  if (!match) return [];
  const end = text.indexOf("\n---", match[0].length - 1);
  if (end === -1) return [];
  return [{ text: text.slice(match[0].length, end), from: match[0].length, language: "typescript" }];
}

/** A tag of HTML or of a language like it; offsets are UTF-16 units of the text, `to` excluded. */
interface Tag {
  /** In lower case. */
  name: string;
  kind: "open" | "close" | "alone";
  attributes: string;
  from: number;
  to: number;
}

/** UTF-16 units; longer tags are ignored. */
const LONGEST_TAG = 4_000;
const ALONE = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const RAW = new Set(["script", "style"]);

/** Yields all tags in order, except those in comments, scripts and styles; linear in the text. */
function* tagsOf(text: string): Generator<Tag> {
  const beginning = /<(?:!--|(\/?)([A-Za-z][\w:.-]{0,99}))/g;
  for (let match = beginning.exec(text); match; match = beginning.exec(text)) {
    if (match[2] === undefined) {
      const end = text.indexOf("-->", match.index + 4);
      if (end === -1) return;
      beginning.lastIndex = end + 3;
      continue;
    }
    const end = endOfTag(text, beginning.lastIndex);
    if (end === -1) {
      beginning.lastIndex += LONGEST_TAG;
      continue;
    }
    const attributes = text.slice(beginning.lastIndex, end);
    const name = match[2].toLowerCase();
    const alone = ALONE.has(name) || attributes.endsWith("/");
    const kind = match[1] === "/" ? "close" : alone ? "alone" : "open";
    beginning.lastIndex = end + 1;
    yield { name, kind, attributes, from: match.index, to: end + 1 };
    if (kind === "open" && RAW.has(name)) {
      const closing = name === "script" ? /<\/script/gi : /<\/style/gi;
      closing.lastIndex = end + 1;
      const closed = closing.exec(text);
      if (!closed) return;
      beginning.lastIndex = closed.index;
    }
  }
}

/** Offset of the `>` of a tag, outside of quotes; -1 if it is too far away. */
function endOfTag(text: string, start: number): number {
  let quote = "";
  for (let at = start; at < text.length && at < start + LONGEST_TAG; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return at;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

/** Elements that load another file, unlike `<a>`. */
const LOADING_ELEMENT = /<!--|<(script|style|link|img|source|iframe|embed)(?=[\s>])([^<>]{0,2000})>/gi;
const ADDRESS = /\s(?:src|href)\s{0,9}=\s{0,9}(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/i;

/** HTML, Vue and Svelte: the blocks of script and style, and `src` and `href` of elements that load a file. */
function scanMarkup(list: SiteList): void {
  const { text } = list;
  let next = 0;
  while (!list.full) {
    LOADING_ELEMENT.lastIndex = next;
    const found = LOADING_ELEMENT.exec(text);
    if (!found) return;
    next = LOADING_ELEMENT.lastIndex;
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

/** Astro has imports only in its front matter. */
function scanAstro(list: SiteList): void {
  const end = list.text.indexOf("\n---", 3);
  if (list.text.startsWith("---") && end !== -1) scanEcmascript(list, list.text.slice(3, end), 3);
}

/** A bare path is relative to the page; `""` for external and computed addresses. */
function asSpecifier(address: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)|[{}$<>]/i.test(address)) return "";
  return /^[./@~$#]/.test(address) ? address : `./${address}`;
}
