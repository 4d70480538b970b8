import { forbidsPlaces } from "../statements/places-meant.ts";
import { onlyAsksForFix } from "../statements/sentence.ts";
import { type Block, plainText } from "./markdown.ts";
import { FAULT, type IssueKind } from "./kind.ts";
import {
  ASIDE_REMARK,
  ASKED_TO_REPRODUCE,
  BOUNDS,
  COMPATIBLE,
  DENIES_ONLY,
  EXPECTS,
  HAPPENS,
  KEEPS_EXISTING,
  NOT_NEEDED,
  PLAYGROUND,
  POLITE,
  COMMAND_TELLS,
  UNREAL,
  REPRODUCES,
  SHOULD,
  WOULD_EXPECT,
  withoutCode,
} from "./aspect-words.ts";
import { BUT, contrastIn } from "./contrast.ts";
import { isExample } from "./example.ts";
import { happensIn, mostTelling, tellsOfCase } from "./most-telling.ts";
import { anyOf } from "./phrases.ts";
import { proseSentences } from "./prose-sentences.ts";
import { checkbox, isFeeling } from "./stop-words.ts";
import { isQuestion, sentencesOf, type Sentence } from "./sentences.ts";
import { type SectionTopic, topicOf } from "./section-titles.ts";
import type { Section } from "./sections.ts";
import { INSTEAD, type ShownResult, resultIn, resultInCode, showsResult } from "./shown-results.ts";
import type { StackTrace } from "./stack-traces.ts";

/** The source of an answer. */
export type AspectSource = "section" | "prose" | "title" | "code" | "trace" | "link" | "comment";

/** Whether the issue already contains something that would otherwise be asked. */
export interface Aspect {
  present: boolean;
  /** Its text, in its own words. */
  text?: string;
  from?: AspectSource;
}

/** The aspects by the topics of questions. */
export interface Aspects {
  reproduction: Aspect;
  expected: Aspect;
  actual: Aspect;
  acceptance: Aspect;
  scope: Aspect;
  compatibility: Aspect;
}

export interface AspectInput {
  kind: IssueKind;
  title: string;
  sections: readonly Section[];
  blocks: readonly Block[];
  traces: readonly StackTrace[];
  versions: readonly string[];
  urls: readonly string[];
  criteria: readonly string[];
}

const ABSENT: Aspect = { present: false };
const LONGEST = 1_500;

/** Finds which aspects are present and which are missing, from headings first and then from prose (R-PLAN-12). */
export function aspectsOf(input: AspectInput): Aspects {
  const blocks = input.sections.filter((section) => tellsTheStory(section)).flatMap((section) => section.blocks);
  const prose = proseSentences(blocks);
  // “Do not touch `a.ts`”, “it is annoying” tell neither what happens nor what should.
  const sentences = prose.filter(({ text }) => !forbidsPlaces(text) && !isFeeling(text));
  // A task of a checklist says how it shall be.
  const judged = new Set(
    proseSentences(blocks.filter((block) => checkbox(block.text) !== null)).map(({ start }) => start),
  );
  const told = sentences.filter(({ start }) => !judged.has(start));
  const bySection = (...topics: SectionTopic[]): Aspect | null => {
    const found = topics.flatMap((topic) =>
      input.sections.filter((section) => section.topic === topic && section.text !== ""),
    )[0];
    return found ? { present: true, text: found.text.slice(0, LONGEST), from: "section" } : null;
  };
  const shown = input.kind === "feature" ? null : (resultIn(firmTexts(input, told)) ?? resultInCode(blocks));
  const [label] = /^[^:：]+(?=[:：])/.exec(shown?.text ?? "") ?? [];
  const result: Aspect =
    shown === null || (contrastIn(shown.text) === null && topicOf(label ?? "") === "expected")
      ? ABSENT
      : { present: true, text: plainText(contrastIn(shown.text)?.actual ?? shown.text), from: "prose" };
  const section = bySection("actual");
  const expected =
    bySection("expected") ?? (input.kind === "feature" ? bySection("proposal") : null) ?? expectedIn(input, sentences);
  // “Expected: it never exceeds 3” reads like a fault.
  const isExpected = ({ text }: Sentence) => expected.from === "section" && expected.text?.includes(text) === true;
  const foundActual = (): Aspect => {
    const denials = told.filter(({ text }) => !isQuestion(text) && deniesOnly(text));
    const others = told.filter((one) => !denials.includes(one) && !isExpected(one));
    const happened = actualIn(input, others, bySection);
    const denied = input.kind === "feature" ? undefined : denials[0];
    if (denied === undefined) return firstOf(happened, result);
    return firstOf(result, happened, { present: true, text: plainText(denied.text), from: "prose" });
  };
  return {
    reproduction: bySection("reproduction") ?? firstOf(reproductionIn(input, told), result),
    expected: firstOf(expected, shown?.differs === true ? expectedBeside(shown, result) : ABSENT),
    actual: section !== null && !onlyWishes(section) ? section : foundActual(),
    acceptance:
      (onlyAsksForFix(bySection("acceptance")?.text ?? "", input.title) ? null : bySection("acceptance")) ??
      (input.criteria.length > 0
        ? { present: true, text: input.criteria.join("\n"), from: "prose" }
        : inProse(sentences, KEEPS_EXISTING)),
    scope: bySection("scope", "left_out") ?? inProse(prose, BOUNDS),
    compatibility: compatibilityIn(input, sentences),
  };
}

/** What should come out, as the shown result names it: in the same sentence, or in a line of the code. */
function expectedBeside({ expected }: ShownResult, result: Aspect): Aspect {
  if (expected === undefined) return result;
  return expected === null ? ABSENT : { present: true, text: expected, from: "code" };
}

function firstOf(...found: Aspect[]): Aspect {
  return found.find(({ present }) => present) ?? ABSENT;
}

/** What is told for certain, with the label before what is expected. */
function firmTexts({ title, sections }: AspectInput, sentences: readonly Sentence[]): string[] {
  const labels = new Map(
    sections.flatMap((section) => (section.topic === "expected" ? [[section.blocks[0]?.start, section.title]] : [])),
  );
  const told = sentences.map(({ text, start }) => (labels.has(start) ? `${labels.get(start)}: ${text}` : text));
  return [title, ...told].filter((text) => !isQuestion(text));
}

const ASIDE = new Set<SectionTopic | null>(["environment", "checklist", "alternatives", "logs", "context", "left_out"]);

export function tellsTheStory(section: Section): boolean {
  return !ASIDE.has(section.topic);
}

function inProse(sentences: readonly Sentence[], pattern: Pick<RegExp, "test">): Aspect {
  const found = sentences.find((sentence) => !isQuestion(sentence.text) && pattern.test(sentence.text));
  return found ? { present: true, text: plainText(found.text), from: "prose" } : ABSENT;
}

function states(pattern: RegExp): (sentence: Sentence) => boolean {
  return ({ text }) => pattern.test(withoutCode(text)) && !POLITE.test(text);
}

function expectedIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const firm = sentences.filter(({ text }) => !isQuestion(text) && !IS_RIGHT.test(text));
  const found = firm.find(states(EXPECTS)) ?? firm.find(states(SHOULD));
  if (found) {
    const stated = contrastIn(found.text)?.expected;
    return {
      present: true,
      text: stated === undefined ? withRestOf(found, firm, input.blocks) : plainText(stated),
      from: "prose",
    };
  }
  if (SHOULD.test(input.title) || EXPECTS.test(input.title))
    return { present: true, text: plainText(input.title), from: "title" };
  // The title of a request names what is wanted.
  if (input.kind === "feature" && sentences.length > 0)
    return { present: true, text: plainText(input.title), from: "title" };
  return ABSENT;
}

/** “It should be 3, and that is right”: another case than the reported one. */
const IS_RIGHT = anyOf(
  "(?:that|this|which|it)(?:['’]s| is) (?:also |indeed |already )?(?:right|correct|the case|what (?:happens|i get))|(?:das|was|dies) (?:stimmt|passt|klappt|ist (?:auch )?(?:richtig|korrekt|der fall))|(?:c['’]est|ce qui est) (?:bien |aussi )?(?:juste|correct|exact|le cas)|(?:eso|lo que|esto) (?:también )?(?:es correcto|está bien|es así)|(?:isso|o que) (?:também )?(?:está (?:certo|correto)|é correto)|(?:это|что) (?:тоже )?(?:верно|правильно|так и есть)",
  "(?:这|这个)?(?:也)?是(?:对|正确)的|(?:これ|それ)は(?:も)?(?:正しい|合って)",
);

/** Whether a sentence names a case in which all is as it should be. */
export function tellsRightCase(text: string): boolean {
  return IS_RIGHT.test(text);
}

/** “It should …. However, when …, it should …”: the second says when the first does not hold. */
function withRestOf(found: Sentence, firm: readonly Sentence[], blocks: readonly Block[]): string {
  const text = withFollowing(found, blocks);
  const next = firm[firm.indexOf(found) + 1];
  const narrows = next !== undefined && BUT.exec(` ${next.text}`)?.index === 0 && states(SHOULD)(next);
  return narrows ? `${text} ${withFollowing(next, blocks)}` : text;
}

/** “It prints 1 instead of 2” names what is expected, but tells what happens. */
export function tellsWhatHappens(text: string): boolean {
  const rest = withoutCode(text).replace(INSTEAD, " ");
  return rest !== withoutCode(text) && !EXPECTS.test(rest) && !SHOULD.test(rest);
}

/** “It should print the key” tells what is wanted, not what happens. */
function isWish(text: string): boolean {
  const rest = withoutCode(text).replace(INSTEAD, " ");
  return contrastIn(text) === null && (SHOULD.test(rest) || WOULD_EXPECT.test(rest));
}

/** What stands under “Describe the bug” may tell only what is wanted. */
function onlyWishes({ text = "" }: Aspect): boolean {
  const sentences = sentencesOf(text);
  return sentences.length > 0 && sentences.every((sentence) => isWish(sentence.text));
}

/** A sentence that ends in a colon includes what follows it. */
function withFollowing(sentence: Sentence, blocks: readonly Block[]): string {
  const text = plainText(sentence.text);
  if (!/[:：]$/.test(text)) return text;
  const next = blocks.find((block) => block.start >= sentence.end && block.kind !== "heading");
  return next ? `${text}\n${next.text.trim().slice(0, 400)}` : text;
}

function actualIn(
  input: AspectInput,
  sentences: readonly Sentence[],
  bySection: (...topics: SectionTopic[]) => Aspect | null,
): Aspect {
  const firm = sentences.filter(
    ({ text }) =>
      !isQuestion(text) &&
      !ASIDE_REMARK.test(text) &&
      !UNREAL.test(withoutCode(text)) &&
      !(input.kind === "feature" && NOT_NEEDED.test(text)),
  );
  for (const sentence of input.kind === "feature" ? [] : firm) {
    const actual = contrastIn(sentence.text)?.actual;
    if (actual !== undefined)
      return { present: true, text: withFollowing({ ...sentence, text: actual }, input.blocks), from: "prose" };
  }
  const need = input.kind === "feature" ? bySection("use_case") : null;
  if (need) return need;
  const observed = input.kind === "feature" ? firm : firm.filter(({ text }) => !isWish(text));
  const fault = mostTelling(observed, input.title);
  if (fault) return { present: true, text: withFollowing(fault, input.blocks), from: "prose" };
  const error = input.traces.find((trace) => trace.error)?.error;
  if (error) return { present: true, text: [error.type, error.message].filter(Boolean).join(": "), from: "trace" };
  const happens = happensIn(
    firm,
    (text) =>
      (HAPPENS.test(text) || showsResult(text) || COMMAND_TELLS.test(text) || tellsWhatHappens(text)) && !isWish(text),
  );
  if (happens) return { present: true, text: withFollowing(happens, input.blocks), from: "prose" };
  const ofCase = input.kind === "feature" ? undefined : observed.find(({ text }) => tellsOfCase(text));
  if (ofCase) return { present: true, text: withFollowing(ofCase, input.blocks), from: "prose" };
  const described = input.kind === "feature" ? null : bySection("logs", "description");
  if (described && !onlyWishes(described)) return described;
  return FAULT.test(input.title) ? { present: true, text: plainText(input.title), from: "title" } : ABSENT;
}

/** “I expected minutes, but that is not the case.” */
function deniesOnly(text: string): boolean {
  return DENIES_ONLY.test((contrastIn(text)?.actual ?? "").replace(/[.!。！]+$/, ""));
}

function reproductionIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const written = input.blocks.find(isExample);
  const lead = sentences.find(states(ASKED_TO_REPRODUCE)) ?? sentences.find(states(REPRODUCES));
  // Code in a request shows what is wanted, not the fault.
  if (input.kind === "feature" && !sentences.some(states(ASKED_TO_REPRODUCE))) return ABSENT;
  const link = input.urls.find((url) => PLAYGROUND.test(url));
  if (written && lead)
    return { present: true, text: `${plainText(lead.text)}\n${written.text.trim().slice(0, 800)}`, from: "code" };
  if (link) return { present: true, text: link, from: "link" };
  const steps = input.blocks.filter((block) => block.kind === "paragraph" && block.ordered);
  if (steps.length >= 2) {
    const text = steps.map((step) => plainText(step.text)).join("\n");
    return { present: true, text: text.slice(0, LONGEST), from: "prose" };
  }
  if (written) return { present: true, text: written.text.trim().slice(0, 800), from: "code" };
  // One inline example and its result are a recipe too.
  const inline =
    sentences.find(({ text }) => /`[^`]{6,}`|"[^"]{6,}"|“[^”]{6,}”/.test(text) && REPRODUCES.test(text)) ??
    sentences.find(({ text }) => !isQuestion(text) && COMMAND_TELLS.test(text));
  return inline ? { present: true, text: plainText(inline.text), from: "prose" } : ABSENT;
}

function compatibilityIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const inText = inProse(sentences, { test: (text) => COMPATIBLE.test(text) || KEEPS_EXISTING.test(text) });
  if (inText.present) return inText;
  const environment = input.sections
    .filter((section) => section.topic === "environment" && section.text !== "")
    .map((section) => `${section.title}: ${section.text.replaceAll(/\[e\.?g\.?[^\]]*\]:?\s*/g, "")}`);
  if (environment.length > 0) return { present: true, text: environment.join("\n").slice(0, LONGEST), from: "section" };
  if (input.versions.length > 0) return { present: true, text: input.versions.slice(0, 5).join(", "), from: "prose" };
  return ABSENT;
}
