import { anyOf } from "../issue-text/phrases.ts";
import { significantWords } from "../text/significant-words.ts";
import de from "./words/de.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };
import fr from "./words/fr.json" with { type: "json" };
import ja from "./words/ja.json" with { type: "json" };
import pt from "./words/pt.json" with { type: "json" };
import ru from "./words/ru.json" with { type: "json" };
import zh from "./words/zh.json" with { type: "json" };
import { limitIn, tellsInability } from "./limits.ts";
import { once } from "../../lib/once.ts";
import { FAULT } from "../issue-text/kind.ts";

/** The words of one language by what they tell about a sentence, in `words/*.json`: sources of regular expressions. */
type Words = typeof en;

/** What a sentence says: what should become, what must not or stays, something about the fault, a choice. */
export type SentenceKind = "wish" | "bound" | "fact" | "decision";

export interface ReadSentence {
  /** Null for thanks, offers of help, questions, requests for information, and what none of the words tells. */
  kind: SentenceKind | null;
  /** Without greetings, thanks and a yes before it; empty if nothing is left. */
  text: string;
  /** Agrees with somebody; `kind` and `text` are what it says beyond that. */
  agrees: boolean;
  /** Takes something back. */
  corrects: boolean;
}

/** The words of a sentence that say what it is about: without those of deciding, correcting, grammar and courtesy. */
export function aboutOf(sentence: string, languages: readonly string[]): string {
  return languages
    .flatMap((code) => compiled()[code] ?? [])
    .reduce((text, { deciding, small }) => text.replaceAll(deciding, " ").replaceAll(small, " "), sentence);
}

/** What stands between words that are not set apart. */
const BETWEEN = '[^\\p{L}\\p{N}`"“”«»„「」『』]';

const compiled = once((): Readonly<Record<string, Language>> =>
  Object.fromEntries(Object.entries({ en, de, es, fr, ja, pt, ru, zh }).map(([code, words]) => [code, compile(words)])),
);

type Language = ReturnType<typeof compile>;

function compile(words: Words) {
  const any = (list: readonly string[]) => (words.spaced ? anyOf(list.join("|")) : new RegExp(list.join("|"), "iu"));
  const separated = String.raw`[\s,.!:;，。！：；、…)–—-]`;
  return {
    /** Followed by punctuation, so that “right now” keeps its “right”. */
    opening: new RegExp(
      String.raw`^(?:${words.opening.join("|")})(?:\s*(?:@[\w-]+|[\p{Extended_Pictographic}\uFE0F]+|:\w+:))*\s*(?:[,.!:;，。！：；、…–—-]${separated}*|$)`,
      "iu",
    ),
    conjunction: new RegExp(
      String.raw`^(?:${words.conjunction.join("|")})${words.spaced ? String.raw`[\s,]+` : "[、，]?"}`,
      "iu",
    ),
    /** Words that ask for help, thank or greet, from end to end; names, code and quotations are none. */
    courtesy: new RegExp(
      String.raw`^${BETWEEN}*(?:(?:${words.courtesy.join("|")})${words.spaced ? String.raw`(?![\p{L}\p{N}_])` : ""}${BETWEEN}*)+$`,
      "iu",
    ),
    mends: any(words.mends),
    /** What is left of a sentence without these has words of its own. */
    small: new RegExp(any([...words.mends, ...words.courtesy, ...words.small]).source, "giu"),
    aside: any(words.aside),
    tell: any(words.tell),
    request: any(words.request),
    choice: any(words.choice),
    condition: any(words.condition),
    bound: any(words.bound),
    /** Finds each of them. */
    bounds: new RegExp(any(words.bound).source, "giu"),
    wish: any(words.wish),
    /** A clause that tells why, up to its end: what it needs is not what is asked for. */
    reason: new RegExp(`(?:${any(words.reason).source})[^,;:，；：、]*`, "giu"),
    fact: any(words.fact),
    agreement: any(words.agreement),
    correction: any(words.correction),
    deciding: new RegExp(any([...words.correction, ...words.choice, ...words.agreement]).source, "giu"),
  };
}

const MENTION = /^(?:@[\w-]+(?:\[bot\])?[\s,:，：]*)+/;
const EMOJI = /^(?:(?!👍)[\p{Extended_Pictographic}\uFE0F\u200D]|:[a-z_]+:)+[\s,.!]*/iu;
/** Code and quotations hold words of programs and of others. */
const SET_APART = /`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|『[^』]*』|https?:\/\/\S+/g;

/**
 * Reads a sentence in the first of the languages that has words for it. `isReport` is the issue's own text, which tells of
 * the fault in each of its sentences: only what narrows it is a fact there.
 */
export function readSentence(sentence: string, languages: readonly string[], isReport = false): ReadSentence {
  const known = languages.flatMap((code) => compiled()[code] ?? []);
  const text = known.reduce(withoutOpening, sentence.replace(/^[\s>*•-]+/, "").trim());
  const lead = apart(sentence.replace(MENTION, "")).slice(0, OPENING);
  const corrects = known.some(({ correction }) => correction.test(lead));
  let fact: ReadSentence | null = null;
  for (const language of known) {
    // The opening itself may agree: “+1, and keep the flag”.
    const before = sentence.slice(0, Math.max(0, sentence.length - text.length));
    const rest = textBeyondAgreement(text, before, language);
    const agrees = rest !== null && !isQuestion(sentence);
    const said = agrees ? rest : text;
    if (isNothing(said) || isCourtesy(said)) {
      if (agrees || text === "") return { kind: null, text: "", agrees, corrects };
      continue;
    }
    const own = withoutAsides(said, language);
    const kind = isNothing(own) ? null : kindOf(own, language, isReport);
    const found = { kind: agrees && kind === "wish" ? "decision" : kind, text: own, agrees, corrects } as const;
    // Code or a number alone makes a fact in any language: another one may know the words around it.
    if (kind === "fact" && !agrees) fact ??= found;
    else if (kind !== null || agrees) return found;
  }
  if (fact !== null) return fact;
  // The language of a few words is uncertain.
  const agrees =
    text.length <= SHORT &&
    !isQuestion(text) &&
    Object.values(compiled()).some((language) => textBeyondAgreement(text, "", language) === "");
  return { kind: null, text, agrees, corrects };
}

const SHORT = 60;

/** Characters within which a correction says so. */
const OPENING = 50;

function apart(text: string): string {
  return text.replaceAll(SET_APART, "…");
}

/** Asks for help, thanks, greets or gives the go-ahead, and says nothing beyond. The language of a few words is uncertain. */
function isCourtesy(text: string): boolean {
  return text.length <= SHORT_COURTESY && Object.values(compiled()).some(({ courtesy }) => courtesy.test(text));
}

/**
 * Whether a sentence only asks that something is mended: a verb of mending, and beside it words of grammar, names of places
 * and words of the title. It says nothing by which the result could be judged (R-SPEC-16).
 */
export function onlyAsksForFix(sentence: string, title = ""): boolean {
  if (sentence.length > LONGEST_ORDER) return false;
  const known = significantWords(title);
  const bare = sentence.replaceAll(PLACES, " ");
  return Object.values(compiled()).some(({ mends, small }) => {
    if (!mends.test(bare)) return false;
    const left = bare
      .replaceAll(small, " ")
      .replaceAll(/(?<![\p{Script=Han}\p{Script=Katakana}])\p{Script=Hiragana}+/gu, " ");
    const words = left.match(/[\p{Script=Han}\p{Script=Katakana}\p{N}]+|\p{L}{3,}/gu) ?? [];
    return words.every((word) => [...significantWords(word)].every((one) => known.has(one)) && !NEGATES.test(word));
  });
}

const LONGEST_ORDER = 160;
/** Code, paths and links. */
const PLACES = /`[^`]*`|https?:\/\/\S+|[\w@.+-]*(?:\/[\w@.+-]+)+|[\w@+-]+\.[A-Za-z]{1,6}(?!\w)/g;
const NEGATES = /^(?:not|without|unless|only|nicht|ohne|sans|sin|sem|pas|не|без|不|无)$/iu;

/** Characters of the longest courtesy; more are not worth the search. */
const SHORT_COURTESY = 80;

function withoutOpening(text: string, { opening, conjunction }: Language): string {
  let left = text;
  for (let before = ""; before !== left;) {
    before = left;
    left = left.replace(EMOJI, "").replace(MENTION, "").replace(opening, "");
  }
  return left === text ? left : left.replace(conjunction, "");
}

/** Null without an agreement; empty if there is nothing beyond it. */
function textBeyondAgreement(text: string, opening: string, { agreement, conjunction }: Language): string | null {
  if (agreement.test(apart(opening))) return text;
  const found = agreement.exec(apart(text).slice(0, AGREEMENT));
  if (found === null) return null;
  const whole = text.replace(found[0], "").replaceAll(/@[\w-]+(?:['’]s)?/g, "");
  const after = text.slice(text.indexOf(found[0]) + found[0].length);
  const lead = text.slice(0, text.indexOf(found[0]));
  // “I agree: remove it”, “agreed, the flag stays”: the words after the colon stand alone.
  const own = /^\s*[:,.;–—，：。、-]\s*/.exec(after);
  const said = own && significantWords(lead).size < 2 ? after.slice(own[0].length).replace(conjunction, "") : text;
  return significantWords(whole).size < FEWEST || isNothing(said) ? "" : said;
}

/** Characters within which an agreement begins. */
const AGREEMENT = 80;
/** Words beyond an agreement that say something of their own. */
const FEWEST = 2;

/** “I cannot look into it now, but keep the flag” keeps the second clause. */
function withoutAsides(text: string, { aside, conjunction }: Language): string {
  if (!aside.test(apart(text))) return text;
  const clauses = text.split(/(?<=[,;:，；、])\s*|\s+[–—-]\s+/);
  const kept = clauses.filter((clause) => !aside.test(apart(clause)));
  return clauses.length === 1 ? "" : kept.join(" ").replace(conjunction, "");
}

function kindOf(text: string, words: Language, isReport: boolean): SentenceKind | null {
  const bare = apart(text);
  if (PUTS_OFF.test(bare.trim())) return null;
  const asked = words.request.test(bare);
  if (isQuestion(text) && !asked) return null;
  const isForInformation = (asked || words.wish.test(bare)) && words.tell.test(bare.slice(0, TELL));
  if (isForInformation && !words.bound.test(bare)) return null;
  if (isQuestion(text)) return words.bound.test(bare) ? "bound" : "wish";
  if (words.choice.test(bare)) return "decision";
  if (words.condition.test(bare) && !words.wish.test(bare)) return "fact";
  const claim = bare.replaceAll(words.reason, " ");
  const asks = words.wish.test(claim);
  if (words.bound.test(claim) && !(isReport && FAULT.test(bare) && !asks)) {
    const limit = limitIn(claim, words.bounds);
    if (limit === "unable" && !asks) return isReport ? null : "fact";
    // A property of what is asked for is part of it; only what the work is to leave alone or not to do bounds it.
    return limit === "work" || (limit === "either" && (!asks || NAMES_FILE.test(text))) ? "bound" : "wish";
  }
  if (asks) return "wish";
  if (isReport) return null;
  return words.condition.test(bare) ||
    DEPENDS.test(bare) ||
    tellsInability(bare) ||
    words.fact.test(bare) ||
    FAULT.test(bare) ||
    /`[^`]{2,}`|\d\.\d/.test(text)
    ? "fact"
    : null;
}

/** With its folder: “without going into `src/a.ts`”. */
const NAMES_FILE = /[\w.-]\/[\w.-]/;

/** “Not yet.” is about when, not about what. */
const PUTS_OFF =
  /^(?:(?:no|nein|нет|non|não)[,.!]? )?(?:not (?:yet|now|today)|(?:noch|jetzt|heute) nicht|nicht (?:jetzt|heute)|todavía no|aún no|ahora no|pas (?:encore|maintenant)|ainda não|agora não|(?:пока|ещё|сейчас) (?:нет|не надо)|не сейчас|还(?:没有?|不行)|现在不(?:行|要)|まだ(?:です|だめ)?)(?:,? (?:please|bitte|s['’]il (?:te|vous) plaît|por favor|пожалуйста))?[\s.!。！]*$/iu;

/** Says on what something depends, and addresses nobody. */
const DEPENDS =
  /(?<!\p{L})(?:if|unless|si|wenn|falls|sofern|если|se|caso)\s+(?!(?:you|i|we|someone|anyone|it helps|so|not|needed|possible|vous|je|tu|nous|on|ich|du|sie|wir|man|jemand|ты|вы|я|мы|кто|quieres?|puedes?|você|eu|alguém|quelqu)(?!\p{L}))/iu;

/** Characters within which a request for information says so. */
const TELL = 60;

function isQuestion(text: string): boolean {
  return /[?？]["')\]*_\s]*$/.test(text) || PROMPT.test(text);
}

/** Templates ask without a question mark too. */
const PROMPT =
  /^(?:what|which|who|where|how|why) (?:is|are|was|were|do|does|did|would|could|can|has|have)(?! (?:needed|wanted|missing|required)) [^`]*$/i;

/** Fewer than two words, or code alone. */
function isNothing(text: string): boolean {
  const prose = apart(text);
  const words = prose.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|[\p{L}\p{N}]+|…/gu) ?? [];
  return words.length < 2 || !/\p{L}{2}/u.test(prose);
}
