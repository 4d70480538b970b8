import { memoize } from "./memoize.ts";
import { ownWords } from "./own-words.ts";
import { isReservation, lexicons } from "./lexicon.ts";
import { type Named, namedIn, saysToWrite, withoutObject } from "./objects.ts";

/** How one clause of a reply is classified. */
export type ClauseKind =
  | "affirmative"
  | "explicit"
  | "doubtful"
  | "read"
  | "open"
  | "aside"
  | "polite"
  | "negative"
  | "unknown";

export interface Clause {
  kind: ClauseKind;
  text: string;
  /** What it names, if it is a yes or belongs to one. */
  names: Named;
  /** It is only what a yes beside it is about: “Spec: yes”. */
  isTopic: boolean;
  /** A negative clause that asks to stop or to wait. */
  stops: boolean;
  /** Starts with a stop, after fillers, and may continue: “stop the run”. */
  opensWithStop: boolean;
}

/**
 * The words of a reply, prepared for splitting into clauses, without the name below a farewell. Null if the text is too
 * long.
 */
export function wordsOf(text: string, longest: number = LONGEST): string | null {
  if (text.length > longest) return null;
  return ownWords(text)
    .replace(SIGNATURE, (whole, farewell: string, name: string) => (isName(name) ? farewell : whole))
    .trim();
}

/** Longer replies bring something new. */
const LONGEST = 4_000;

/** A name beside a farewell; a lower-case word there may mean more. */
const SIGNATURE =
  /(\b(?:Cheers|Best|Best regards|Kind regards|Regards|Viele Grüße|Liebe Grüße|Gruß|Grüße|LG|VG|Cordialement|Saludos|Abraços|Saluti|Pozdrawiam)[,!]?)\s+(\p{Lu}\p{Ll}{1,20})\.?\s*$/u;

function isName(word: string): boolean {
  return kindOf(word.toLowerCase()) === "unknown" && !isReservation(word);
}

/** Asks back, or quotes a question of its own; in Greek a semicolon asks. */
export function asks(words: string): boolean {
  return /[?？¿؟]|\p{Script=Greek}\s*;/u.test(words);
}

/** Replaces an emoji that means yes or no. */
export const YES_MARK = "\u0001";
export const NO_MARK = "\u0002";

const YES_EMOJI =
  /👍|✅|☑|✔|🚀|👌|🆗|🟢|💯|:(?:\+1|thumbsup|shipit|rocket|white_check_mark|ok_hand|heavy_check_mark|100):|(?<![\w.])\+1(?![\w.])/gu;
export const NO_EMOJI =
  /👎|❌|🛑|✋|⛔|🚫|🙅|⏸|⏹|:(?:-1|thumbsdown|x|no_entry|no_entry_sign|stop_sign|octagonal_sign|raised_hand|no_good|pause_button|stop_button):|(?<![\w.])-1(?![\w.])/gu;
/** Friendly ones, vehicles, food and games mean nothing; any other may mean anything, and stays as an unknown word. */
const FRIENDLY_EMOJI =
  /[\u{1F330}-\u{1F37F}\u{1F3A0}-\u{1F3CF}\u{1F681}-\u{1F6A4}\u{1F389}\u{1F38A}\u{1F64F}\u{1F64C}\u{1F44F}\u{1F600}-\u{1F606}\u{1F60A}\u{1F60D}\u{1F60E}\u{1F642}\u{1F609}\u{1F973}\u{1F929}\u{1F970}\u{1F917}\u{1F499}-\u{1F49C}\u{1F9E1}\u{1F5A4}\u{1F495}-\u{1F497}\u{1F525}\u{1F4AA}\u{1F91D}\u{1F31F}\u{1F308}\u{1F37B}\u{1F44B}\u{1FAE1}\u{1F604}\u{1F601}❤♥⭐✨☺🏁🥂🍻]|:(?:tada|pray|raised_hands|clap|smile|smiley|grin|heart|slightly_smiling_face|wink|sunglasses|blush|fire|muscle|star|sparkles|wave|hooray|partying_face|handshake):|(?<!\S)[:;=]-?[)dp](?!\S)|(?<!\S)\^\^(?!\S)/gu;

/** The clauses of a text, each matched as a whole phrase: a clause with one unknown word is unknown. */
export const clausesOf = memoize((words): readonly Clause[] => {
  const parts = words
    .toLowerCase()
    // A Turkish capital i leaves its dot; Arabic vowels and lengthening change no word.
    .replaceAll(/\u0307|\u0640|[\u064b-\u0652]/g, "")
    .replaceAll(/[\u{1F3FB}-\u{1F3FF}]/gu, "")
    .replaceAll(/[’‘´`]/g, "'")
    .replaceAll(YES_EMOJI, ` . ${YES_MARK} . `)
    .replaceAll(NO_EMOJI, ` . ${NO_MARK} . `)
    .replaceAll(FRIENDLY_EMOJI, " . ")
    .split(/[.,;:!、。，；：！،؛।·…\n()—–]+|(?<=[\p{L}])[~〜]+(?=\s|$)|^[-*#]{1,4}\s+|\s-\s/mu)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length > MOST_CLAUSES) {
    const long = { text: words.slice(0, CLAUSE_LENGTH), kind: "unknown", names: null, isTopic: false } as const;
    return [{ ...long, stops: false, opensWithStop: false }];
  }
  const clauses = parts
    .flatMap((part) => (meaningOf(part) === "unknown" ? part.split(CONJUNCTION) : [part]))
    .map((text) => ({ text, kind: meaningOf(text), names: namedIn(text), ...stopsOf(text) }));
  const start = clauses.findLastIndex(({ kind }) => kind === "explicit");
  return clauses.map(({ kind, ...clause }, at) => {
    // Before a “go ahead”, “on second thought” takes back a no.
    if (at < start && isTurn(clause.text)) return { ...clause, kind: "polite", isTopic: false };
    if (kind !== "topic") return { ...clause, kind, isTopic: false };
    const isTopic = [clauses[at - 1]?.kind, clauses[at + 1]?.kind].some((beside) => YES.has(beside));
    return { ...clause, kind: isTopic ? "polite" : "unknown", isTopic };
  });
});

const YES = new Set<ClauseKind | "topic" | undefined>(["affirmative", "explicit"]);

/** The kind of a clause, also of one that names what its yes is about; a topic is nothing but such a name. */
function meaningOf(clause: string): ClauseKind | "topic" {
  const kind = kindOf(clause);
  if (kind !== "unknown" || clause.length > CLAUSE_LENGTH) return kind;
  const rests = withoutObject(clause);
  if (rests.includes("")) return "topic";
  if (rests.some(saysToWrite) && namedIn(clause) === "spec") return "explicit";
  return rests.map(kindOf).find((each) => YES.has(each)) ?? "unknown";
}

/** Tried if a clause as a whole is no phrase: “on peut y aller” is one, “yes and go ahead” are two. */
const CONJUNCTION = /\s(?:and|und|et|y|e|и|та|och|og|ve)\s/u;

/** An approval or thanks never needs more. */
const MOST_CLAUSES = 60;

/** No phrase is longer, even with the words around it. */
const CLAUSE_LENGTH = 120;

/** “leg bitte los”, “please do go ahead”: in the middle it adds no more than at either end. */
const INNER_PLEASE =
  /(?<=\S) (?:please|bitte|doch|gleich|ruhig|gerne|пожалуйста|por favor|per favore|proszę|будь ласка) (?=\S)/gu;

/**
 * Classifies the clause as it is, then without fillers at its end, then without those at its beginning, until a phrase
 * is left.
 */
function kindOf(clause: string): ClauseKind {
  if (clause === YES_MARK) return "affirmative";
  if (clause === NO_MARK) return "negative";
  // `ja ja ja` is laughter, never three approvals.
  if (/(?:^|\s)(\S+)(?:\s+\1){2}(?:\s|$)/u.test(clause)) return "unknown";
  if (clause.length > CLAUSE_LENGTH) return "unknown";
  let bare = clause.replaceAll(/\s+/g, " ");
  if (phraseKind(bare) === "unknown") bare = bare.replaceAll(INNER_PLEASE, " ");
  for (const side of ["end", "start"] as const) {
    for (let before = ""; before !== bare;) {
      before = bare;
      const kind = phraseKind(bare);
      if (kind !== "unknown") return kind;
      for (const { fillers } of lexicons()) {
        const shorter = bare.replace(fillers[side], "").trim();
        if (shorter === bare) continue;
        bare = shorter;
        break;
      }
    }
  }
  return phraseKind(bare);
}

function isTurn(clause: string): boolean {
  if (clause.length > CLAUSE_LENGTH) return false;
  const forms = [clause.replaceAll(/\s+/g, " ")];
  for (const { fillers } of lexicons()) forms.push((forms.at(-1) ?? "").replace(fillers.start, "").trim());
  return forms.some((form) => lexicons().some(({ turn }) => turn.test(form)));
}

/** A stop is short; a longer clause names what to wait for, and a reader must weigh that. */
function stopsOf(clause: string): Pick<Clause, "stops" | "opensWithStop"> {
  const start = clause.slice(0, CLAUSE_LENGTH).replaceAll(/\s+/g, " ");
  let opening = start;
  for (const { fillers } of lexicons()) opening = opening.replace(fillers.start, "").trim();
  let bare = opening;
  for (const { fillers } of lexicons()) bare = bare.replace(fillers.end, "").trim();
  return {
    stops: clause.length <= CLAUSE_LENGTH && lexicons().some(({ stop }) => stop.test(clause) || stop.test(bare)),
    opensWithStop: lexicons().some(
      ({ stopFirst }) => stopFirst?.test(start) === true || stopFirst?.test(opening) === true,
    ),
  };
}

/** Whole phrases come before the openings of a rejection: “nie mam uwag” agrees though it begins like one. */
const ORDER = ["doubtful", "open", "read", "explicit", "affirmative", "polite", "negative", "aside"] as const;

const phraseKind = memoize((phrase): ClauseKind => {
  return ORDER.find((kind) => lexicons().some((language) => language[kind].test(phrase))) ?? "unknown";
});

/** A shrug or irony over the whole reply: “yeah, right”. */
export function isDoubtful(clauses: readonly Clause[]): boolean {
  const joined = clauses.map(({ text }) => text).join(" ");
  return (
    clauses.some(({ kind }) => kind === "doubtful") ||
    (joined.length <= CLAUSE_LENGTH && phraseKind(joined) === "doubtful")
  );
}
