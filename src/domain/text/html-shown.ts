import { shownAddress } from "./shown-address.ts";

/** A part of a text that is replaced; `to` is what stays of it. */
export interface Cut {
  start: number;
  end: number;
  to: string;
  kind: "comment" | "markup" | "unshown";
}

/** Elements that trackers show as what they are; of any other only the contents are seen. */
const SHOWN = new Set(
  [
    "a b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p",
    "picture pre q rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var",
  ]
    .join(" ")
    .split(" "),
);
/**
 * Elements whose contents nobody sees, or that turn letters around. What `hidden` or a style would hide is shown: trackers
 * take these attributes away.
 */
const UNSHOWN = new Set(
  "script style template title textarea iframe noscript noembed noframes object head datalist select audio video canvas svg math xmp plaintext dialog applet map rp bdo".split(
    " ",
  ),
);
/** Of these, only the own end is read. */
const RAW = new Set("script style title textarea iframe noembed noframes noscript xmp plaintext".split(" "));
/**
 * Reads the HTML of one text, piece by piece as the Markdown reader gives it, as a browser reads what a tracker's
 * sanitizer leaves. What it cannot tell from hidden text counts as hidden. Linear.
 */
export class HtmlShown {
  /** The element, comment or quote whose end is awaited. */
  private inside: { end: string; depth: number } | null = null;
  private readonly tags: boolean;
  /** Ends that the present piece does not have from here on. */
  private readonly missing = new Set<string>();

  /** Without `tags`, only comments and declarations are taken out. */
  constructor({ tags }: { tags: boolean }) {
    this.tags = tags;
  }

  /** Whether what comes next is hidden. */
  get hides(): boolean {
    return this.inside !== null;
  }

  /** What to take out of a piece of HTML. `offset` is added to the positions. */
  read(source: string, offset: number): Cut[] {
    const cuts: Cut[] = [];
    let at = 0;
    this.missing.clear();
    while (at < source.length) {
      const next = this.inside === null ? this.shown(source, at) : this.hidden(source, at);
      if (next.cut !== null) cuts.push({ ...next.cut, start: offset + next.cut.start, end: offset + next.cut.end });
      at = next.at;
    }
    return cuts;
  }

  private shown(source: string, from: number): { at: number; cut: Cut | null } {
    const start = source.indexOf("<", from);
    if (start === -1) return { at: source.length, cut: null };
    const near = source.slice(start, start + 80);
    if (/^<[!?]/.test(near)) return this.declared(source, start);
    const [, slash = "", name = ""] = /^<(\/?)([a-z][^\s/>]{0,60})/i.exec(near) ?? [];
    if (name === "") return near.startsWith("</") ? this.declared(source, start) : { at: start + 1, cut: null };
    if (!this.tags) return { at: start + 1, cut: null };
    return this.tag(source, start, { name: name.toLowerCase(), closes: slash === "/" });
  }

  /** A comment, a declaration, an instruction. */
  private declared(source: string, start: number): { at: number; cut: Cut } {
    const isComment = source.startsWith("<!--", start);
    const short = /^<!---?>/.exec(source.slice(start, start + 6))?.[0];
    const end =
      short === undefined ? this.endOf(source, start, isComment ? ["-->", "--!>"] : [">"]) : start + short.length;
    // What Markdown takes for the whole of it may go on for a browser.
    const far = isComment ? end : Math.max(end, this.endOf(source, start, [closingOf(source, start)]));
    if (end === -1) this.inside = { end: isComment ? "-->" : ">", depth: 1 };
    const until = end === -1 ? source.length : far;
    return { at: until, cut: { start, end: until, to: "", kind: "comment" } };
  }

  /** After the nearest of the ends, or -1. */
  private endOf(source: string, start: number, ends: readonly string[]): number {
    let nearest = -1;
    for (const end of ends.filter((each) => !this.missing.has(each))) {
      const at = source.indexOf(end, start + 2);
      if (at === -1) this.missing.add(end);
      else if (nearest === -1 || at + end.length < nearest) nearest = at + end.length;
    }
    return nearest;
  }

  private tag(
    source: string,
    start: number,
    { name, closes }: { name: string; closes: boolean },
  ): { at: number; cut: Cut | null } {
    const rest = new RegExp(/(?:"[^"]*"|'[^']*'|[^'">])*>/y);
    rest.lastIndex = start + 1 + name.length + (closes ? 1 : 0);
    const isWhole = rest.test(source);
    const end = isWhole ? rest.lastIndex : source.length;
    const written = source.slice(start, end);
    const attributes = written
      .slice(name.length + (closes ? 2 : 1))
      .replace(/\/?>$/, "")
      .trim();
    if (!isWhole) {
      const [quote] = attributes.match(/["']/g)?.slice(-1) ?? [];
      if (quote !== undefined) this.inside = { end: quote, depth: 1 };
      return { at: end, cut: { start, end, to: "", kind: "markup" } };
    }
    if (UNSHOWN.has(name) && !closes) {
      this.inside = { end: name, depth: 1 };
      return { at: end, cut: { start, end, to: "", kind: "unshown" } };
    }
    const isUnseen = name === "a" && !closes && /^\s{0,100}<\/a/i.test(source.slice(end, end + 104));
    if (isUnseen) return { at: end, cut: { start, end, to: "<a>", kind: "unshown" } };
    const to = shownTag(written, { name, closes, attributes });
    const sized = name === "img" ? (/^\{[^}\n]{0,500}\}/.exec(source.slice(end, end + 502))?.[0].length ?? 0) : 0;
    if (sized > 0) return { at: end + sized, cut: { start, end: end + sized, to, kind: "markup" } };
    return { at: end, cut: to === written ? null : { start, end, to, kind: "markup" } };
  }

  /** Goes on to the end of what hides, if it is in this piece. */
  private hidden(source: string, from: number): { at: number; cut: Cut | null } {
    const until = this.leave(source, from);
    return { at: until, cut: { start: from, end: until, to: "", kind: "unshown" } };
  }

  private leave(source: string, from: number): number {
    if (this.inside === null) return from;
    const { end } = this.inside;
    if (!/^[a-z]/.test(end)) {
      const at = source.indexOf(end, from);
      if (at === -1) return source.length;
      this.inside = null;
      const tagEnd = end === "-->" || end === ">" ? at + end.length : source.indexOf(">", at) + 1;
      return tagEnd > at ? tagEnd : source.length;
    }
    for (const tag of tagsNamed(source, end, from)) {
      if (tag.closes) this.inside.depth -= 1;
      else if (!RAW.has(end)) this.inside.depth += 1;
      if (this.inside.depth > 0) continue;
      this.inside = null;
      return tag.end;
    }
    return source.length;
  }
}

function* tagsNamed(source: string, name: string, from: number): Generator<{ end: number; closes: boolean }> {
  const tag = new RegExp(`<(/?)${name.replaceAll(/[^a-z0-9]/g, "\\$&")}(?=[\\s/>])[^>]{0,300}>`, "gi");
  tag.lastIndex = from;
  for (let found = tag.exec(source); found !== null; found = tag.exec(source))
    yield { end: tag.lastIndex, closes: found[1] === "/" };
}

function shownTag(
  written: string,
  { name, closes, attributes }: { name: string; closes: boolean; attributes: string },
): string {
  if (!SHOWN.has(name)) return "";
  const bare = /^<\/?[a-z][a-z0-9]*\s{0,3}\/?>$/i.test(written);
  if (bare) return written;
  const [, double, single, plain] = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? [];
  const address = name === "a" && !closes ? shownAddress(double ?? single ?? plain ?? "") : "";
  return closes ? `</${name}>` : `<${name}${address === "" ? "" : ` href="${address}"`}>`;
}

/** What ends a declaration in Markdown. */
function closingOf(source: string, start: number): string {
  if (source.startsWith("<![CDATA[", start)) return "]]>";
  return source.startsWith("<?", start) ? "?>" : ">";
}
