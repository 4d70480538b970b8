import { type Gap, type Topic, SEVERITIES } from "../../domain/gap.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { FAULT } from "../../domain/issue-text/kind.ts";
import { sameLogin } from "../../domain/login.ts";
import { isQuestion, sentencesOf } from "../../domain/issue-text/sentences.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { verdictOf } from "../../approval/verdict.ts";
import type { SpecInput } from "../generator.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { requestsInForce } from "../revision/changelog.ts";
import { type Bounds, boundsOf } from "./bounds.ts";
import { linkIn, wantedOf, withoutQuestions } from "./clues.ts";
import { occasionIn } from "./conditions.ts";
import { type Example, examplesIn, namesOfWanted } from "./examples.ts";
import { type Heard, heardIn, isWay, recordBeside, saysSame } from "./heard.ts";
import { criteriaOf, criteriaSpokenOf } from "./criteria.ts";
import { commandOf, commandStepOf } from "./commands.ts";
import { type Said, needOf, ownSaid, questionIn, symptomOf } from "./own-words.ts";
import { type Place, placesOf } from "./places.ts";
import { isLong, requestsOf, unstated } from "./requests.ts";
import { type WishedWork, type WishesHeard, isCodePlace, wishesHeard } from "./wished.ts";
import { clause, expectation, phrase, plain } from "./plain.ts";

export interface Answer {
  gap: Gap;
  /** The message that contains the answer, with its author and date; null if unknown. */
  message: { author: string; day: string; seq: number } | null;
}

/** The input of a spec, sorted for the rules. */
export interface SpecFacts {
  kind: IssueReading["kind"]["kind"];
  /** The issue asks for something new rather than a fix. */
  isRequest: boolean;
  title: string;
  /** The questions that the documentation is to answer; null if something else is wanted. */
  question: string | null;
  /** Prefers an answer to the issue's own text; null if there is only an assumption or nothing. */
  said: (topic: Topic) => Said | null;
  assumed: (topic: Topic) => Said | null;
  /** Acceptance criteria, in people's words. */
  criteria: Said[];
  /** Criteria of a fault of which the discussion speaks: they may be refused. */
  spokenOf: string[];
  /** Why it is wanted or what it is about, as one sentence of the issue; null if the title is enough. */
  need: string | null;
  proposal: string | null;
  /** The code by which the issue shows its case. */
  examples: Example[];
  /** The new name, option or utility that the title asks for; null if it names none. */
  wanted: string | null;
  /** Requests for a revision. */
  requests: Said[];
  /** The message that people saw when the failure occurred. */
  symptom: string | null;
  /** The command that reproduces the case, if one is given. */
  command: string | null;
  /** The reproduction step that contains the command, if it says more than the command alone. */
  commandStep: string | null;
  /** Link to a reproduction, if there is no other one. */
  link: string | null;
  /** Steps or an input that reproduce the case, as sentences, without the command. */
  circumstances: string[];
  answers: Answer[];
  /** Gaps closed by an assumption, most severe first. */
  assumptions: Gap[];
  bounds: Bounds;
  /** The case in which it happens, in the issue's words; null if no sentence says it. */
  occasion: string | null;
  /** Those who decide discussed it: their decisions hold, also where they refuse what the issue asks for. */
  isDiscussed: boolean;
  /** The one decision is a no: nothing is to be built. */
  isDeclined: boolean;
  /** The one decision, if it says what is to be seen; null if it answers, asks or only proposes a way. */
  onlyOutcome: Statement | null;
  /** What may have refused, put off or settled the issue; null if nothing seems to. */
  mayBeOver: Statement | null;
  /** Statements of people that the rest of the spec does not say. */
  heard: Heard;
  /** Code to change, most certain first; places that only share words are omitted if there are better ones. */
  places: Place[];
  docs: Place[];
  tests: Place[];
  /** What later wishes add to the plan, by the numbers of their messages. */
  wished: ReadonlyMap<number, WishedWork>;
  forbiddenIn: WishesHeard["forbiddenIn"];
  /** New files where an order not to touch others puts the work. */
  put: readonly string[];
  /** Nothing but some files is to change, not even a test. */
  testsStay: boolean;
  /** Calls of the stack trace within the repository, outermost first. */
  calls: Place[];
}

const MOST_CIRCUMSTANCES = 3;
const MOST_CALLS = 4;
/** Describes a result rather than a step. */
const OUTCOME =
  /(?<![\p{L}])(?:only|afterwards|nur|danach|только|после этого|seulement|apenas|not|n't|never|missing|wrong|instead|but|fails?|errors?|не|нет|вместо|ошибк\p{L}*|nicht|fehl\p{L}*|kein\p{L}*|falsch|no|falta|pero|pas|manque|mais|não|mas|works?|работает|funktioniert|funciona|fonctionne)(?![\p{L}])|不|没|错|ない|ません|エラー/iu;

export function factsOf(input: SpecInput, leftOut: readonly Statement[], say: Translate<"spec">): SpecFacts {
  const { reading, closedGaps } = input;
  const examples = examplesIn(reading, say);
  const answers = closedGaps
    .filter((gap) => gap.closedReason === "answered")
    .map((gap) => ({ gap, message: messageOf(gap, input) }));
  const answered = answers.map(({ message }) => message?.seq);
  const placed = [...answered, ...requestsInForce(input).flatMap((one) => (isLong(one) ? [] : [one.seq]))];
  const record = recordBeside(placed, input.statements);
  // Where nobody wants the code to change, the documentation answers a question.
  const isForDocs =
    reading.kind.kind === "question" &&
    record.length === 0 &&
    closedGaps.some(({ topic, closedReason }) => topic === "acceptance" && closedReason === "inferred");
  const kind = isForDocs ? "docs" : reading.kind.kind;
  const isRequest = isWanted(kind);
  const isSettled = isRequest && record.length > 0;
  const spokenOf = criteriaSpokenOf(input, isRequest ? record : input.statements.record);
  const verdict = verdictOf({ ...input.issue, isRequest }, input.messages, input.statements.record);
  const isDeclined = verdict.kind === "declined";
  const byTopic = (topic: Topic, reason: Gap["closedReason"]) => {
    const gap = closedGaps.find((one) => one.topic === topic && one.closedReason === reason);
    return gap && plain(gap.closedNote ?? "") !== "" ? { text: gap.closedNote ?? "", gap: gap.number } : null;
  };
  const need = needOf(input, examples);
  const command = commandOf(input, byTopic("reproduction", "answered")?.text ?? null);
  const heardWishes = wishesHeard(input, placesOf(input, command));
  const { places, wished, isBound: isOut, forbiddenIn, put, testsStay } = heardWishes;
  const stated = leftOut.filter((one) => !heardWishes.isLifted(one));
  const isBound = (one: Pick<Statement, "text" | "message">) => forbiddenIn(one).length > 0 || isOut(one);
  const criteria = criteriaOf(input, byTopic("acceptance", "answered"), spokenOf);
  const isJudged = (one: Statement) => one.message === null && criteria.some(({ text }) => text.endsWith(one.text));
  const byReporter = (message: number) =>
    sameLogin(input.messages.find(({ seq }) => seq === message)?.author ?? "", input.issue.reporter);
  const within = heardIn(
    stated.filter((one) => !isBound(one) && !isJudged(one)),
    { isRequest, reporter: input.issue.reporter, proposal: reading.proposal, record, byReporter },
  );
  const heard = { ...within, bounds: [...within.bounds, ...stated.filter(isBound), ...unstated(input, isOut)] };
  const own = (topic: Topic) => byTopic(topic, "answered") ?? ownSaid(topic, input, { isRequest, examples, say });
  // The first wish is the requested case, where nothing else says what that is.
  const wish =
    isRequest && own("expected") === null && reading.acceptanceCriteria.length === 0
      ? heard.wishes.find(({ message }) => message === null)
      : undefined;
  const said = (topic: Topic): Said | null => {
    if (topic === "expected" && wish !== undefined) return { text: shownIn(expectation(wish.text)), gap: null };
    const found = own(topic);
    // Why it happens is not what happens.
    const isWhy =
      topic === "actual" &&
      found?.gap === null &&
      reading.explanations.some((one) => saysSame(one, found.text)) &&
      need !== null;
    if (isWhy) return { text: need, gap: null };
    return found && topic === "expected" ? { ...found, text: expectation(found.text) } : found;
  };
  const shownIn = (text: string) => {
    const example = namesOfWanted(examples);
    return example === null ? text : say("as_shown", { text: clause(text), example });
  };
  const inCode = places.filter(isCodePlace);
  const certain = inCode.filter((place) => place.tie !== "words");
  const isRanked = input.findings.some(({ sources }) => sources[0]?.found_by !== undefined);
  return {
    kind,
    isRequest,
    question: isForDocs ? questionIn(reading) : null,
    title: phrase(reading.title, 100) || phrase(input.issue.title, 100) || "Untitled",
    said,
    assumed: (topic) => byTopic(topic, "inferred"),
    criteria,
    spokenOf: isRequest ? [] : spokenOf,
    requests: requestsOf(input, new Set(answered), (one) =>
      sentencesOf(one.text).length === 1 ? isBound(one) : isOut(one),
    ),
    need,
    proposal: reading.proposal,
    examples,
    wanted: wantedOf(reading),
    symptom: isRequest || kind === "docs" ? null : symptomOf(input, command),
    command,
    link: linkIn(withoutCode(said("reproduction")?.text ?? reading.aspects.reproduction.text ?? "")),
    commandStep: commandStepOf(withoutCode(said("reproduction")?.text ?? ""), command),
    circumstances: circumstancesOf(said("reproduction"), command, reading.aspects.reproduction.from === "code"),
    answers,
    assumptions: closedGaps
      .filter((gap) => gap.closedReason === "inferred")
      .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.number - b.number),
    bounds: boundsOf(input, isRequest),
    isDiscussed: record.length > 0 || heard.decisions.some(({ message }) => message !== null),
    isDeclined,
    onlyOutcome: isRequest || isWished(input.statements) ? onlyOutcomeOf(input.statements.record, reading.kind) : null,
    mayBeOver: verdict.kind === "doubtful" ? verdict.by : null,
    heard: withoutQuestions({
      ...heard,
      wishes: heard.wishes.filter(
        (one) =>
          one !== wish &&
          !(
            one.message === null &&
            (isSettled || spokenOf.some((text) => saysSame(text, one.text)) || isQuestion(expectation(one.text)))
          ),
      ),
    }),
    occasion: occasionIn(reading),
    places: isDeclined ? [] : isRanked ? inCode : certain.length > 0 ? certain : inCode.slice(0, 2),
    docs: places.filter(
      (place) => place.role === "docs" && (place.tie !== "words" || kind === "docs") && isGuide(place),
    ),
    tests: places.filter((place) => place.role === "test"),
    wished,
    forbiddenIn,
    testsStay,
    put: put.filter((path) => !places.some((place) => place.path === path)),
    calls: inCode
      .filter((place) => place.depth !== null)
      .toSorted((a, b) => (a.depth ?? 0) - (b.depth ?? 0))
      .slice(0, MOST_CALLS)
      .toReversed(),
  };
}

/** Whether the one message of those who decide wants an outcome, and no way. */
function isWished({ statements, record }: SpecInput["statements"]): boolean {
  return statements.some((one) => one.kind === "wish" && one.message === record[0]?.message && !isWay(one));
}

/** Characters of a decision that a test can be read from. */
const MOST_DECIDED = 300;

function onlyOutcomeOf(record: readonly Statement[], { kind }: IssueReading["kind"]): Statement | null {
  const [only, ...others] = record;
  const isShown = only !== undefined && others.length === 0 && only.text.length <= MOST_DECIDED;
  return isShown && kind !== "question" && !/[“?？]/.test(only.text) ? only : null;
}

/** Changelogs describe the past, not the current behaviour, unless the issue names them. */
function isGuide({ path, tie }: Place): boolean {
  return tie === "named" || !/(?:^|\/)(?:changelog|changes|history|news|releases?)\b[^/]*$/i.test(path);
}

/** Asks for something new, or asks something. */
function isWanted(kind: SpecFacts["kind"]): boolean {
  return kind === "feature" || kind === "chore" || kind === "question";
}

/** What is said to announce code is no step. */
function circumstancesOf(steps: Said | null, command: string | null, announcesCode: boolean): string[] {
  if (steps === null || (announcesCode && steps.gap === null)) return [];
  return sentencesOf(withoutCode(steps.text))
    .map((sentence) => phrase(sentence.text, 170).replace(EXAMPLE_FOLLOWS, ""))
    .filter((text) => isMeaningful(text) && !OUTCOME.test(text) && !FAULT.test(text))
    .filter((text) => command === null || !text.includes(command))
    .slice(0, MOST_CIRCUMSTANCES);
}

const EXAMPLE_FOLLOWS =
  /[,;]?\s*(?:for example|for instance|e\.g|zum Beispiel|z\. ?B|например|por ejemplo|par exemple|por exemplo)[.:,]?$/iu;

/** Enough words to mean something, and no line of code. */
function isMeaningful(text: string): boolean {
  if (text.includes("://")) return false;
  const outside = text.replaceAll(/`[^`]*`/g, "…");
  const words = outside.match(/[\p{L}\p{N}…]{2,}|…/gu)?.length ?? 0;
  const isCode = /[{};]|=>|\)\.|\w\(|^[\w-]+:\s/.test(outside);
  return !isCode && (words >= 4 || /[\u3040-\u30ff\u4e00-\u9fff]{6,}/.test(outside));
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n\n");
}

/** The message that an answer was taken from, which keeps people's words unchanged. */
function messageOf(gap: Gap, { messages }: SpecInput): Answer["message"] {
  const start = folded(gap.closedNote ?? "").slice(0, 60);
  const answered = messages.find(({ externalId }) => externalId === gap.answeredIn);
  const found =
    answered ??
    messages.findLast(({ content, role }) => role !== "self" && start !== "" && folded(content).includes(start));
  if (!found) return null;
  return { author: plain(found.author, 60), day: found.timestamp.toISOString().slice(0, 10), seq: found.seq };
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
