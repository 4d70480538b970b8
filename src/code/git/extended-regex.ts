/** An expression for `git grep -E`, or why there is none. */
export type ExtendedRegex = { kind: "expression"; text: string } | { kind: "refused"; reason: string };

const LONGEST = 1_000;
const LONGEST_WRITTEN = 10_000;
const LONGEST_RANGE = 500;
/** Nested repetitions multiply; beyond this the automaton could exhaust memory. */
const MOST_REPEATED = 1_000;
const CLASSES: Record<string, string> = { d: "0-9", s: "[:space:]", w: "[:alnum:]_" };
const BEGINS_GROUP = /^\((?:\?(.{0,2}))?/;

/** An expression that matches the text literally. */
export function literalExpression(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/**
 * Translates a regular expression in the usual syntax (`\d`, `(?:…)`, lazy repetition) to the extended syntax of every
 * git. Refuses look-around and back-references, which need backtracking. Lines of megabytes may still take long, so
 * callers set a time limit, which ends git's process.
 */
export function extendedRegex(source: string): ExtendedRegex {
  if (source === "") return refused("the expression is empty");
  if (source.length > LONGEST) return refused(`the expression is over ${LONGEST} characters`);
  if (/[\0\r\n]/.test(source)) return refused("the expression has more than one line; a search looks at single lines");
  let text = "";
  let repeated = 1;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const next = tokenAt(rest);
    if (next.kind === "refused") return next;
    if (next.repeats !== undefined) repeated *= next.repeats;
    if (repeated > MOST_REPEATED) return refused(`its repetitions come to over ${MOST_REPEATED}; use * or +`);
    text += next.text;
    at += next.length;
  }
  if (text.length > LONGEST_WRITTEN) return refused("its ranges of letters are too many");
  return { kind: "expression", text };
}

type Token = { kind: "token"; text: string; length: number; repeats?: number } | { kind: "refused"; reason: string };

function tokenAt(rest: string): Token {
  switch (rest[0]) {
    case "\\":
      return escapeAt(rest);
    case "[":
      return bracketAt(rest);
    case "(": {
      const special = BEGINS_GROUP.exec(rest)?.[1];
      if (special === undefined) return token("(", 1);
      if (special.startsWith(":")) return token("(", 3);
      return refused(`"(?${special}" is not supported (no look-around, named groups or flags); search for less`);
    }
    case "*":
    case "+":
    case "?": {
      // Laziness does not change which lines match.
      const lazy = rest[1] === "?" || rest[1] === "+" ? 2 : 1;
      return token(rest[0], lazy);
    }
    case "{": {
      const counted = /^\{(\d{1,4})(,?)(\d{0,4})\}[?+]?/.exec(rest);
      if (!counted) return token("\\{", 1);
      const [whole, low = "", comma = "", high = ""] = counted;
      const repeats = Math.max(1, Number(low), Number(high));
      return { kind: "token", text: `{${low}${comma}${high}}`, length: whole.length, repeats };
    }
    case "}":
      return token("\\}", 1);
    default:
      return token(rest[0] ?? "", 1);
  }
}

function escapeAt(rest: string): Token {
  const letter = rest[1];
  if (letter === undefined) return refused("the expression ends in a single backslash");
  const inside = CLASSES[letter.toLowerCase()];
  if (inside !== undefined) return token(letter === letter.toLowerCase() ? `[${inside}]` : `[^${inside}]`, 2);
  if (letter === "t") return token("\t", 2);
  if (letter === "b" || letter === "B" || letter === "<" || letter === ">") return token(`\\${letter}`, 2);
  if (/[A-Za-z0-9]/.test(letter)) {
    return refused(`"\\${letter}" is not supported; \\d \\D \\s \\S \\w \\W \\b \\B \\t are, back-references are not`);
  }
  return token(/[\\^$.|?*+()[\]{}]/.test(letter) ? `\\${letter}` : letter, 2);
}

/** In the extended syntax a backslash between brackets is literal, so escapes are resolved here. */
function bracketAt(rest: string): Token {
  const negated = rest[1] === "^";
  const members: string[] = [];
  let at = negated ? 2 : 1;
  for (let first = true; at < rest.length; first = false) {
    const character = rest[at] ?? "";
    if (character === "]" && !first) return token(bracket(members, negated), at + 1);
    const named = /^\[:[a-z]{1,10}:\]/.exec(rest.slice(at, at + 16))?.[0];
    if (named !== undefined) {
      members.push(named);
      at += named.length;
    } else if (character === "\\") {
      const letter = rest[at + 1];
      if (letter === undefined) break;
      if (/[DSWbB0-9]/.test(letter)) return refused(`"\\${letter}" between brackets is not supported`);
      members.push(CLASSES[letter] ?? (letter === "t" ? "\t" : letter));
      at += 2;
    } else {
      const range = /^([^\]\\[])-([^\]\\[])/su.exec(rest.slice(at, at + 5))?.[0];
      const written = range === undefined ? character : rangeOf(range);
      if (written === null) return refused(`the range ${range} is reversed or has over ${LONGEST_RANGE} letters`);
      members.push(written);
      at += (range ?? character).length;
    }
  }
  return refused("a [ is not closed; write \\[ for the character itself");
}

/** Expands non-ASCII ranges, since the C library has no order for such letters. */
function rangeOf(range: string): string | null {
  const [from = 0, , to = 0] = Array.from(range, (character) => character.codePointAt(0) ?? 0);
  if (to < from || (to > 0x7f && to - from > LONGEST_RANGE)) return null;
  if (to <= 0x7f) return range;
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index))
    .filter((letter) => !/[\]^-]/.test(letter))
    .join("");
}

/** To be literal, `]` must come first, `^` must not, and `-` must come last. */
function bracket(members: readonly string[], negated: boolean): string {
  const plain = members.filter((member) => member !== "]" && member !== "^" && member !== "-");
  const has = (member: string) => (members.includes(member) ? member : "");
  if (plain.length === 0 && !negated && has("^") && !has("]")) return has("-") ? "[-^]" : "\\^";
  return `[${negated ? "^" : ""}${has("]")}${plain.join("")}${has("^")}${has("-")}]`;
}

function token(text: string, length: number): Token {
  return { kind: "token", text, length };
}

function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}
