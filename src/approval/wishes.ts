import { isBareNo } from "./answer.ts";
import { answeredGap } from "../domain/given-answer.ts";
import { type Clause, clausesOf, wordsOf } from "./clauses.ts";
import { SET_APART, ownWords } from "./own-words.ts";
import { type Reply, asksForMore, readReply, refusalIn, saysYes } from "./read-reply.ts";
import procedureWords from "./procedure-words.json" with { type: "json" };
import requestPhrases from "./request-phrases.json" with { type: "json" };

/**
 * Whether a reply to a plan may ask for a change: a condition, a correction, a question, a no that says what instead.
 */
export function isWish(content: string): boolean {
  return asksForMore(readReply(content)) || asksForChange(content);
}

/** Whether a text explicitly requests something: “Please …”, “Could you …?”. */
export function requests(content: string): boolean {
  return REQUEST.test(wordsOf(content) ?? "");
}

/**
 * Whether a reply to a plan asks for a change, and not merely for an answer: “Could you also …?” does. A yes in doubt,
 * or one that waits for somebody else's, does not.
 */
export function asksForChange(content: string): boolean {
  const { kind } = readReply(content);
  const read = wordsOf(content);
  if (read === null) return kind === "more";
  if (isOfProcedure(read)) return false;
  if (kind === "more") return clausesOf(read).some(saysMore);
  if (kind === "reject") return clausesOf(read).some((clause) => clause.kind === "unknown");
  return kind === "question" && requests(content);
}

const ASKS_NOTHING = new Set<Reply["kind"]>(["approve", "thanks", "stop"]);

/**
 * Whether a comment only agrees, refuses, thanks, quotes others or leaves it open: nothing in it is a request to keep
 * or to report.
 */
export function asksForNothing(content: string): boolean {
  if (answeredGap(content) !== null) return false;
  const { kind } = readReply(content);
  return ASKS_NOTHING.has(kind) || isBareNo(content) || saysNothingOfSoftware(content);
}

/**
 * Whether a text is about people, time and the procedure alone: a yes, a no, a doubt, when, who is away, what one has not
 * read, “I talked to Walt”, “what do you think?”.
 */
export function saysNothingOfSoftware(content: string): boolean {
  return isAside(content) || PRESENTS.test(content) || isOfProcedure(wordsOf(content) ?? "");
}

/** Whether each clause is known, and none is a no. */
function isAside(content: string): boolean {
  const clauses = clausesOf(wordsOf(content) ?? "");
  return clauses.length > 0 && clauses.every(({ kind }) => kind !== "unknown" && kind !== "negative");
}

/** Whether each word belongs to the talk about the work: nothing names what the software is to do. */
function isOfProcedure(words: string): boolean {
  if (words.length > MOST_TALK || NAMES_SOMETHING.test(words) || words.includes(SET_APART)) return false;
  const left = words.replaceAll(SAYINGS, " ").replaceAll(SOMEBODY, " ").toLowerCase().replaceAll("’", "'");
  const said = left.match(TALK) ?? [];
  const awaits = AWAITS.test(words);
  return (
    /\p{L}/u.test(words) &&
    said.every((word) => PROCEDURE.has(word) || /^\p{Ll}$/u.test(word) || (awaits && OUTSIDE.has(word)))
  );
}

/** Characters; whoever writes more says something. */
const MOST_TALK = 300;
const { outside, ...talk } = procedureWords;
const PROCEDURE = new Set(Object.values(talk).flatMap((words) => words.split(" ")));
/** What people wait for. */
const OUTSIDE = new Set(outside.split(" "));
const AWAITS = /(?<!\p{L})(?:once|when|after|until|till|unless|if|wait|waiting|as soon as)(?!\p{L})/iu;
const TALK = /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu;
/** “yes to plan 1”, “on second thought”, “this one”. */
const SAYINGS =
  /(?<!\p{L})(?:(?:plan|spec|version|план\p{L}*|версия) #?\d{1,3}|on second thoughts?|(?:this|that) one|in the (?:first|second) place|one (?:moment|second|minute)|all right|after all|by the way|at all|only if|ship it)(?!\p{L})/giu;
/** Code, a path, words that are quoted; code spans and links have been set apart. */
const NAMES_SOMETHING = /[`/=<>{}"“„«]|\p{L}[._]\p{L}|\p{L}\(/u;
/** “I talked to Walt”, “@max”, “unless Max objects”, “Ruth is fine with it”. */
const TALKED =
  "(?:[Tt]alk|[Ss]poke|[Aa]sk|[Dd]iscuss|[Cc]heck|[Mm]et|[Ww]ait|[Aa]pprov|gesprochen|geredet|gefragt|besprochen|wart|parl|discut|habl|pregunt|fal|pergunt|говор|спрос|обсуд)";
const CONSENTS =
  "(?:(?:dis)?agree[sd]?|object(?:s|ed)?|approve[sd]?|confirm(?:s|ed)?|sign(?:s|ed)? off|(?:has|have) (?:no|an|any) objections?|(?:is|was) (?:fine|ok|okay|happy|good) with (?:it|that|this)|(?:says|said) (?:so|yes|no|ok|okay)|stimmt zu|zustimmt|(?:ist )?einverstanden(?: ist)?|hat (?:zugestimmt|nichts dagegen)|widerspricht|est d['’]accord|está de acuerdo|concorda|соглас(?:ен|на))";
const SOMEBODY = new RegExp(
  `(?<![\\w@])@[\\w-]+|(?<=(?<!\\p{L})${TALKED}\\p{L}*(?:\\s\\p{Ll}+){0,2}\\s)\\p{Lu}\\p{Ll}+|\\p{Lu}\\p{Ll}+(?=\\s(?:gesprochen|geredet|gefragt|besprochen)(?!\\p{L}))|\\p{Lu}\\p{Ll}+ ${CONSENTS}(?!\\p{L})`,
  "gu",
);
/** “Here is the log:” */
const PRESENTS =
  /^\W*(?:here(?:['’]s| is| are| comes)|attached (?:is|are)|below (?:is|are)|hier (?:ist|sind|kommt)|anbei|voici|aquí está|aqui está|вот)(?: [\p{L}'’]+){0,4} (?:logs?|log file|output|trace|traceback|stack ?trace|screenshots?|dump|protokoll|ausgabe|journal|registro|лог)\s*[:.]?\s*$/iu;

const FENCED = /((?:^|\n)[ \t]*(?:`{3}|~{3})[\s\S]*?(?:\n[ \t]*(?:`{3,}|~{3,})[^\n]*|$))/;

/** A text without its sentences, and its clauses at either end, that are a yes or about people and time alone. */
export function withoutAsides(content: string): string {
  return content
    .split(FENCED)
    .map((part, at) => (at % 2 === 1 ? part : part.split("\n").map(wishesOfLine).join("\n")))
    .join("")
    .trim();
}

function wishesOfLine(line: string): string {
  return line
    .split(/(?<=[.!…]["”»)]?)\s+|(?<=[。！])/u)
    .flatMap((sentence) => {
      const clauses = sentence.split(/(?<=[,;])\s+|(?<=[，；、])/u);
      const first = clauses.findIndex((clause) => !saysNothingOfSoftware(clause));
      const last = clauses.findLastIndex((clause) => !saysNothingOfSoftware(clause));
      if (first === -1) return [];
      const kept = clauses.slice(first, last + 1).join(" ");
      return [last === clauses.length - 1 ? kept : kept.replace(/[,;，；、]$/u, "")];
    })
    .join(" ");
}

/** Words that are no decision, or that are against something beside a yes. */
function saysMore({ kind, text }: Clause): boolean {
  return kind === "negative" || (kind === "unknown" && /[\p{L}\p{N}]/u.test(text));
}

const alternatives = (phrases: readonly string[]) => phrases.join("|");
const REQUEST = new RegExp(
  `(?<!\\p{L})(?:${alternatives(requestPhrases.opens)})(?!\\p{L})(?!.{0,20}(?:${alternatives(requestPhrases.tell)}))|${alternatives(requestPhrases.openUnspaced)}`,
  "iu",
);

/**
 * Seqs of the wishes in force among the messages of a thread: those of people who decide, since the last of them took
 * everything back. Each is a go-ahead for revising spec and plan (R-CONF-9).
 */
export function wishesAmong(messages: readonly { seq: number; content: string; decides: boolean }[]): number[] {
  const heard = messages.filter(({ decides }) => decides);
  const refused = heard.findLastIndex(
    ({ content }) => refusalIn(content) === "clear" && !asksForChange(content) && !isPutOff(content),
  );
  return heard.slice(refused + 1).flatMap(({ seq, content }) => (isWish(content) ? [seq] : []));
}

/** Whether words only say when, or on what outside the work it depends: they ask for nothing, and take back nothing. */
export function isPutOff(content: string): boolean {
  return readReply(content).kind === "more" && isAside(content);
}

/** Whether words say yes first, and then without a doubt what to do: “Yes, but name it `total`.” */
export function addsToYes(content: string): boolean {
  const words = (wordsOf(content) ?? "").split(/[\s,;:.!–—-]+/u).filter((word) => word !== "");
  const [first = "", ...rest] = words;
  if (!clausesOf(first).some(saysYes)) return false;
  // The “but” between them is a doubt only with nothing to do behind it.
  return [rest, rest.slice(1)].some((said) => said.length > 1 && refusalIn(said.join(" ")) === null);
}

/** Lines that are searched for the writer's own words. */
const MOST_LINES = 200;

/** The first line of a text that is in its writer's own words, as written; null without one. */
export function firstOwnLine(content: string): string | null {
  const whole = ownWords(content);
  const lines = content.split(/\r\n?|\n/).slice(0, MOST_LINES);
  const own = lines.find((line) => {
    const words = ownWords(line);
    return /[\p{L}\p{N}]/u.test(words) && whole.includes(words);
  });
  return own?.trim() ?? null;
}
