import { KEEPS_EXISTING, NOT_NEEDED } from "../../domain/issue-text/aspect-words.ts";
import { isNegated } from "../../domain/issue-text/negation.ts";
import { tellsRightCase } from "../../domain/issue-text/aspects.ts";
import type { Topic } from "../../domain/gap.ts";
import { isExample } from "../../domain/issue-text/example.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { isQuestion, sentencesOf } from "../../domain/issue-text/sentences.ts";
import type { Block } from "../../domain/issue-text/markdown.ts";
import { errorIn } from "../../domain/issue-text/stack-traces.ts";
import { isFiller } from "../../domain/issue-text/stop-words.ts";
import { significantWords } from "../../domain/text/significant-words.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { escapeRegExp } from "../../lib/text.ts";
import type { SpecInput } from "../generator.ts";
import { STAYS, sentencesOfIssue } from "./bounds.ts";
import { isAnnouncement, isExampleOnly, isFragment, pointsAt, withAntecedent } from "./clues.ts";
import { type Example, announcedBy, namesOfWanted } from "./examples.ts";
import { saysSame } from "./heard.ts";
import { clause, expectation, phrase, plain } from "./plain.ts";

/** People's words on a topic, unshortened, and the gap that they answer, if any. */
export interface Said {
  text: string;
  gap: number | null;
  /** For a later request: its position in the thread. */
  message?: number;
}

const FAILING =
  /\b(?:error|exception|fail|cannot|can't|unable|invalid|undefined|null|denied|refused|panic|traceback|mismatch)/i;
/** About the writer: their observations and opinions are no outcome. */
const OWN_THOUGHT = /^(?:i|we|my)\b/i;
const ABOUT_WRITER = /^(?:i|we)(?:['’](?:m|re)| am| are)\b/i;
/** A test that fails on purpose. */
const ASSERTION = /^(?:\w+\.)*Assertion(?:Failed)?Error$/;
const ERROR_CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** What the issue's own text says on a topic; null if that is no sentence, or says nothing. */
export function ownSaid(
  topic: Topic,
  { reading }: SpecInput,
  { isRequest, examples, say }: { isRequest: boolean; examples: readonly Example[]; say: Translate<"spec"> },
): Said | null {
  const { text, from } = reading.aspects[topic];
  // The title is already used, and code is no sentence.
  if (text === undefined || from === "title") return null;
  const isSection = from === "section";
  const example = isSection || topic === "reproduction" ? null : announcedBy(text, examples);
  const own = isSection
    ? withoutOthers(text, topic, reading)
    : ownWords(text, topic !== "reproduction" && example === null);
  const isUnusable =
    plain(own) === "" ||
    isExampleOnly(own) ||
    (!isSection && example === null && isAnnouncement(text)) ||
    (isSection && topic === "expected" && isAnnouncement(own) && !(isRequest && pointsAt(own))) ||
    (topic === "actual" && isFragment(own)) ||
    /^(?:https?:\S+\s*)+$/.test(own) ||
    (topic === "expected" && OWN_THOUGHT.test(expectation(own)));
  if (isUnusable) return null;
  if (example !== null) {
    const name = (topic === "expected" ? namesOfWanted(examples) : null) ?? example.name;
    return { text: say("as_shown", { text: expectation(own), example: name }), gap: null };
  }
  const isActual = topic === "actual" && !isSection;
  return { text: isActual ? withAntecedent(own, sentencesOfIssue(reading)) : own, gap: null };
}

/** A label's paragraph may go on with why, and with what must hold besides. */
function withoutOthers(text: string, topic: Topic, reading: IssueReading): string {
  if (topic !== "expected" || /\n\s*\n|^[ \t]*[-*\d]/m.test(text)) return text;
  const others = new Set([...reading.explanations, ...reading.acceptanceCriteria]);
  const sentences = sentencesOf(text).map((one) => one.text);
  const kept = sentences.filter((one) => !others.has(one));
  return kept.length === 0 || kept.length === sentences.length ? text : kept.join(" ");
}

/** Characters of a message or value that belongs to the words before it. */
const LONGEST_VALUE = 200;

/** Removes code from prose: the reading may have appended what follows a sentence. */
function ownWords(text: string, withValue: boolean): string {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const [value = ""] = rest;
  if (withValue && rest.length === 1 && /[:：]$/.test(first.trim()) && /^`[^`]+`\.?$/.test(value.trim()))
    return value.length > LONGEST_VALUE ? clause(first.trim()) : `${first.trim()} ${value.trim()}`;
  return clause(first.trim());
}

const MOST_QUESTIONS = 5;

/** What the issue asks, each question once. */
export function questionIn(reading: IssueReading): string {
  const asked = [reading.title, ...sentencesOfIssue(reading)].filter((text) => isQuestion(text));
  const own = asked.filter((text, at) => !asked.slice(0, at).some((earlier) => saysSame(earlier, text)));
  return own.length === 0
    ? phrase(reading.title, 200)
    : own
        .slice(0, MOST_QUESTIONS)
        .map((text) => phrase(text, 200))
        .join(" ");
}

/** A sentence that is no question, states no expectation, and says more than a greeting. */
export function needOf({ reading }: SpecInput, examples: readonly Example[]): string | null {
  const expected = oneLine(reading.aspects.expected.text ?? "") ?? "";
  const told = sentencesOfIssue(reading)
    .map((text) => text.trim())
    .filter(
      (text) =>
        text.length > 24 &&
        !/(?:…|\.{3})$/.test(text) &&
        announcedBy(text, examples) === null &&
        !/^https?:\S+$/.test(text) &&
        !/[?？]$/.test(text) &&
        !isFiller(text) &&
        expectation(text) === text &&
        !isFragment(text) &&
        !listsVersions(text) &&
        !KEEPS_EXISTING.test(text) &&
        !NOT_NEEDED.test(text) &&
        !tellsRightCase(text) &&
        !ABOUT_WRITER.test(text) &&
        !/^(?:fwiw|for what it)/i.test(text) &&
        text !== reading.today &&
        !reading.acceptanceCriteria.some((criterion) => criterion.endsWith(text)) &&
        !expected.includes(text.slice(0, 60)),
    );
  const said = reading.kind.kind === "feature" ? told : told.filter((text) => !/[:：]$/.test(text));
  const [first = told[0]] = said;
  if (first === undefined || reading.kind.kind === "feature") return first ?? null;
  // Of a fault, what is set up may come before what the title names.
  const title = stemsOf(reading.title);
  const isOfTitle = (text: string) => stemsOf(text).some((one) => title.includes(one));
  return isOfTitle(first) ? first : (said.find(isOfTitle) ?? first);
}

/** “cronwatch 0.9.2, Python 3.11.4, Debian 12.” tells where it happens, and not what. */
function listsVersions(text: string): boolean {
  const parts = text
    .replace(/[.。]$/u, "")
    .split(/[,，、;/]\s*|\s+(?:on|with|and|auf|mit|und|con|y|sur|avec|et|com|e|на|с|и)\s+/u);
  const versions = parts.filter((part) => /(?:^|[\s@=v])v?\d+(?:\.\d+)*(?:[-+.]\w+)*$/iu.test(part));
  return (
    parts.every((part) => part.trim().split(/\s+/).length <= MOST_OF_A_VERSION) && 2 * versions.length >= parts.length
  );
}

/** Words: “Ubuntu Linux 24.04”. */
const MOST_OF_A_VERSION = 3;

/** The beginnings of words, so that “bounce” and “bounced” match. */
function stemsOf(text: string): string[] {
  return [...significantWords(text)]
    .filter((word) => word.length > 3 || /\p{Script=Han}/u.test(word))
    .map((word) => word.slice(0, 5));
}

/** The error of a stack trace, else a message that the code contains too, else one that reads like an error. */
export function symptomOf({ reading, findings, statements }: SpecInput, command: string | null): string | null {
  const error = reading.traces.find((trace) => trace.error)?.error;
  if (error && (error.message !== "" || !ASSERTION.test(error.type ?? "")))
    return oneLine([error.type, error.message].filter((part) => part !== null && part !== "").join(": "));
  const announced = announcedMessage(reading.sections.flatMap(({ blocks }) => blocks));
  if (announced !== null) return oneLine(announced);
  const printed = reading.blocks.flatMap((block) => (block.kind === "code" && !isExample(block) ? [block.text] : []));
  const failed = printed.map(errorIn).find((one) => one !== null);
  if (failed?.message) return oneLine(failed.message.replace(/^'(.*)'$/, "$1"));
  const inFindings = findings.flatMap((finding) => finding.sources.map((source) => source.snippet)).join("\n");
  // A constant of the example is a name, not what a program says.
  const shown = reading.blocks.flatMap((block) => (block.kind === "code" && isExample(block) ? [block.text] : []));
  // What somebody wants to keep is not what went wrong.
  if (statements.statements.some(({ text }) => MESSAGE.test(text) && STAYS.test(text))) return null;
  const isNoFault = noFaultsIn(reading);
  // A command is run; it is not what a program says.
  const messages = reading.facts.messages.filter(
    (message) =>
      command?.includes(message) !== true &&
      (!ERROR_CODE.test(message) || !shown.some((code) => code.includes(message))) &&
      !isNoFault(message),
  );
  const found =
    messages.find(
      (message) =>
        ERROR_CODE.test(message) && (inFindings.includes(message) || FAILING.test(message.replaceAll("_", " "))),
    ) ??
    messages.find((message) => message.length > 8 && inFindings.includes(message)) ??
    messages.find((message) => FAILING.test(message));
  return found === undefined ? null : oneLine(found);
}

const MESSAGE =
  /(?<!\p{L})(?:messages?|meldung(?:en)?|mensajes?|mensage(?:m|ns)|сообщени\p{L}+)(?!\p{L})|消息|メッセージ|提示信息/iu;

/** Tells of a message whether the wanted result names it, a step runs it, or another message contains it. */
function noFaultsIn({ aspects, text: body, facts }: SpecInput["reading"]): (message: string) => boolean {
  const wanted = [
    ...sentencesOf(aspects.expected.text ?? ""),
    ...sentencesOf(body).filter(({ text }) => RATHER.test(text)),
  ].filter(({ text }) => !isNegated(text));
  return (message) =>
    wanted.some(({ text }) => text.includes(message)) ||
    isSetting(message, body) ||
    facts.messages.some((other) => other !== message && other.includes(message)) ||
    new RegExp(`^[ \\t]*\\d+[.)]\\s+\`${escapeRegExp(message)}\``, "m").test(body);
}

/** The name of a variable that is set or not, rather than a message. */
function isSetting(name: string, body: string): boolean {
  if (!ERROR_CODE.test(name)) return false;
  const tells = "is|was|isn['’]t|wasn['’]t|to|unset|ist|nicht|está|n['’]est|est|não|не";
  return new RegExp(
    `(?<![\\w])${name}\`?(?:=|\\s+(?:${tells})(?: \\p{L}+){0,2}? ?(?:set|unset|gesetzt|definid[ao]|définie?|задан\\p{L}*|=))|\\benv\\.${name}(?!\\w)`,
    "iu",
  ).test(body);
}

/** Says what somebody would have liked to get. */
const RATHER =
  /(?<!\p{L})(?:i(?:['’]d| would) (?:rather|prefer|like|love|expect)|lieber|preferir[ií]a|préférerais|хотелось бы)(?!\p{L})|ほうがいい|更希望/iu;

const LONGEST_MESSAGE = 200;
/** Announces what a program says when it fails. */
const FAILURE_FOLLOWS =
  /(?:errors?|exceptions?|messages?|fails? with|ошибк\p{L}*|сообщени\p{L}*|fehler\p{L}*|meldung|mensaje|mensagem|erro|message|erreur|报错|错误|エラー|メッセージ)[^.]{0,40}[:：]$/iu;

/** One line of code after words such as “I get the error:”; null without it. */
function announcedMessage(blocks: readonly Block[]): string | null {
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1];
    if (block.kind !== "paragraph" || block.quoted || !FAILURE_FOLLOWS.test(block.text.trim())) continue;
    const said =
      next?.kind === "code"
        ? next.text.trim()
        : /^`([^`\n]+)`$/.exec((next?.kind === "paragraph" ? next.text : "").trim())?.[1];
    if (said !== undefined && said !== "" && !said.includes("\n") && said.length <= LONGEST_MESSAGE) return said;
  }
  return null;
}

function oneLine(text: string): string | null {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat === "" ? null : flat;
}
