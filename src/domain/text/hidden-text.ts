/** Content that people do not see in the rendered text, but a model would read (R-SAFE-1). */
const HIDDEN_KINDS = ["comment", "zero_width", "bidi", "tag", "variation", "control"] as const;
type HiddenKind = (typeof HIDDEN_KINDS)[number];

export interface HiddenText {
  kind: HiddenKind;
  /** The hidden text itself, for tags decoded; empty for characters that only hide. At most 500 characters. */
  text: string;
  /** How many such comments or characters. */
  count: number;
}

export interface StrippedText {
  text: string;
  /** The removed parts, comments one by one, characters by kind. */
  hidden: HiddenText[];
}

const ROUNDS = 16;
const SHOWN = 500;

/**
 * Takes hidden text out. Character references are decoded first where something hidden is behind them, and
 * only there, so that ordinary `&lt;` in a report stays as written. Comments inside code are shown to people
 * and stay. Stripping the result again changes nothing. Linear in the text's length.
 */
export function stripHiddenText(original: string): StrippedText {
  const hidden: HiddenText[] = [];
  let text = stripOnce(original.toWellFormed(), hidden);
  for (let round = 0; round < ROUNDS; round += 1) {
    const decoded = decodeReferences(text);
    const behind: HiddenText[] = [];
    const stripped = stripOnce(decoded, behind);
    if (stripped === decoded) return { text, hidden: joined(hidden) };
    hidden.push(...behind);
    text = stripped;
  }
  // References to references without end are no text that a person wrote by hand.
  return { text: stripOnce(text.replaceAll("&", "＆"), hidden), hidden: joined(hidden) };
}

const INVISIBLE: readonly (readonly [HiddenKind, RegExp])[] = [
  ["tag", /[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]+/gu],
  ["variation", /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu],
  ["bidi", /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu],
  [
    "zero_width",
    /\u00ad|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\u115f\u1160\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/gu,
  ],
  // eslint-disable-next-line no-control-regex
  ["control", /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu],
];

/** Removes only the characters that hide or reorder text; for text where comments are content. */
export function stripHiddenCharacters(text: string): string {
  return INVISIBLE.reduce((left, [, pattern]) => left.replaceAll(pattern, ""), text.toWellFormed());
}

/** Characters that hide or reorder text as code writes them, such as `\u200b`: for names, which stay apart so. */
export function escapeHiddenCharacters(text: string): string {
  return INVISIBLE.reduce(
    (left, [, pattern]) => left.replaceAll(pattern, (found) => Array.from(found, escapeOf).join("")),
    text.toWellFormed(),
  );
}

function escapeOf(sign: string): string {
  const hex = (sign.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

function stripOnce(text: string, hidden: HiddenText[]): string {
  let left = text;
  for (const [kind, pattern] of INVISIBLE) {
    let count = 0;
    let content = "";
    left = left.replaceAll(pattern, (found, at: number, whole: string) => {
      if (!formsEmoji(found, at, whole)) count += 1;
      if (kind === "tag") content += fromTags(found);
      return "";
    });
    if (count > 0) hidden.push({ kind, text: content.slice(0, SHOWN), count });
  }
  // Taking a comment out can join the parts of another one.
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = withoutComments(left, hidden);
    if (without === left) return left;
    left = without;
  }
  return left.replaceAll("<!--", "< !--");
}

/** Variation selectors and joiners of emoji hide nothing; they are removed too, but not reported. */
function formsEmoji(found: string, at: number, whole: string): boolean {
  if (found !== "\u200d" && found !== "\ufe0f" && found !== "\ufe0e") return false;
  return /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\d#*]|\ufe0f)$/u.test(whole.slice(Math.max(0, at - 2), at));
}

function fromTags(text: string): string {
  return Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0) - 0xe_00_00;
    return code >= 0x20 && code < 0x7f ? String.fromCodePoint(code) : "";
  }).join("");
}

const CODE_OR_COMMENT = /<!--|`+|^[ \t>*+-]*(?:\d+[.)][ \t]+)?(?:`{3,}|~{3,})[^\n`]*$/gm;
const LONGEST_CODE_SPAN = 4_000;

/** Removes HTML comments, closed or not, and link definitions used as comments; keeps those in code. */
function withoutComments(text: string, hidden: HiddenText[]): string {
  const kept: string[] = [];
  let from = 0;
  const next = new RegExp(CODE_OR_COMMENT);
  for (let found = next.exec(text); found; found = next.exec(text)) {
    const opened = found[0];
    const after = found.index + opened.length;
    if (opened === "<!--") {
      const end = endOfComment(text, after);
      kept.push(text.slice(from, found.index));
      hidden.push({ kind: "comment", text: text.slice(after, end.inner).trim().slice(0, SHOWN), count: 1 });
      from = end.outer;
      next.lastIndex = Math.max(end.outer, after);
    } else {
      const fence = /(?:`{3,}|~{3,})(?=[^`]*$)/.exec(opened)?.[0];
      next.lastIndex =
        fence && isLineStart(text, found.index) ? endOfFence(text, after, fence) : endOfSpan(text, after, opened);
    }
  }
  kept.push(text.slice(from));
  return kept
    .join("")
    .replaceAll(/^[ ]{0,3}\[[^\]\n]{1,60}\]:[ \t]*(?:#|<>)[ \t]+(["'(])([^\n]*)$/gm, (_, _open, content: string) => {
      hidden.push({ kind: "comment", text: content.slice(0, SHOWN), count: 1 });
      return "";
    });
}

function endOfComment(text: string, after: number): { inner: number; outer: number } {
  // `<!-->` and `<!--->` are whole comments in HTML.
  const short = /^-?>/.exec(text.slice(after, after + 2));
  if (short) return { inner: after, outer: after + short[0].length };
  const end = text.indexOf("-->", after);
  const other = text.indexOf("--!>", after);
  if (other !== -1 && (end === -1 || other < end)) return { inner: other, outer: other + 4 };
  return end === -1 ? { inner: text.length, outer: text.length } : { inner: end, outer: end + 3 };
}

function isLineStart(text: string, index: number): boolean {
  return index === 0 || text[index - 1] === "\n";
}

/** After the closing fence; the text's end when there is none, as Markdown has it. */
function endOfFence(text: string, after: number, fence: string): number {
  const close = new RegExp(`^[ \\t>]*\\${fence[0]}{${fence.length},}[ \\t]*$`, "gm");
  close.lastIndex = after;
  const found = close.exec(text);
  return found ? found.index + found[0].length : text.length;
}

/** After the code span that a run of backticks opens; right after the run when it opens none. */
function endOfSpan(text: string, after: number, run: string): number {
  const paragraph = text.slice(after, after + LONGEST_CODE_SPAN).split(/\n[ \t]*\n/, 1)[0] ?? "";
  for (const found of paragraph.matchAll(/`+/g)) {
    if (found[0].length === run.length) return after + found.index + run.length;
  }
  return after;
}

const NAMED: Record<string, string> = {
  lt: "<",
  LT: "<",
  gt: ">",
  GT: ">",
  amp: "&",
  AMP: "&",
  excl: "!",
  hyphen: "-",
  dash: "-",
  num: "#",
  semi: ";",
  shy: "\u00ad",
  zwj: "\u200d",
  zwnj: "\u200c",
  lrm: "\u200e",
  rlm: "\u200f",
  ZeroWidthSpace: "\u200b",
  NegativeVeryThinSpace: "\u200b",
  NegativeThinSpace: "\u200b",
  NegativeMediumSpace: "\u200b",
  NegativeThickSpace: "\u200b",
  NoBreak: "\u2060",
  ApplyFunction: "\u2061",
  af: "\u2061",
  InvisibleTimes: "\u2062",
  it: "\u2062",
  InvisibleComma: "\u2063",
  ic: "\u2063",
};

const NESTED = 8;

/** Decodes references and references to references, as deep as any reader of the text would. */
function decodeReferences(text: string): string {
  let decoded = text;
  for (let depth = 0; depth < NESTED; depth += 1) {
    const next = decodeOnce(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

function decodeOnce(text: string): string {
  return text.replaceAll(/&(?:#[xX]([0-9a-fA-F]{1,8})|#(\d{1,8})|([A-Za-z]{2,24}));?/g, (whole, hex, decimal, name) => {
    if (typeof name === "string") return NAMED[name] ?? whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : whole;
  });
}

/** Characters of one kind add up; comments stay apart. */
function joined(hidden: readonly HiddenText[]): HiddenText[] {
  const byKind = new Map<HiddenKind, HiddenText>();
  const comments: HiddenText[] = [];
  for (const each of hidden) {
    const same = byKind.get(each.kind);
    if (each.kind === "comment") comments.push(each);
    else if (same) {
      same.count += each.count;
      same.text = (same.text + each.text).slice(0, SHOWN);
    } else byKind.set(each.kind, { ...each });
  }
  return [...comments, ...byKind.values()];
}
