import { NOT_NEEDED } from "../issue-text/aspect-words.ts";
import { NEGATION, isNegated } from "../issue-text/negation.ts";
import { anyOf, phrasePattern } from "../issue-text/phrases.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { significantWords } from "../text/significant-words.ts";
import type { SentenceKind } from "./statement.ts";
import { type Language, compiled, knownAmong } from "./words.ts";
import { limitIn, tellsInability } from "./limits.ts";
import { FAULT } from "../issue-text/kind.ts";

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

export const MENTION = /^(?:@[\w-]+(?:\[bot\])?[\s,:，：]*)+/;
const EMOJI = /^(?:(?!👍)[\p{Extended_Pictographic}\uFE0F\u200D]|:[a-z_]+:)+[\s,.!]*/iu;
/** Code and quotations hold words of programs and of others. */
const SET_APART = /`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|『[^』]*』|https?:\/\/\S+/g;

/**
 * Reads a sentence in the first of the languages that has words for it. `isReport` is the issue's own text, which tells of
 * the fault in each of its sentences: only what narrows it is a fact there.
 */
export function readSentence(sentence: string, languages: readonly string[], isReport = false): ReadSentence {
  const known = knownAmong(languages);
  const text = known.reduce(withoutOpening, sentence.replace(LEAD, "").trim());
  const lead = apart(sentence.replace(MENTION, "")).slice(0, OPENING);
  // Who concedes a point agrees, and takes back what they said before.
  const concedes = !asks(sentence) && known.some((one) => one.concedes.test(apart(sentence).slice(0, AGREEMENT)));
  const corrects = concedes || known.some(({ correction }) => correction.test(lead));
  let fact: ReadSentence | null = null;
  for (const language of known) {
    // The opening itself may agree: “+1, and keep the flag”.
    const before = sentence.slice(0, Math.max(0, sentence.length - text.length));
    const rest = textBeyondAgreement(text, before, language);
    const agrees = (concedes || rest !== null) && !asks(sentence);
    const said = (agrees ? rest : null) ?? text;
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
    concedes ||
    (text.length <= SHORT &&
      !asks(text) &&
      Object.values(compiled()).some((language) => textBeyondAgreement(text, "", language) === ""));
  return { kind: null, text, agrees, corrects };
}

const SHORT = 60;
/** Marks of a list or a quotation; the dash of “-m” is part of a name. */
const LEAD = /^(?:[\s>*•]|-(?![\p{L}\p{N}-]))+/u;

/** Characters within which a correction says so. */
const OPENING = 50;

function apart(text: string): string {
  return text.replaceAll(SET_APART, "…");
}

/** Asks for help, thanks, greets or gives the go-ahead, and says nothing beyond. The language of a few words is uncertain. */
export function isCourtesy(text: string): boolean {
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
const NEGATES = phrasePattern(`^(?:unless|only|${NEGATION.spaced})$|^(?:${NEGATION.unspaced})`);

/** Characters of the longest courtesy; more are not worth the search. */
const SHORT_COURTESY = 80;

export function withoutOpening(text: string, { opening, conjunction }: Language): string {
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
  if (PUTS_OFF.test(bare.trim()) || OWN_HABIT.test(bare)) return null;
  const asked = words.request.test(bare);
  if (asks(text) && !asked) return null;
  const told = words.tell.exec(bare.slice(0, TELL));
  const isForInformation =
    told !== null && (asked || words.wish.test(bare)) && !isOfProgram(bare.slice(0, told.index + told[0].length));
  if (isForInformation && !words.bound.test(bare)) return null;
  if (asks(text)) return words.bound.test(bare) ? "bound" : "wish";
  if (!isReport && NOT_NEEDED.test(bare) && !BUT.test(bare)) return "bound";
  if (words.choice.test(bare)) return "decision";
  if (words.condition.test(bare) && !words.wish.test(bare)) return "fact";
  const claim = bare.replaceAll(words.reason, " ");
  const isWish = words.wish.test(claim);
  if (words.bound.test(claim) && !(isReport && !isWish && (FAULT.test(bare) || tellsOfLack(claim, words)))) {
    const limit = limitIn(claim, words.bounds);
    if (limit === "unable" && !isWish) return isReport ? null : "fact";
    // A property of what is asked for is part of it; only what the work is to leave alone or not to do bounds it.
    // What ends in a colon announces a case.
    if (isReport && !isWish && /[:：]\s*$/.test(text)) return null;
    if (limit === "work" || (limit === "either" && NAMES_FILE.test(text))) return "bound";
    // “Now it only prints the name” tells how it is; “no new address” orders.
    if (limit === "either" && !isWish) return isReport && claim.trim().search(words.bound) > 0 ? null : "bound";
    return "wish";
  }
  if (isWish) return "wish";
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

/** “The README has no address” tells how it is; an order begins with its no, or demands: “no new address”, “must not”. */
function tellsOfLack(claim: string, { bounds }: Language): boolean {
  if (DEMANDED.test(claim) || FORBIDS.test(claim) || NOT_NEEDED.test(claim)) return false;
  return [...claim.matchAll(bounds)].every(({ index, 0: found }) => {
    const before =
      claim
        .slice(0, index)
        .split(/[,;:.!?()]|\s[–—-]\s/u)
        .at(-1) ?? "";
    const words = before.match(/[\p{L}\p{N}…]+/gu)?.length ?? 0;
    return isNegated(found) && !WITHOUT.test(found) && (words >= FEWEST || THERE_IS_NONE.test(claim.slice(index)));
  });
}

const FORBIDS = /(?<!\p{L})(?:may|darf|dürfen|want|woll\p{L}+)(?!\p{L})/iu;
const WITHOUT = /^(?:without|ohne|sans|sin|sem|без)(?!\p{L})/iu;
const THERE_IS_NONE = /^(?:no (?:hay|existen?)|n['’](?:y a|existe)|não (?:há|existem?))(?!\p{L})/iu;

/** What somebody usually does, or once did, asks for nothing: “I only touch it once a year”, “last time we left it alone”. */
const OWN_HABIT =
  /^(?:i|ich|je|yo|eu|я)(?:['’]ve| have)? (?:(?:only|never|always|usually|rarely|mostly|sometimes|once) (?!want|need|ask|care|wish|expect|agree|mean)\p{L}+|tried|used to|nie|immer|meistens|(?:habe|hatte) (?:mal|damals|letztes|schon|versucht)|ai (?:essayé|tenté)|intenté|tentei|пытал\p{L}+|обычно|всегда)(?!\p{L})|^(?:last|the other|a while) (?:time|year|month|week|day)(?:,| we| i)|^(?:letztes mal|beim letzten mal|la dernière fois|la última vez|da última vez|в прошлый раз)|^(?:nobody|no one) should (?:ever )?have to/iu;
/** “… is fine, but please don't …” says more. */
const BUT = anyOf("but|aber|sondern|pero|mais|mas|но|а", "但是?|不过|しかし|ただし|が、");

/** With its folder: “without going into `src/a.ts`”. */
const NAMES_FILE = /[\w.-]\/[\w.-]/;

/** “Not yet.” is about when, not about what. */
const PUTS_OFF =
  /^(?:(?:no|nein|нет|non|não)[,.!]? )?(?:not (?:yet|now|today)|(?:noch|jetzt|heute) nicht|nicht (?:jetzt|heute)|todavía no|aún no|ahora no|pas (?:encore|maintenant)|ainda não|agora não|(?:пока|ещё|сейчас) (?:нет|не надо)|не сейчас|还(?:没有?|不行)|现在不(?:行|要)|まだ(?:です|だめ)?)(?:,? (?:please|bitte|s['’]il (?:te|vous) plaît|por favor|пожалуйста))?[\s.!。！]*$/iu;

/** Says on what something depends, and addresses nobody. */
const DEPENDS =
  /(?<!\p{L})(?:if|unless|si|wenn|falls|sofern|если|se|caso)\s+(?!(?:you|i|we|someone|anyone|it helps|so|not|needed|possible|vous|je|tu|nous|on|ich|du|sie|wir|man|jemand|ты|вы|я|мы|кто|quieres?|puedes?|você|eu|alguém|quelqu)(?!\p{L}))/iu;

/** “The header must show the version” asks nobody for information. */
function isOfProgram(lead: string): boolean {
  return DEMANDED.test(lead) && !ADDRESSES.test(lead);
}

const DEMANDED = anyOf(
  "should|must|shall|needs? to|ha(?:s|ve) to|soll(?:te)?n?|muss|müss(?:en|te)|deben?|debería\\p{L}*|tienen? que|doi(?:t|vent)|devrai(?:t|ent)|" +
    "deve(?:m|ria|riam)?|tem que|долж\\p{L}+",
  "应该?|必须|需要|べき|必要が",
);
const ADDRESSES = anyOf(
  "you|your|we|i|please|someone|du|ihr|sie|wir|ich|man|bitte|tú|usted(?:es)?|yo|nosotros|tu|vous|je|nous|on|você|eu|nós|ты|вы|мы|я",
  "你|您|我们?|请|あなた",
);

/** Characters within which a request for information says so. */
const TELL = 60;

function asks(text: string): boolean {
  return isQuestion(text) || PROMPT.test(text);
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

/** Whether a sentence says what is to hold where something new is specified: “an empty name is an error”. */
export function defines(sentence: string): boolean {
  return DEFINES.test(sentence) && !TODAY.test(sentence) && !asks(sentence);
}

const DEFINES = anyOf(
  "(?:is|are|gives?|gets?|counts? as|results? in|yields?) (?:an? |the )?(?:error|[1-5]\\d{2}|no-op|default|invalid|ignored|rejected|skipped)|exits? with|defaults? to|the default is|means (?:no|all|none|any|every|the)|" +
    "(?:ist|sind|gibt|ergibt|zählt als) (?:ein(?:e[nr]?)? )?(?:fehler|[1-5]\\d{2}|ungültig|standard)|endet mit|(?:der )?standard(?:wert)? ist|bedeutet (?:kein\\p{L}*|alle\\p{L}*)|" +
    "(?:es|son|da) (?:un )?(?:error|[1-5]\\d{2})|(?:est|sont|donne) (?:une )?(?:erreur|[1-5]\\d{2})|(?:é|são|dá) (?:um )?(?:erro|[1-5]\\d{2})|(?:valor|valeur) (?:por defecto|predeterminado|par défaut|padrão) (?:es|est|é)|" +
    "(?:это )?ошибка [1-5]\\d{2}|по умолчанию",
  "(?:是|返回)(?:错误|[1-5]\\d{2})|默认(?:值)?[是为]|(?:エラー|[1-5]\\d{2})(?:とする|にする|です)|(?:既定|デフォルト)(?:値)?は",
);
const TODAY = anyOf(
  "today|currently|now|already|at the moment|right now|heute|derzeit|momentan|aktuell|jetzt|schon|hoy|actualmente|ahora|ya|aujourd['’]hui|actuellement|déjà|hoje|atualmente|agora|já|сейчас|сегодня|уже",
  "现在|目前|已经|現在|今は|すでに",
);
