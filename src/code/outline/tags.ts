/** A tag of HTML or of a language like it; offsets are UTF-16 units of the text, `to` excluded. */
export interface Tag {
  /** In lower case. */
  name: string;
  kind: "open" | "close" | "alone";
  attributes: string;
  from: number;
  to: number;
}

/** UTF-16 units of one tag; what is longer is none. */
const LONGEST_TAG = 4_000;
const ALONE = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const RAW = new Set(["script", "style"]);

/** All tags in order, without those in comments, scripts and styles; each character is looked at a few times only. */
export function* tagsOf(text: string): Generator<Tag> {
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

/** Where the `>` of a tag stands, outside of quotes; -1 if that is too far away. */
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
