import { EXPECTS, HAPPENS, POLITE, SHOULD } from "./aspect-words.ts";
import phrases from "./aspect-phrases.json" with { type: "json" };
import { showsResult, tellsResult } from "./shown-results.ts";

export const BUT =
  /(?:[,;，、]\s*|(?<!\s)\s+)(?:but|however|instead(?! of)|yet|and instead|но|а вместо этого|однако|aber|jedoch|stattdessen|pero|sin embargo|mais|cependant|mas|porém)(?=[\s,])|[，、,]?(?:但是?|却|しかし)|(?:のに|ですが|だが)[、,]?/iu;

const { spaced, unspaced } = phrases.itShould;
const IT_SHOULD_BE = String.raw`(?:${spaced.join("|")})(?!\p{L})|${unspaced.join("|")}`;
/** Goes on with what was expected of the same thing. */
const IT_SHOULD = new RegExp(`^(?:${IT_SHOULD_BE})`, "iu");
/** “It returns 1, expected 2”, “f(0) → 1 (should be 2)”. */
const EXPECTED_BESIDE = new RegExp(
  String.raw`(?:[,;，、–—(]\s*|\s+)(?:(?:${phrases.joinsResults.join("|")}) )?(?=${[...phrases.expectedBeside, IT_SHOULD_BE].join("|")})`,
  "giu",
);

/** “Expected 2, got 1”, “Expected 2 and got 1”. */
const ACTUAL_BESIDE = new RegExp(
  String.raw`(?:[,;，、–—(]\s*(?:(?:${phrases.joinsResults.join("|")}) )?|\s+(?:${phrases.joinsResults.join("|")}) )(?=(?:${phrases.actualBeside.join("|")})(?!\p{L}))`,
  "giu",
);
const OPENS_EXPECTED = new RegExp(
  String.raw`^(?:${phrases.expectedBeside.join("|")})\p{L}*(?:[^\p{L}\d]+|(?<=は))\S`,
  "iu",
);

/** "I expected x, but y", "x, but it should be y", “x, expected y”, “expected y, got x”: the expected and the actual result. */
export function contrastIn(text: string): { expected: string; actual: string } | null {
  for (const beside of OPENS_EXPECTED.test(text) ? text.matchAll(ACTUAL_BESIDE) : []) {
    const expected = text.slice(0, beside.index).trim();
    const actual = text.slice(beside.index + beside[0].length).trim();
    if (/[\p{L}\d]\P{L}*$/u.test(actual) && OPENS_EXPECTED.test(expected))
      return { expected, actual: withoutBracket(actual, beside[0]) };
  }
  for (const beside of text.matchAll(EXPECTED_BESIDE)) {
    const actual = text.slice(0, beside.index).trim();
    const expected = text.slice(beside.index + beside[0].length).trim();
    // Without a comma, only a mark shows where the result ends: “f(0) → 1 should be 2”.
    const isApart = /^[^\s]/.test(beside[0]) || showsResult(actual);
    if (
      isApart &&
      tellsResult(actual) &&
      ![EXPECTS, BUT].some((one) => one.test(actual)) &&
      ![BUT, POLITE].some((one) => one.test(expected))
    )
      return { expected: withoutBracket(expected, beside[0]), actual };
  }
  const at = BUT.exec(text);
  if (!at) return null;
  const before = text.slice(0, at.index).trim();
  const after = text.slice(at.index + at[0].length).replace(/^[\s,，、]+/, "");
  if (before.length < 4 || after.length < 4 || POLITE.test(after)) return null;
  if (!(EXPECTS.test(before) || SHOULD.test(before)))
    return (HAPPENS.test(before) && IT_SHOULD.test(after)) || (showsResult(before) && EXPECTS.test(after))
      ? { expected: after, actual: before }
      : null;
  return EXPECTS.test(after) || SHOULD.test(after) ? null : { expected: before, actual: after };
}

/** What a bracket opened before it sets apart, without the closing one. */
function withoutBracket(text: string, before: string): string {
  return before.startsWith("(") ? text.replace(/\)(?=[.。]?$)/, "") : text;
}
