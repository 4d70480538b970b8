import type { Block } from "./markdown.ts";
import { anyOf, anyPhrase } from "./phrases.ts";
import aspectPhrases from "./aspect-phrases.json" with { type: "json" };
import phrases from "./kind-phrases.json" with { type: "json" };

/** Says what comes out. */
const RESULTS = anyPhrase(phrases.results);
/** Names another result beside the one that comes out. */
const DIFFERS = anyPhrase(phrases.differs);

export const INSTEAD = anyOf(aspectPhrases.insteadOf.join("|"));

/** What a report shows of one call: the call with its result, as written, and whether another result is named there. */
export interface ShownResult {
  text: string;
  differs: boolean;
  /** Of code alone: the line that says what should come out, as code; null where it has none, absent where the text says it. */
  expected?: string | null | undefined;
}

const CALL = /(?<![\p{L}\p{N}_$.])[\p{L}_$][\p{L}\p{N}_$.]{0,80}\(([^()\n]{1,200})\)/gu;
/** Of “file(s)”, the part in brackets is no argument. */
const ARGUMENT = /["'`[{\d]|^(?:true|false|null|nil|None|True|False|undefined|NaN)$/u;
const SPAN = /`([^`\n]{1,200})`/g;
/** `f(1) // 2`, `f(1) -> 2`, `f(1) === 2`. */
const MARKED = /\)[^\S\n]{0,40}(?:;[^\S\n]{0,40})?(?:\/\/|#|--|\/\*|=>|->|→|⇒|={1,3}|evaluates to)[^\S\n]{0,40}\S/;
/** What test runners print of two values. */
const ASSERTED =
  /\bassert|\bexpect(?:ed)?\b|\b(?:received|got|actual)\b|\S (?:!==?|≠|={2,3}) \S|\bto (?:be|equal|eql|deep equal)\b/i;

/** Whether a text has a call with the values that it gets. */
function calls(text: string): boolean {
  return [...text.matchAll(CALL)].some(([, given = ""]) => ARGUMENT.test(given.trim()));
}

/** Whether a text tells what comes out: in words, or by a mark behind a call. */
export function tellsResult(text: string): boolean {
  return RESULTS.test(text.replaceAll(SPAN, "…")) || showsResult(text);
}

/** `f(1) → 2`. */
export function showsResult(text: string): boolean {
  return calls(text) && MARKED.test(text);
}

/** Whether a text names another result than the one that comes out: “should be 3”, “f(1) → 2 instead of 3”. */
export function namesOther(text: string): boolean {
  return DIFFERS.test(text) || (showsResult(text) && INSTEAD.test(text));
}

/** Whether a text has a command or an expression, and not only a name. */
function runs(text: string): boolean {
  return [...text.matchAll(SPAN)].some(([, span = ""]) => /\S\s+\S/.test(span));
}

/** Values as people write them: `1h`, "a", 3660; no version. */
const VALUE =
  /`[^`\n]{1,200}`|"[^"\n]{1,200}"|“[^”\n]{1,200}”|(?<![\p{L}\p{N}_.#/-])(?<!\bversion )-?\d+(?:[.,]\d+)?(?![\p{L}\p{N}_.]*[\p{L}\p{N}_])/giu;

/** Whether a text has what goes in and what comes out. */
function hasValues(text: string): boolean {
  return (text.match(VALUE) ?? []).length > 1;
}

/** The first sentence that shows a call, or a value, and its result; the next one may name the result, too. Null without one. */
export function resultIn(sentences: readonly string[]): ShownResult | null {
  for (const [at, text] of sentences.entries()) {
    const next = sentences[at + 1] ?? "";
    const bare = text.replaceAll(SPAN, "…");
    const differs = namesOther(text) || DIFFERS.test(next);
    const hasResult = RESULTS.test(bare) || DIFFERS.test(bare) || MARKED.test(text);
    // A command may merely be named beside words that tell what “is”.
    if (hasResult && (calls(text) || (differs && runs(text)))) return { text, differs };
    if (DIFFERS.test(next) && !DIFFERS.test(text) && hasValues(text)) return { text, differs };
  }
  return null;
}

/** The first block of code that shows a call and its result: in a comment, or as a failed assertion. Null without one. */
export function resultInCode(blocks: readonly Block[]): ShownResult | null {
  for (const block of blocks) {
    if (block.kind !== "code") continue;
    const lines = block.text.split("\n").filter((line) => line.length <= LONGEST_LINE);
    const marked = lines.filter(showsResult);
    const asserted = lines.some(calls) ? lines.filter((line) => ASSERTED.test(line)) : [];
    const differs = asserted.length > 0 || marked.some((line) => DIFFERS.test(line));
    const text = block.text.trim().slice(0, LONGEST);
    if (marked.length > 0 || differs) return { text, differs, expected: expectedBy(asserted, marked) };
  }
  return null;
}

/** The assertion that a comment marks as the failing one, else the last: those before it prepare it. */
function expectedBy(asserted: readonly string[], marked: readonly string[]): string | null | undefined {
  const checks = asserted.filter((line) => CHECKS.test(line) && /\w\(/.test(line));
  const check = checks.find((one) => FAILING.test(one)) ?? checks.at(-1);
  const line = (check?.replace(COMMENT, "") ?? marked.find((one) => DIFFERS.test(one)) ?? "").trim();
  if (line !== "" && !line.includes("`")) return `\`${line}\``;
  return asserted.some((one) => PRINTED.test(one)) ? undefined : null;
}

/** What a test runner prints names both values itself. */
const PRINTED = /\bexpected\b|\bto (?:be|equal|eql)\b|\S [!=]==? \S/i;
const CHECKS = /^\s*(?:self\.)?(?:assert|expect|require|should|is|ok|equal)\w*[\s!(.]/i;
const COMMENT = /\s+(?:#(?!\[)|\/\/).*$/;
const FAILING = /(?:#|\/\/).*(?:fail|error|wrong|but |raises|throws|false|✗|❌|!)/i;

const LONGEST_LINE = 1_000;
const LONGEST = 800;
