const repeated = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
const nested = (open: string, close: string) => (size: number) => {
  const depth = Math.floor(size / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
};

/** Kinds of text that readers stumble over, each as long as asked, in characters. */
export const READER_TEXTS: Readonly<Record<string, (size: number) => string>> = {
  prose: repeated("The total of an empty cart is wrong since version 1.2. It should be 0, not an error.\n\n"),
  "one long line": repeated("the total is wrong and "),
  "one word": repeated("a"),
  base64: repeated("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw"),
  hex: repeated("9f86d081884c7d659a2feaa0c55ad015"),
  "comment openers": repeated("<!--"),
  comments: repeated("<!-- a -->\n"),
  "escaped openers": repeated("&lt;!--"),
  "open tags": repeated("<a "),
  "tags with open quotes": repeated('<a href="'),
  elements: nested("<div>\n", "</div>\n"),
  "open brackets": repeated("["),
  "nested brackets": nested("[", "]"),
  links: repeated("[a](https://a.b/c) "),
  "open links": repeated("[a]("),
  "open pictures": repeated("!["),
  definitions: repeated("[a]: b\n"),
  footnotes: repeated("[^a]: b\n"),
  "footnote references": repeated("[^a]"),
  backticks: repeated("`"),
  "runs of backticks": (size) => {
    let text = "";
    for (let run = 1; text.length < size; run = (run % 60) + 1) text += `${"`".repeat(run)}a`;
    return text.slice(0, size);
  },
  fences: repeated("```\n"),
  tildes: repeated("~"),
  pipes: repeated("|"),
  rows: repeated("|a|b|\n|-|-|\n"),
  quotes: repeated("> "),
  "quoted lines": repeated("> a\n"),
  lists: repeated("- a\n"),
  "nested lists": (size) => {
    let text = "";
    for (let depth = 0; text.length < size; depth = (depth + 1) % 40) text += `${"  ".repeat(depth)}- a\n`;
    return text.slice(0, size);
  },
  stars: repeated("*"),
  emphasis: repeated("*a _b "),
  "bold openers": repeated("**a"),
  underscores: repeated("_a"),
  headings: repeated("a\n=\n"),
  rules: repeated("---\n"),
  entities: repeated("&amp;"),
  ampersands: repeated("&"),
  addresses: repeated("https://a.b/c?d=e "),
  "one address": (size) => `https://a.b/${"c/".repeat(size / 2)}`.slice(0, size),
  mentions: repeated("@a "),
  "mentions and dots": repeated("@a......"),
  tabs: repeated("\ta"),
  blanks: repeated(" "),
  "blanks between words": (size) => `a${" ".repeat(size - 2)}b`,
  "empty lines": repeated("\n"),
  "carriage returns": repeated("a\r"),
  "combining marks": repeated("e\u0301\u0302\u0303"),
  "joined emoji": repeated("\u{1f468}\u200d\u{1f469}\u200d\u{1f467} "),
  "zero width": repeated("a\u200b"),
  "right to left": repeated("\u05d0\u05d1\u05d2 \u0627\u0628 "),
  ideographs: repeated("\u6f22\u5b57\u4eee\u540d\u3002"),
  Cyrillic: repeated(
    "\u0418\u0442\u043e\u0433 \u043a\u043e\u0440\u0437\u0438\u043d\u044b \u043d\u0435\u0432\u0435\u0440\u0435\u043d. ",
  ),
  JSON: repeated('{"a":[{"b":"c"}],'),
  XML: nested("<a><b c='d'>", "</b></a>"),
  dollars: repeated("$a "),
  formulas: repeated("$x % y$ "),
  assignments: repeated("password=abc123XYZ "),
  "quoted strings": repeated("\"a\" 'b' "),
  "open quotes": repeated('"'),
  braces: repeated("{"),
  parentheses: repeated("("),
  backslashes: repeated("\\"),
  paths: repeated("src/a/b.ts:12 "),
  "stack frames": repeated("    at f (src/a.ts:1:2)\n"),
  "log lines": repeated("2026-01-01T00:00:00Z ERROR a: b failed\n"),
  diff: repeated("@@ -1,2 +1,2 @@\n-a\n+b\n"),
  "yes and no": repeated("yes but no, go ahead, wait. "),
  mail: repeated("On Mon, Jan 1, 2026 at 10:00 Ann <a@b.c> wrote:\n> a\n"),
  digits: repeated("1"),
  dots: repeated("."),
  dashes: repeated("-"),
  commas: repeated("a, "),
  hashes: repeated("#"),
  colons: repeated(":"),
  "at signs": repeated("@"),
};
