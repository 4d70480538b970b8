import type { SpecDocument } from "../../domain/spec-document/document.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { type SpecProblem, allScenarios, warning } from "./rules.ts";

/** Sentences of more words than this are read as the same thing said again. */
const SHORT = 8;
const MOST_TIMES = 2;
/** A THEN that is made of the title by this share says no more than it. */
const SHARE = 0.6;
/** A WHEN in which nobody and nothing does anything. */
const NO_ACTION =
  /^(?:(?:the|this) (?:change|feature|fix|work|implementation|new behaviou?r)|it|everything|all) (?:is|has been|was) (?:in place|there|made|done|implemented|applied|merged|finished|complete[d]?|released|deployed)$|^die änderung (?:ist )?(?:da|umgesetzt|fertig)(?: ist)?$|^изменение (?:внесено|сделано|на месте)$|^el cambio est[áa] (?:hecho|en su sitio|aplicado)$|^le changement est (?:en place|fait)$|^a (?:mudança|alteração) está (?:feita|no lugar|pronta)$|^(?:更改|改动|变更)(?:已)?(?:完成|就位|生效)(?:后|时)?$|^変更が(?:入った|完了した|反映された)(?:とき|状態)?$/iu;
/** An address cut off where a value of code began. */
/** Up to the next address: a line of them alone is read once. */
const CUT_URL = /https?:\/\/(?:(?!https?:\/\/)[^\s`"'<>)\]])*\$(?![\w{(.~-])/;
const EXAMPLE_AFTER_SHALL =
  /\b(?:SHALL|MUST)\b(?:[^:.\n]{0,40}:)?\s*(?:for example|for instance|e\.g|z\. ?B|zum Beispiel|beispielsweise|например|por ejemplo|par exemple|por exemplo|例如|例えば|たとえば)/iu;

/** What a spec says rather than its form (R-SPEC-19): sentences that look like a spec and tell an implementer nothing. */
export function wordingProblems(document: SpecDocument, text: string): SpecProblem[] {
  return [...outcomes(document), ...actions(document), ...addresses(text), ...rules(document), ...repeats(text)];
}

function outcomes(document: SpecDocument): SpecProblem[] {
  const said = [document.title, ...document.requirements.flatMap(({ name, statement }) => [name, ruleOf(statement)])]
    .map((text) => words(text ?? ""))
    .filter((all) => all.length > 2);
  return allScenarios(document).flatMap(({ steps }) =>
    steps
      .filter(({ keyword, text }) => keyword === "THEN" && said.some((title) => repeatsTitle(words(text), title)))
      .map(({ line }) => warning("then_says_outcome", line, "THEN repeats the title or requirement; say what is seen")),
  );
}

/** What the statement says after `SHALL`, or after the colon that follows it. */
function ruleOf(statement: string): string {
  return statement.replace(/^[\s\S]*?\b(?:SHALL|MUST)\b(?:[^:.\n]{0,40}:)?/, "");
}

function repeatsTitle(then: string[], title: string[]): boolean {
  return then.length * SHARE <= title.length && ` ${then.join(" ")} `.includes(` ${title.join(" ")} `);
}

function actions(document: SpecDocument): SpecProblem[] {
  return allScenarios(document).flatMap(({ steps }) =>
    steps
      .filter(({ keyword, text }) => keyword === "WHEN" && NO_ACTION.test(text.replace(/[.。]$/, "").trim()))
      .map(({ line, text }) =>
        warning("when_has_action", line, `WHEN ${text}: say who does what, or what happens, so that a test can do it`),
      ),
  );
}

function addresses(text: string): SpecProblem[] {
  return proseLines(text)
    .filter((one) => CUT_URL.test(one.text))
    .map(({ line }) =>
      warning("whole_urls", line, "the address ends in `$`, cut out of code; write it whole or drop it"),
    );
}

function rules(document: SpecDocument): SpecProblem[] {
  return document.requirements
    .filter(({ statement }) => EXAMPLE_AFTER_SHALL.test(statement))
    .map(({ line }) =>
      warning(
        "shall_says_rule",
        line,
        "SHALL is followed by an example only; state the rule, and keep the example as a scenario",
      ),
    );
}

/** Each sentence is told at its line of one time too many. */
function repeats(text: string): SpecProblem[] {
  const times = new Map<string, number>();
  const problems: SpecProblem[] = [];
  for (const one of proseLines(text)) {
    const sentences = one.text.split(/(?<!\\)\|/).flatMap((cell) => sentencesOf(cell));
    for (const key of new Set(sentences.map((sentence) => words(sentence.text).join(" ")))) {
      if (key.split(" ").length <= SHORT) continue;
      const seen = (times.get(key) ?? 0) + 1;
      times.set(key, seen);
      if (seen !== MOST_TIMES + 1) continue;
      problems.push(
        warning("says_once", one.line, "this sentence stands here for the third time; say it once and refer to it"),
      );
    }
  }
  return problems;
}

/** Lines outside of fenced code and headings, which name what the text says. */
function proseLines(text: string): { text: string; line: number }[] {
  return linesIn(text).flatMap(({ isCode, ...one }) => (isCode || /^#{1,6}\s/.test(one.text) ? [] : [one]));
}

/** Lines of fenced code, with the fences. */
export function codeLinesIn(text: string): number {
  return linesIn(text).filter(({ isCode }) => isCode).length;
}

function linesIn(text: string): { text: string; line: number; isCode: boolean }[] {
  let fence: string | null = null;
  return text.split(/\r\n?|\n/).map((line, at) => {
    const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (marks !== undefined) fence = fence === null ? marks : marks.startsWith(fence) ? null : fence;
    return { text: line, line: at + 1, isCode: marks !== undefined || fence !== null };
  });
}

/** Lower-case words without the keyword of a step, what leads a sentence in, and citations. */
function words(text: string): string[] {
  const bare = text
    .replace(/^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\*\*(?:GIVEN|WHEN|THEN|AND)\*\*)?/, "")
    .replaceAll(/\((?:gap|finding|message) #?\d+\)/gi, " ");
  return bare.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? [];
}
