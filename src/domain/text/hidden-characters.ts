/** Characters that people do not see, by what they do. */
const KINDS = ["tag", "variation", "bidi", "zero_width", "control"] as const;
export type HiddenCharacterKind = (typeof KINDS)[number];

/** Scripts whose letters are joined or kept apart by a character without width. */
const JOINED = [
  "Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam",
  "Sinhala Khmer Myanmar Tibetan Balinese Javanese Sundanese Thaana Adlam Phags_Pa Tirhuta Grantha",
]
  .join(" ")
  .split(" ")
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** Joiners and selectors where letters and emoji need them, and the flags that are written in tags. */
const NEEDED = [
  `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`,
  "(?<=\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier})\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=(?!\\p{ASCII})\\p{Emoji}|[\\u2194-\\u21aa])[\\ufe0e\\ufe0f]",
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
  "(?<=\\p{Script=Mongolian})[\\u180b-\\u180e](?=\\p{Script=Mongolian}|\\P{L}|$)",
  "(?<=\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073}))\\u{e007f}",
  "(?<=\\u{1f3f4})\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})(?=\\u{e007f})",
];

const PATTERNS: Readonly<Record<HiddenCharacterKind, string>> = {
  tag: "[\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]+",
  variation: "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
  bidi: "[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]",
  // Those without width, fillers that look like nothing, and marks of other programs.
  zero_width:
    "\\p{Default_Ignorable_Code_Point}|\\p{Co}|[\\u2800\\u206a-\\u206f\\ufff9-\\ufffc\\u{1d159}\\u{13430}-\\u{1343f}]",
  control: "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]",
};

/** The one list of what people cannot see, for what comes in and for what goes out (R-SAFE-6). */
const HIDDEN = new RegExp(
  [`(?<needed>${NEEDED.join("|")})`, ...KINDS.map((kind) => `(?<${kind}>${PATTERNS[kind]})`)].join("|"),
  "gu",
);
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/** Replaces all that people cannot see; joiners that scripts and emoji need stay. Linear in the text. */
export function replaceHiddenCharacters(
  text: string,
  by: (found: string, kind: HiddenCharacterKind) => string,
): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replaceAll(HIDDEN, (found: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    if (typeof groups !== "object" || groups === null || Reflect.get(groups, "needed") !== undefined) return found;
    return by(found, KINDS.find((kind) => Reflect.get(groups, kind) !== undefined) ?? "control");
  });
}

/** Removes only the characters that hide or reorder text; for text where comments are content. */
export function stripHiddenCharacters(text: string): string {
  return replaceHiddenCharacters(text, () => "");
}

/** Whether people see nothing of a text: it has only blanks and characters that are not shown. */
export function isBlank(text: string): boolean {
  return stripHiddenCharacters(text).trim() === "";
}

/** Characters that hide or reorder text as code writes them, such as `\u200b`: for names, which stay apart so. */
export function escapeHiddenCharacters(text: string): string {
  return replaceHiddenCharacters(text, (found) => Array.from(found, escapeOf).join(""));
}

function escapeOf(sign: string): string {
  const hex = (sign.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** What tag characters say. */
export function fromTags(text: string): string {
  return Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0) - 0xe_00_00;
    return code >= 0x20 && code < 0x7f ? String.fromCodePoint(code) : "";
  }).join("");
}
