import { type Gap, type Topic, SEVERITIES } from "../../domain/gap.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { isFiller } from "../../domain/issue-text/stop-words.ts";
import { FAULT } from "../../domain/issue-text/kind.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import type { Statement } from "../../domain/statements/statements.ts";
import type { SpecInput } from "../generator.ts";
import { hasExample } from "../reproduction.ts";
import { requestsInForce } from "../revision.ts";
import { type Bounds, boundsOf, sentencesOfIssue } from "./bounds.ts";
import { isAnnouncement, isExampleOnly, isFragment, linkIn, pointsAt, wantedOf, withAntecedent } from "./clues.ts";
import { type Heard, heardIn } from "./heard.ts";
import { commandOf, commandStepOf } from "./commands.ts";
import { type Place, placesOf } from "./places.ts";
import { clause, expectation, phrase, plain } from "./plain.ts";

/** People's words on a topic, unshortened, and the gap that they answer, if any. */
export interface Said {
  text: string;
  gap: number | null;
  /** For a later request: its position in the thread. */
  message?: number;
}

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
  /** Prefers an answer to the issue's own text; null if there is only an assumption or nothing. */
  said: (topic: Topic) => Said | null;
  assumed: (topic: Topic) => Said | null;
  /** Acceptance criteria, in people's words. */
  criteria: Said[];
  /** Why it is wanted or what it is about, as one sentence of the issue; null if the title is enough. */
  need: string | null;
  proposal: string | null;
  /** The issue shows its case as code, which the spec carries over. */
  hasExample: boolean;
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
  /** Statements of people that the rest of the spec does not say. */
  heard: Heard;
  /** Code to change, most certain first; places that only share words are omitted if there are better ones. */
  places: Place[];
  docs: Place[];
  tests: Place[];
  /** Calls of the stack trace within the repository, outermost first. */
  calls: Place[];
}

const MOST_CRITERIA = 8;
const MOST_CIRCUMSTANCES = 3;
const MOST_CALLS = 4;
/** Characters; shorter messages such as "Thanks!" request nothing. */
const SHORTEST_REQUEST = 12;
const FAILING =
  /\b(?:error|exception|fail|cannot|can't|unable|invalid|undefined|null|denied|refused|panic|traceback|mismatch)/i;
/** About the writer: their observations and opinions are no outcome. */
const OWN_THOUGHT = /^(?:i|we|my)\b/i;
const ABOUT_WRITER = /^(?:i|we)(?:['’](?:m|re)| am| are)\b/i;
/** A test that fails on purpose. */
const ASSERTION = /^(?:\w+\.)*Assertion(?:Failed)?Error$/;
const ERROR_CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** Describes a result rather than a step. */
const OUTCOME =
  /(?<![\p{L}])(?:only|afterwards|nur|danach|только|после этого|seulement|apenas|not|n't|never|missing|wrong|instead|but|fails?|errors?|не|нет|вместо|ошибк\p{L}*|nicht|fehl\p{L}*|kein\p{L}*|falsch|no|falta|pero|pas|manque|mais|não|mas|works?|работает|funktioniert|funciona|fonctionne)(?![\p{L}])|不|没|错|ない|ません|エラー/iu;

export function factsOf(input: SpecInput, leftOut: readonly Statement[]): SpecFacts {
  const { reading, closedGaps } = input;
  const { kind } = reading.kind;
  const isRequest = kind === "feature" || kind === "chore";
  const byTopic = (topic: Topic, reason: Gap["closedReason"]) => {
    const gap = closedGaps.find((one) => one.topic === topic && one.closedReason === reason);
    return gap && plain(gap.closedNote ?? "") !== "" ? { text: gap.closedNote ?? "", gap: gap.number } : null;
  };
  const said = (topic: Topic): Said | null => {
    const { text, from } = reading.aspects[topic];
    // The title is already used, and code is no sentence.
    const own = text === undefined || from === "title" ? "" : ownWords(text, from === "section");
    const isUnusable =
      plain(own) === "" ||
      isExampleOnly(own) ||
      (text !== undefined && from !== "section" && isAnnouncement(text)) ||
      (from === "section" && topic === "expected" && isAnnouncement(own) && !(isRequest && pointsAt(own))) ||
      (topic === "actual" && isFragment(own)) ||
      /^(?:https?:\S+\s*)+$/.test(own) ||
      (topic === "expected" && OWN_THOUGHT.test(expectation(own)));
    const found = byTopic(topic, "answered") ?? (isUnusable ? null : { text: own, gap: null });
    if (found && topic === "actual" && from !== "section")
      return { ...found, text: withAntecedent(found.text, sentencesOfIssue(reading)) };
    return found && topic === "expected" ? { ...found, text: expectation(found.text) } : found;
  };
  const steps = said("reproduction");
  const command = commandOf(input, steps?.gap == null ? null : steps.text);
  const places = placesOf(input, command);
  const answers = closedGaps
    .filter((gap) => gap.closedReason === "answered")
    .map((gap) => ({ gap, message: messageOf(gap, input) }));
  const inCode = places.filter((place) => place.role !== "test" && place.role !== "docs");
  const certain = inCode.filter((place) => place.tie !== "words");
  const isRanked = input.findings.some(({ sources }) => sources[0]?.found_by !== undefined);
  return {
    kind,
    isRequest,
    title: phrase(reading.title, 100) || phrase(input.issue.title, 100) || "Untitled",
    said,
    assumed: (topic) => byTopic(topic, "inferred"),
    criteria: criteriaOf(input, said("acceptance")),
    requests: requestsOf(input, answers),
    need: needOf(input),
    proposal: reading.proposal,
    hasExample: hasExample(reading),
    wanted: wantedOf(reading),
    symptom: isRequest || kind === "docs" ? null : symptomOf(input),
    command,
    link: linkIn(withoutCode(said("reproduction")?.text ?? "")),
    commandStep: commandStepOf(withoutCode(said("reproduction")?.text ?? ""), command),
    circumstances: circumstancesOf(said("reproduction"), command, reading.aspects.reproduction.from === "code"),
    answers,
    assumptions: closedGaps
      .filter((gap) => gap.closedReason === "inferred")
      .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.number - b.number),
    bounds: boundsOf(input, isRequest),
    heard: heardIn(leftOut, isRequest),
    places: isRanked ? inCode : certain.length > 0 ? certain : inCode.slice(0, 2),
    docs: places.filter(
      (place) => place.role === "docs" && (place.tie !== "words" || kind === "docs") && isGuide(place),
    ),
    tests: places.filter((place) => place.role === "test"),
    calls: inCode
      .filter((place) => place.depth !== null)
      .toSorted((a, b) => (a.depth ?? 0) - (b.depth ?? 0))
      .slice(0, MOST_CALLS)
      .toReversed(),
  };
}

/** Changelogs describe the past, not the current behaviour, unless the issue names them. */
function isGuide({ path, tie }: Place): boolean {
  return tie === "named" || !/(?:^|\/)(?:changelog|changes|history|news|releases?)\b[^/]*$/i.test(path);
}

/** Removes code from prose: the reading may have appended the code that follows a sentence. */
function ownWords(text: string, isSection: boolean): string {
  return isSection ? text : clause((text.split("\n")[0] ?? "").trim());
}

/** A sentence that is no question, states no expectation, and says more than a greeting. */
function needOf({ reading }: SpecInput): string | null {
  const expected = oneLine(reading.aspects.expected.text ?? "") ?? "";
  const sentence = sentencesOfIssue(reading)
    .map((text) => text.trim())
    .find(
      (text) =>
        text.length > 24 &&
        !/^https?:\S+$/.test(text) &&
        !/[?？]$/.test(text) &&
        !isFiller(text) &&
        expectation(text) === text &&
        !isFragment(text) &&
        !ABOUT_WRITER.test(text) &&
        !expected.includes(text.slice(0, 60)),
    );
  return sentence ?? null;
}

/** The issue's acceptance criteria, and an answer to what must pass. */
function criteriaOf({ reading }: SpecInput, acceptance: Said | null): Said[] {
  const own = reading.acceptanceCriteria.map((text) => ({ text, gap: null }));
  const answer = acceptance?.gap == null ? [] : [acceptance];
  return [...answer, ...own].filter(({ text }) => plain(text) !== "").slice(0, MOST_CRITERIA);
}

/** Requests made after an earlier version, except those already used as the answer to a question. */
function requestsOf(input: SpecInput, answers: Answer[]): Said[] {
  const answering = new Set(answers.map((answer) => answer.message?.seq));
  // Each of several statements has its own place.
  const stated = (seq: number) => input.statements.statements.filter(({ message }) => message === seq).length;
  return requestsInForce(input)
    .filter(
      (message) =>
        !answering.has(message.seq) && stated(message.seq) < 2 && plain(message.content).length > SHORTEST_REQUEST,
    )
    .map((message) => ({ text: message.content, gap: null, message: message.seq }))
    .slice(-MOST_CRITERIA);
}

/** The error of a stack trace, else a message that the code contains too, else one that reads like an error. */
function symptomOf({ reading, findings }: SpecInput): string | null {
  const error = reading.traces.find((trace) => trace.error)?.error;
  if (error && (error.message !== "" || !ASSERTION.test(error.type ?? "")))
    return oneLine([error.type, error.message].filter((part) => part !== null && part !== "").join(": "));
  const inFindings = findings.flatMap((finding) => finding.sources.map((source) => source.snippet)).join("\n");
  const { messages } = reading.facts;
  const found =
    messages.find(
      (message) =>
        ERROR_CODE.test(message) && (inFindings.includes(message) || FAILING.test(message.replaceAll("_", " "))),
    ) ??
    messages.find((message) => message.length > 8 && inFindings.includes(message)) ??
    messages.find((message) => FAILING.test(message));
  return found === undefined ? null : oneLine(found);
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
  const found = messages.findLast(
    ({ content, role }) => role !== "self" && start !== "" && folded(content).includes(start),
  );
  if (!found) return null;
  return { author: plain(found.author, 60), day: found.timestamp.toISOString().slice(0, 10), seq: found.seq };
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function oneLine(text: string): string | null {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat === "" ? null : flat;
}
