import { anyPhrase, phrasePattern, wholePhrase } from "./phrases.ts";
import phrases from "./kind-phrases.json" with { type: "json" };
import { isQuestion, sentencesOf } from "./sentences.ts";
import type { Section } from "./sections.ts";
import { namesOther, resultInCode, tellsResult } from "./shown-results.ts";

const ISSUE_KINDS = ["bug", "feature", "docs", "chore", "question", "performance"] as const;
/** What an issue asks for. */
export type IssueKind = (typeof ISSUE_KINDS)[number];

export interface KindReading {
  kind: IssueKind;
  /** What spoke for it, the strongest first: `label bug`, `title: crash`, … */
  reasons: string[];
}

const LABELS: Record<IssueKind, RegExp> = {
  bug: /\b(?:bug|defect|regression|crash|error|fault|broken|security|vulnerability)\b|баг|ошибка|уязвимость|fehler|sicherheit/i,
  feature: /\b(?:feature|enhancement|improvement|request|proposal|rfc|story|idea)\b|功能|機能/i,
  docs: /\b(?:docs?|documentation)\b|文档/i,
  chore:
    /\b(?:chore|refactor(?:ing)?|cleanup|tech(?:nical)?[- ]debt|dependencies|ci|build|maintenance|tests?|internal)\b/i,
  question: /\b(?:question|support|help|discussion)\b|вопрос|问题咨询/i,
  performance: /\b(?:perf|performance|slow|memory|speed)\b|性能/i,
};

const PREFIX: Record<IssueKind, RegExp> = {
  bug: /^\W{0,4}(?:bug|fix|regression|баг|ошибка|fehler|error|erro|bogue|不具合|バグ)(?: report)?\s*[\]):：-]/iu,
  feature:
    /^\W{0,4}(?:feat(?:ure)?(?:[ _-]?req(?:uest)?)?|enhancement|proposal|rfc|idea|request|suggestion|wunsch|propuesta|proposition|proposta|предложение|фича|要望|建议|功能)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  docs: /^\W{0,4}(?:docs?|documentation|документация|dokumentation|文档)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  chore: /^\W{0,4}(?:chore|refactor|build|ci|test|deps|cleanup)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  question: /^\W{0,4}(?:question|help|q|вопрос|frage|pregunta|dúvida|質問|提问)\s*[\]):：-]/iu,
  performance: /^\W{0,4}(?:perf(?:ormance)?)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
};

/** Something is not as it should be. */
export const FAULT = anyPhrase(phrases.fault);

const WISH = anyPhrase(phrases.wish);

const OBSERVES = anyPhrase(phrases.observes);

/** Is not what the documentation says, or what was. */
const CONTRADICTS = anyPhrase(phrases.contradicts);

/** What comes out lacks something: a fault, unless the text asks for something new. */
const OMITS = anyPhrase(phrases.omits);
/** Asks for something new, in the first person. */
const NEEDS = anyPhrase(phrases.needs);
const LACKS = /(?<!\p{L})lacks?(?!\p{L})/giu;

const SLOW = anyPhrase(phrases.slow);

const DOCUMENTS = anyPhrase(phrases.documents);

const CHORES = anyPhrase(phrases.chores);

const ASKS = anyPhrase(phrases.asks);

/** Asks politely for something that is to be made. */
const REQUESTS = anyPhrase(phrases.requests);
/** Asks whether something is meant to be as it is. */
const INTENDS = anyPhrase(phrases.intends);
/** Who asks often has looked first. */
const SEARCHED = anyPhrase(phrases.searchedInVain);
/** “Would that be possible?” asks for what was told before. */
const CLOSES_REQUEST = wholePhrase(phrases.closesRequest);
const OPENS_QUESTION = phrasePattern(String.raw`^[^\p{L}¿]*(?:${phrases.opensQuestion.spaced.join("|")})`);
const WHY = anyPhrase(phrases.why);

/** Classifies an issue from labels, title, sections, traces and words (R-PLAN-12). */
export function kindOf(given: {
  title: string;
  prose: string;
  labels: readonly string[];
  sections: readonly Section[];
  traces: number;
}): KindReading {
  const points = new Map<IssueKind, { points: number; reasons: { text: string; worth: number }[] }>();
  const speak = (kind: IssueKind, worth: number, text: string) => {
    const own = points.get(kind) ?? { points: 0, reasons: [] };
    own.points += worth;
    own.reasons.push({ text, worth });
    points.set(kind, own);
  };
  const prose = withoutClosing(given.prose);
  for (const kind of ISSUE_KINDS) {
    const label = given.labels.find((each) => LABELS[kind].test(each));
    if (label) speak(kind, 6, `label ${label}`);
    if (PREFIX[kind].test(given.title)) speak(kind, 6, `title begins with ${kind}`);
  }
  const start = prose.slice(0, READ);
  const isOtherResult = tellsOfOther(`${given.title.replace(/[.?？]?$/, ".")}\n\n${start}`, given.sections);
  const tells = given.traces > 0 || isOtherResult || tellsOfFault(start) || given.sections.some(isReport);
  const isContradiction = !tells && contradicts(start);
  const reports = tells || isContradiction;
  const omits = OMITS.test(given.title) && asksForNothingNew(`${given.title.replaceAll(LACKS, " ")}\n\n${start}`);
  if (omits) speak("bug", 3.5, "title: something is left out");
  readTitle(given.title, reports || omits, speak);
  readSections(given.sections, speak);
  if (given.traces > 0) speak("bug", 2, "a stack trace");
  readProse(prose, speak);
  if (isOtherResult) speak("bug", 2, "another result is expected");
  if (isContradiction) speak("bug", 2, "it is not as documented, or as before");
  if (!reports && onlyAsks(given.title, prose)) speak("question", 3, "the text only asks");
  const ranked = ISSUE_KINDS.map((kind) => ({ kind, own: points.get(kind) })).toSorted(
    (a, b) => (b.own?.points ?? 0) - (a.own?.points ?? 0),
  );
  const best = ranked[0];
  if (!best?.own) return { kind: "feature", reasons: ["nothing says that something is broken"] };
  const reasons = best.own.reasons.toSorted((a, b) => b.worth - a.worth).map((reason) => reason.text);
  return { kind: best.kind, reasons: [...new Set(reasons)].slice(0, 6) };
}

/** Without a last question that only refers to what stands before it. */
function withoutClosing(prose: string): string {
  const sentences = sentencesOf(prose.slice(0, READ));
  const last = sentences.findLast(({ text }) => isQuestion(text));
  const isFirst = last === undefined || last === sentences[0];
  if (isFirst || !CLOSES_REQUEST.test(last.text.replace(OPENING_WORDS, "").replace(/[\s?？!.]+$/u, ""))) return prose;
  return `${prose.slice(0, last.start)}${prose.slice(last.end)}`;
}

const OPENING_WORDS =
  /^[¿\s]*(?:(?:(?:so|and|or|und|oder|also|y|et|e|alors|entonces|и|так)(?!\p{L})|那么?|では)[,，、]?\s*)?[¿\s]*/iu;

type Speak = (kind: IssueKind, worth: number, reason: string) => void;

/** `reports`: the text has what only a report of a fault has, so that a question in the title asks for no answer. */
function readTitle(title: string, reports: boolean, speak: Speak): void {
  const words = title.replaceAll(/`[^`]*`/g, " ");
  const say = (kind: IssueKind, worth: number, pattern: RegExp) => {
    const found = pattern.exec(words)?.[0];
    if (found !== undefined) speak(kind, worth, `title: ${found}`);
  };
  say("bug", 3, FAULT);
  // A title that begins with an action requests it.
  const wish = WISH.exec(words);
  if (wish) speak("feature", wish.index <= 3 ? 4 : 2.5, `title: ${wish[0]}`);
  if (
    /^\W{0,3}(?:(?:[A-Z][A-Za-z]+|allow|generate|pass|load|show|use|let|make|create|return|expose|handle|accept|emit|print|display|set|include)\s)/.test(
      words,
    ) &&
    /^\W{0,3}(?:generate|pass|load|show|use|let|make|create|return|expose|accept|emit|print|display|include|unroll|better|more|new)\s/i.test(
      words,
    )
  ) {
    speak("feature", 2.5, "title says what to do");
  }
  if (/(?<![\p{L}])(?:should|must|ought to)(?![\p{L}])/iu.test(words) && !/should(?:n't| not)/i.test(words))
    speak("feature", 1.5, "title: should");
  say("performance", 4, SLOW);
  say("docs", 4, DOCUMENTS);
  say("chore", 3.5, CHORES);
  const isRequest = REQUESTS.test(words);
  if (isRequest) speak("feature", 3, "title asks for it");
  // “Why does it crash?” complains.
  if (isRequest || reports || (WHY.test(words) && FAULT.test(words))) return;
  if (isQuestion(title)) {
    speak("question", 3, "title is a question");
    if (OPENS_QUESTION.test(words)) speak("question", 1.5, "title asks");
    say("question", 1.5, INTENDS);
  }
  say("question", 2, ASKS);
}

/** A section of a form for faults, filled in. */
function isReport({ topic, text }: Section): boolean {
  return text !== "" && (topic === "reproduction" || topic === "expected" || topic === "actual");
}

/** “I get an error when I call it.” */
function tellsOfFault(prose: string): boolean {
  return sentencesOf(prose).some(({ text }) => !isQuestion(text) && OBSERVES.test(text) && FAULT.test(text));
}

function asksForNothingNew(text: string): boolean {
  return !WISH.test(text) && !REQUESTS.test(text) && !NEEDS.test(text);
}

/** “But the docs say once.” or “It used to run once.” */
function contradicts(prose: string): boolean {
  return sentencesOf(prose).some(({ text }) => !isQuestion(text) && !WISH.test(text) && CONTRADICTS.test(text));
}

/** Under a title without a fault or a wish, the text has a question, and tells of no fault and no wish. */
function onlyAsks(title: string, prose: string): boolean {
  if (FAULT.test(title) || WISH.test(title)) return false;
  const sentences = sentencesOf(prose.slice(0, READ)).filter(({ text }) => text !== title);
  const told = sentences.filter(({ text }) => !isQuestion(text));
  return (
    sentences.length > told.length &&
    told.every(({ text }) => !FAULT.test(text.replace(SEARCHED, " ")) && !WISH.test(text)) &&
    !sentences.some(({ text }) => REQUESTS.test(text))
  );
}

const READ = 4_000;

function readSections(sections: readonly Section[], speak: Speak): void {
  for (const { topic, title, text } of sections) {
    if (title === "") continue;
    const worth = text === "" ? 0.4 : 1;
    if (/bug|баг|ошибк|fehler|バグ|不具合|错误/iu.test(title)) speak("bug", 2 * worth, `section ${title}`);
    if (/feature|enhancement|proposal|предлож|wunsch|功能|要望/iu.test(title))
      speak("feature", 4 * worth, `section ${title}`);
    switch (topic) {
      case "reproduction":
        speak("bug", 1.5 * worth, `section ${title}`);
        break;
      case "expected":
      case "actual":
        speak("bug", 1.2 * worth, `section ${title}`);
        break;
      case "use_case":
      case "proposal":
        speak("feature", 2.5 * worth, `section ${title}`);
        break;
      case "alternatives":
        speak("feature", /workaround|обход|回避|contourn/iu.test(title) ? 0 : 2 * worth, `section ${title}`);
        break;
      case "acceptance":
        speak("feature", 1.5 * worth, `section ${title}`);
        break;
      default:
    }
  }
}

/** In so many words, and not as a question. */
const DENIES_BUG =
  /(?:\b(?:am|is|it['’]s|i['’]m) not (?:really |actually )?(?:calling (?:it|this|that) )?an? bug(?: report)?\b|\bkein (?:bug|fehlerbericht)\b|\bno es un (?:bug|error)\b|n['’]est pas (?:vraiment )?un bug|não é (?:um )?(?:bug|erro)|это не (?:баг|ошибка)|不是\s*(?:bug|错误|缺陷)|(?:バグ|不具合)では(?:ない|ありません|なく))(?! (?:in|of) )(?![^.!?？。\n]*[?？])/iu;

function readProse(prose: string, speak: Speak): void {
  const start = prose.slice(0, READ);
  const count = (pattern: RegExp) => Math.min(4, [...start.matchAll(new RegExp(pattern, "giu"))].length);
  const faults = count(FAULT);
  if (faults > 0) speak("bug", 0.5 * faults, "words of failure");
  const wishes = count(WISH);
  if (wishes > 0) speak("feature", 0.5 * wishes, "words of wishing");
  if (DENIES_BUG.test(start)) speak("bug", -6, "says that it is no bug");
  if (count(OBSERVES) > 0) speak("bug", 0.6, "tells what happens");
  const slow = count(SLOW);
  if (slow > 1) speak("performance", 0.5 * slow, "words about speed");
  const asks = count(ASKS);
  if (asks > 0) speak("question", 0.3 * asks, "asks how");
  const documents = count(DOCUMENTS);
  if (documents > 1) speak("docs", 0.3 * documents, "speaks of documentation");
}

/** “It returns 2. Expected: 3.” or “It returns 2 instead of 3.”, in words or beside a call in code. */
function tellsOfOther(text: string, sections: readonly Section[]): boolean {
  const sentences = sentencesOf(text).map((one) => (WISH.test(one.text) ? "" : one.text));
  const code = resultInCode(sections.flatMap(({ blocks }) => blocks));
  if (code !== null && (code.differs || sentences.some((one) => namesOther(one)))) return true;
  const [title = ""] = sentences;
  return sentences.some((one, at) => namesOther(one) && [title, sentences[at - 1] ?? "", one].some(tellsResult));
}
