import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { RelayError } from "../../lib/errors.ts";

/**
 * Untrusted text for a prompt, between two lines that only Relay can write (R-SAFE-1).
 *
 *     <<<comment by @ada q3k9…
 *     the text
 *     q3k9…>>>
 *
 * Removes what people do not see of it; with `tags` false, as for Relay's own words, only what no tag hides. Breaks up
 * the boundary, and every line that looks like a fence with any boundary, so that a text cannot end its fence even if
 * its author knows the boundary: it may stay the same for as long as a prompt is to be cached (R-PLAN-11). Reduces the
 * label to one line, since it may hold untrusted names.
 */
export function fence(label: string, text: string, boundary: string, { tags = true } = {}): string {
  return enclosed(label, text, boundary, (each) => stripHiddenText(each, { tags }).text);
}

/**
 * Like `fence`, for code and Relay's own data, where comments and tags are content: removes only characters that hide
 * or reorder text.
 */
export function fenceCode(label: string, text: string, boundary: string): string {
  return enclosed(label, text, boundary, stripHiddenCharacters);
}

const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const LENGTH = 24;

/** A new boundary: 24 letters and digits. `random` gives numbers in [0, 1). */
export function boundaryFrom(random: () => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? "a").join("");
}

const LONGEST_LABEL = 200;

function enclosed(label: string, text: string, boundary: string, strip: (text: string) => string): string {
  if (!/^[a-z0-9]{16,64}$/.test(boundary)) {
    throw new RelayError("internal", "a fence needs a boundary of 16 to 64 small letters and digits: use boundaryFrom");
  }
  const plain = (each: string) => withoutBoundary(strip(oneKindOfLineEnd(each)), boundary);
  const name = withoutBoundary(stripHiddenCharacters(oneKindOfLineEnd(label)), boundary)
    .replaceAll(/[\s<>]+/g, " ")
    .trim()
    .slice(0, LONGEST_LABEL);
  // Where the boundary stood as a word that no tracker shows, what stands for it goes as well.
  const lines = oneKindOfLineEnd(plain(plain(text)))
    .split("\n")
    .map(unlikeFence);
  return [`<<<${name.toWellFormed()} ${boundary}`, ...lines, `${boundary}>>>`].join("\n");
}

/** Every kind of line end becomes `\n`. */
function oneKindOfLineEnd(text: string): string {
  return text.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n");
}

function withoutBoundary(text: string, boundary: string): string {
  return text.replaceAll(new RegExp(boundary, "gi"), "…");
}

/** Angles, and the characters that look like one, two or three of them. */
const OPENS = /^(?:[<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e\u1438]{3}|[\u00ab\u226a\u300a\u27ea]{2}|\u22d8)/;
const CLOSES = /(?:[>\uff1e\ufe65\u203a\u232a\u3009\u27e9\u276f\u1433]{3}|[\u00bb\u226b\u300b\u27eb]{2}|\u22d9)$/;
const ANGLES =
  /[<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e\u1438\u00ab\u226a\u300a\u27ea\u22d8>\uff1e\ufe65\u203a\u232a\u3009\u27e9\u276f\u1433\u00bb\u226b\u300b\u27eb\u22d9]{2,}/g;

/**
 * A line that opens with a run of angles, or has one only at its end, gets them spaced. `List<Map<K, Set<V>>>`,
 * `>>> 1 + 1` and `<<: *defaults` look like no fence and stay as written.
 */
function unlikeFence(line: string): string {
  const said = line.trim();
  const looks = OPENS.test(said) || (CLOSES.test(said) && !said.includes("<"));
  if (!looks) return line;
  // What stands for one character is neither a tag, the end of a comment nor Markdown's mark of a quotation.
  const apart = line.replaceAll("\u22d8", "\u00ab < ").replaceAll("\u22d9", "\u00bb >");
  return apart.replaceAll(ANGLES, spaced);
}

function spaced(run: string): string {
  return Array.from(run).join(" ");
}
