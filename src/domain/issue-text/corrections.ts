import { EXPECTS, SHOULD } from "./aspect-words.ts";
import { anyOf } from "./phrases.ts";
import { sentencesOf } from "./sentences.ts";

/** The writer says that they were wrong. */
const CORRECTS = anyOf(
  "corrections?|erratum|errata|typo|i (?:was wrong|misread|mistyped|misremembered|meant|made a mistake|mixed up)|my (?:mistake|bad)|sorry,? (?:i (?:was|mis|made|mixed|meant)\\p{L}*)" +
    "|korrektur|berichtigung|tippfehler|(?:ich )?(?:habe )?mich (?:da )?(?:vertan|geirrt|verlesen|verschrieben|verguckt)|mein fehler|ich (?:meinte|lag falsch|muss mich korrigieren)" +
    "|corrección|me (?:equivoqué|he equivocado|corrijo)|quise decir|quería decir|error mío|rectificación|rectifico" +
    "|rectification|je me suis trompée?|je me trompais|erreur de ma part|au temps pour moi|autant pour moi|je voulais dire|j['’]ai mal lu" +
    "|correção|corrigindo|enganei-me|me enganei|errei|quis dizer|erro meu|li mal" +
    "|поправка|исправление|опечатка|(?:я )?(?:ошиб(?:ся|лась)|перепутал\\p{L}*|имел\\p{L}* в виду)|моя ошибка",
  "更正|纠正|勘误|笔误|(?:我|刚才)(?:写|说|看|弄|搞|记)错了|訂正|間違え|書き間違|見間違|誤記|勘違い",
);

const VALUE = String.raw`\x60[^\x60\n]+\x60|"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|「[^」\n]+」|(?<![\p{Script=Latin}\p{Script=Cyrillic}\d.,:])\d+(?:[.,:]\d+)*(?![.,:]*\d)`;
const GAP = String.raw`[^,.;:!?，。；：、！？\d\x60"“«「]{0,25}`;
/** “not 3 but 8”: the first value is withdrawn. */
const NOT_BUT = new RegExp(
  String.raw`(?:(?<!\p{L})(?:not|nicht|pas|non|no|não|не)\s+|不是|并非)${GAP}?(?<old>${VALUE})${GAP}(?:[,，、]\s*)?(?:(?<!\p{L})(?:but|sondern|mais|sino|mas|e sim|а)(?!\p{L})|而?是)\s*${GAP}?(?<new>${VALUE})|(?<old2>${VALUE})${GAP}?(?:ではなく|じゃなくて|でなく)[、,]?\s*${GAP}?(?<new2>${VALUE})`,
  "giu",
);
/** “8, not 3”, “8 instead of 3”: the second one is. */
const NOT = new RegExp(
  String.raw`(?<new>${VALUE})${GAP}(?:[,;，；–—-]\s*)?(?:(?<!\p{L})(?:(?:and |und |et |y |e |а )?(?:not|nicht|pas|non|no|não|не)|instead of|rather than|statt|anstelle von|au lieu de|en (?:lugar|vez) de|em vez de|вместо)(?!\p{L})|而?不是|而非)\s*${GAP}?(?<old>${VALUE})`,
  "giu",
);

interface Change {
  from: string;
  to: string;
}

/** What a correction names as withdrawn, each with what holds instead. */
function namedIn(text: string): Change[] {
  const changes: Change[] = [];
  const take = (rest: string, pattern: RegExp) =>
    rest.replaceAll(pattern, (...found) => {
      const groups: Record<string, string | undefined> = found.at(-1);
      const [from, to] = [groups["old"] ?? groups["old2"], groups["new"] ?? groups["new2"]];
      if (from !== undefined && to !== undefined) changes.push({ from, to });
      return " ; ";
    });
  take(take(text, NOT_BUT), NOT);
  return changes;
}

function valuesIn(text: string): string[] {
  return [...text.matchAll(new RegExp(VALUE, "giu"))].map(([value]) => value);
}

function tellsWanted(text: string): boolean {
  return SHOULD.test(text) || EXPECTS.test(text);
}

/** What a sentence wants: its words behind “should”, else all of it. */
function wantedIn(text: string): string {
  const found = SHOULD.exec(text) ?? EXPECTS.exec(text);
  const wanted = found === null ? text : text.slice(found.index);
  // Why, and what holds besides, come behind.
  const bare = wanted.replaceAll(new RegExp(VALUE, "giu"), (value) => "x".repeat(value.length));
  const end = bare.search(REASON);
  return end > 0 ? wanted.slice(0, end) : wanted;
}

const REASON =
  /[;:—–]|,\s|\s(?:because|since|due to|weil|da|denn|porque|ya que|pues|parce que|puisque|pois|já que|потому|так как|ведь)\s|[，；。]|因为|由于|ので|ため/iu;

/** The values that each wanting sentence names. */
function wantedValues(text: string): string[][] {
  const wanted = sentencesOf(text).filter((one) => tellsWanted(one.text));
  return wanted.map((one) => valuesIn(wantedIn(one.text))).filter((values) => values.length > 0);
}

/** The expected value, where issue and correction name one each. */
function expectedIn(body: string, correction: string): Change[] {
  const before = wantedValues(body);
  const [from, ...others] = before[0] ?? [];
  const to = wantedValues(correction)[0]?.[0];
  if (before.length !== 1 || others.length > 0 || from === undefined || to === undefined || from === to) return [];
  return from[0] === to[0] || /^\d/.test(from) === /^\d/.test(to) ? [{ from, to }] : [];
}

const FENCED = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$))/;

/** Replaces a value in prose; a number only if it stands there once. */
function replaced(text: string, { from, to }: Change): string {
  const isNumber = /^\d/.test(from);
  const source = from.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(
    isNumber ? `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\d.,:\`_-])${source}(?![.,:]?[\\d]|[\`_])` : source,
    "gu",
  );
  const parts = text.split(FENCED);
  const count = parts.reduce((sum, part, at) => sum + (at % 2 === 1 ? 0 : [...part.matchAll(pattern)].length), 0);
  if (count === 0 || (isNumber && count > 1)) return text;
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replaceAll(pattern, () => to))).join("");
}

/** An issue's text with the values that its reporter corrected later. */
export interface Corrected {
  body: string;
  /** Whether a statement of a message only says what was taken over. */
  isTakenOver: (statement: { message: number | null; text: string }) => boolean;
}

/**
 * Takes over what reporters correct of their own report: “it should be `b`, I was wrong above”, “it was 8 attempts, not 3”.
 * What they withdraw is told nowhere, and contradicts nothing.
 */
export function withCorrections(body: string, own: readonly { seq: number; content: string }[]): Corrected {
  let text = body;
  const taken = new Map<number, string[]>();
  for (const { seq, content } of own) {
    const said = content.replaceAll(new RegExp(FENCED, "g"), "\n").replaceAll(/^>.*$/gmu, "");
    if (!CORRECTS.test(said)) continue;
    const apply = (changes: readonly Change[]) => {
      for (const change of changes) {
        const after = replaced(text, change);
        if (after !== text) taken.set(seq, [...(taken.get(seq) ?? []), change.to]);
        text = after;
      }
    };
    apply(namedIn(said));
    if (!taken.has(seq)) apply(expectedIn(text, said));
  }
  return {
    body: text,
    isTakenOver: ({ message, text: statement }) => {
      const values = message === null ? [] : (taken.get(message) ?? []);
      return values.length > 0 && (CORRECTS.test(statement) || values.some((value) => statement.includes(value)));
    },
  };
}
