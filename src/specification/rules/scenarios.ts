import type { Translate } from "../../i18n/phrases.ts";
import { tellsWhatHappens } from "../../domain/issue-text/aspects.ts";
import { tellsResult } from "../../domain/issue-text/shown-results.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { onlyAsksForFix } from "../../domain/statements/sentence.ts";
import { STAYS } from "./bounds.ts";
import { conditionIn, withoutWhen } from "./conditions.ts";
import type { SpecFacts } from "./facts.ts";
import { isConfig, namesOfCase, namesOfWanted } from "./examples.ts";
import { quoted } from "./heard.ts";
import type { Said } from "./own-words.ts";
import { cited, outcomeOf, saidOutcome } from "./outcomes.ts";
import { clause, code, expectation, phrase } from "./plain.ts";
import { isScenario } from "./criteria.ts";

export interface WrittenScenario {
  name: string;
  /** Existing behaviour that must not change: its test passes before the change too. */
  isUnchanged: boolean;
  /** The message that asks for it, if a later one does. */
  message?: number;
  steps: { keyword: "GIVEN" | "WHEN" | "THEN" | "AND"; text: string }[];
}

type Phrases = Translate<"spec">;

const NAME_LENGTH = 70;
const MOST = 7;
const NAMED = 2;

/** The reported case, one per acceptance criterion, and what must not change, if known (R-SPEC-4). */
export function scenariosOf(facts: SpecFacts, say: Phrases): WrittenScenario[] {
  if (facts.isDeclined) return [ofDecisions(facts, say)];
  const judged = facts.criteria.map(({ text, gap }) => ofCriterion(text, gap, facts, say));
  // What those who decide made of a request is no longer the case that its text tells.
  const isTold = facts.isRequest
    ? judged.length > 0 || facts.isDiscussed
    : tellsNoOutcome(facts) && facts.criteria.some(({ text }) => isScenario(text));
  const own = isTold ? [] : [ownCase(facts, say)];
  // “It should throw …” may be both what is expected and a criterion.
  const isNew = ({ steps }: WrittenScenario) => !own.some((one) => one.steps.at(-1)?.text === steps.at(-1)?.text);
  return [
    ...own,
    ...judged.filter(isNew).slice(0, MOST),
    ...facts.requests.map((request) => ofRequest(request, facts, say)),
    ...facts.heard.wishes.map(({ text, message }) =>
      ofRequest({ text, gap: null, ...(message === null ? {} : { message }) }, facts, say),
    ),
    ...decided(facts, say),
    ...unchanged(facts, say),
  ];
}

/** Neither a message nor words of people say what comes of the reported case: scenarios of the issue do. */
function tellsNoOutcome(facts: SpecFacts): boolean {
  return facts.symptom === null && saidOutcome(facts) === null;
}

/** What the discussion settled, as the Decision Log tells it. */
function decided(facts: SpecFacts, say: Phrases): WrittenScenario[] {
  return facts.heard.decisions.every(({ message }) => message === null) ? [] : [ofDecisions(facts, say)];
}

function ofDecisions({ onlyOutcome }: SpecFacts, say: Phrases): WrittenScenario {
  const outcome = onlyOutcome === null ? say("then_decided") : quoted(onlyOutcome);
  return simple(say("scenario_decided"), say("when_decided"), [outcome], false);
}

function simple(name: string, when: string, outcomes: string[], isUnchanged: boolean): WrittenScenario {
  const thens = outcomes.map((text, at) => ({ keyword: at === 0 ? ("THEN" as const) : ("AND" as const), text }));
  return { name, isUnchanged, steps: [{ keyword: "WHEN", text: when }, ...thens] };
}

function ownCase(facts: SpecFacts, say: Phrases): WrittenScenario {
  const command = facts.question !== null ? null : facts.isRequest ? requestedCommand(facts) : facts.command;
  const byCode = command === null && showsCase(facts);
  const steps = byCode ? [] : command === null ? facts.circumstances.slice(0, -1) : facts.circumstances;
  const given = [...steps, ...facts.heard.cases.map(quoted)];
  const last = command === null ? facts.circumstances.at(-1) : undefined;
  const when = byCode
    ? whenCode(facts, say)
    : command === null
      ? (caseIn(last, say) ?? (facts.kind === "docs" ? say("when_read") : whenCase(facts, say)))
      : (facts.commandStep ?? say("when_run", { command: code(command) }));
  // “If a customer has no address, the row should contain a dash” is a case of its own.
  const own = command === null && !byCode && last === undefined ? ownCondition(facts) : null;
  const outcome = own?.outcome ?? (facts.kind === "docs" ? docsOutcome(facts, say) : outcomeOf(facts, say, 320));
  const hasOutcome = facts.symptom !== null && saidOutcome(facts) !== null;
  return {
    isUnchanged: false,
    name: say(facts.isRequest ? "scenario_requested" : "scenario_reported"),
    steps: [
      ...given.map((text, index) => ({
        keyword: index === 0 ? ("GIVEN" as const) : ("AND" as const),
        text: withoutWhen(text),
      })),
      { keyword: "WHEN", text: withoutWhen(own?.when ?? when) },
      {
        keyword: "THEN",
        text: facts.isDiscussed ? say("outcome_unless", { text: outcome }) : outcome,
      },
      ...(hasOutcome && facts.symptom !== null
        ? [{ keyword: "AND" as const, text: say("then_no_message", { message: code(facts.symptom) }) }]
        : []),
    ],
  };
}

/** The condition that the wanted outcome itself names, in one sentence of the issue. */
function ownCondition(facts: SpecFacts): { when: string; outcome: string } | null {
  const said = facts.kind === "docs" ? null : saidOutcome(facts);
  if (said?.gap !== null || tellsWhatHappens(said.text) || sentencesOf(said.text).length !== 1) return null;
  const parts = conditionIn(said.text.replaceAll(/\s+/g, " ").trim());
  return parts?.given === undefined && parts
    ? { when: phrase(parts.when, 200), outcome: phrase(parts.outcome, 320) }
    : null;
}

/** “When X, Y happens” tells the case in its first half, “`f(1)` returns 2” in its call. */
function caseIn(step: string | undefined, say: Phrases): string | undefined {
  const call = callIn(step ?? "");
  if (call !== null) return say("when_run", { command: code(call) });
  return (step === undefined ? null : conditionIn(step))?.when ?? step;
}

/** The current command with the requested option; null if it cannot be derived. */
function requestedCommand({ command, said }: SpecFacts): string | null {
  const option = /`(--[^`\n]{2,60})`/.exec(said("expected")?.text ?? "")?.[1];
  if (option === undefined || command === null) return null;
  return command.includes(option) ? command : `${command} ${option}`;
}

/** For docs: wrong text is right once it agrees with the program. */
function docsOutcome(facts: SpecFacts, say: Phrases): string {
  if (facts.question !== null) return say("then_answers", { text: facts.question });
  const said = facts.said("expected");
  if (said) return cited(phrase(said.text, 240), said.gap);
  const wrong = facts.said("actual");
  return wrong ? cited(say("then_no_longer", { text: phrase(wrong.text, 240) }), wrong.gap) : say("then_true");
}

function ofCriterion(
  text: string,
  gap: number | null,
  facts: SpecFacts,
  say: Phrases,
  place: string | null = null,
): WrittenScenario {
  const parts = conditionIn(text.replaceAll(/\s+/g, " ").trim());
  const [given, when, outcome] = [parts?.given ?? "", parts?.when ?? "", parts?.outcome ?? text].map((part) =>
    phrase(part, 300),
  );
  const told = outcome === undefined || outcome === "" ? phrase(text, 300) : outcome;
  const then = facts.isDiscussed && isScenario(text) ? say("outcome_unless", { text: told }) : told;
  return {
    isUnchanged: STAYS.test(text),
    name: clause(phrase(parts?.outcome ?? text, NAME_LENGTH)) || facts.title,
    steps: [
      ...(given === undefined || given === "" ? [] : [{ keyword: "GIVEN" as const, text: given }]),
      { keyword: "WHEN", text: when === undefined || when === "" ? whenJudged(text, facts, say, place) : when },
      { keyword: "THEN", text: cited(then, gap) },
    ],
  };
}

/** A later request is verified like a criterion, and cites its message. */
function ofRequest({ text, message }: Said, facts: SpecFacts, say: Phrases): WrittenScenario {
  const scenario = ofCriterion(criterionIn(text), null, facts, say, placeOf(message, facts));
  const steps = scenario.steps.map(({ keyword, text: step }) => ({
    keyword,
    text: keyword === "THEN" && message !== undefined ? `${step} (message ${message})` : step,
  }));
  return { ...scenario, ...(message === undefined ? {} : { message }), steps };
}

/** The place of its own that a wish names, as code. */
function placeOf(message: number | undefined, { wished }: SpecFacts): string | null {
  const [place] = (message === undefined ? undefined : wished.get(message))?.places ?? [];
  return place === undefined ? null : (place.symbol ?? place.path);
}

/** “Also fix `a.py`: it must round” wants that it rounds. */
function criterionIn(text: string): string {
  const wanted = expectation(text);
  const [, asked = "", wish = ""] = /^([^:：\n]{1,160})[:：]\s*(\S[^]*)$/u.exec(wanted) ?? [];
  return onlyAsksForFix(asked) && /\p{L}\s*\p{L}/u.test(wish) ? wish : wanted;
}

/** Verifies a criterion without a condition by its command or, without one, in the reported or requested case. */
function whenJudged(text: string, facts: SpecFacts, say: Phrases, place: string | null): string {
  const command = /`([a-z][\w./-]+ [a-z./-][^`]{1,110})`/.exec(text)?.[1];
  if (command === undefined && place !== null) return say("when_used", { text: code(place) });
  return command === undefined ? whenCase(facts, say) : say("when_run", { command: code(command) });
}

/** Behaviour that works today or was said to stay: the tests of today check it. */
function unchanged(facts: SpecFacts, say: Phrases): WrittenScenario[] {
  const bounds = [
    ...facts.bounds.unchanged.map(({ text, gap }) => cited(text, gap)),
    ...facts.heard.stays.map((one) => quoted(one)),
  ];
  return bounds.length === 0 ? [] : [simple(say("scenario_unchanged"), say("when_existing"), bounds, true)];
}

/** The action that shows the case: its command, its code, its page, or what people do in it. */
function whenCase(facts: SpecFacts, say: Phrases): string {
  const command = facts.isRequest ? (requestedCommand(facts) ?? facts.command) : facts.command;
  if (command !== null) return say("when_run", { command: code(command) });
  if (showsCase(facts)) return whenCode(facts, say);
  if (facts.isRequest && facts.wanted !== null) return say("when_used", { text: code(facts.wanted) });
  if (facts.isRequest) return facts.occasion ?? say("when_tried");
  if (facts.link !== null) return say("when_open", { url: facts.link });
  const { need } = facts;
  const call = callIn(facts.said("actual")?.text ?? need ?? "");
  if (call !== null) return say("when_run", { command: code(call) });
  // Values given by people make a case; the title seldom has any.
  const tells = need !== null && need.includes("`");
  return facts.occasion ?? say("when_case", { text: tells ? phrase(need, 200) : facts.title });
}

/** The call whose result a sentence tells: `f(1)` of “`f(1)` returns 2”. */
function callIn(text: string): string | null {
  const [, call = "", rest = ""] = /`([^`\n]{1,100}\([^`\n]{0,100}\))`([^`]{0,40})/.exec(text) ?? [];
  return call !== "" && tellsResult(rest) ? call : null;
}

/** There is code to run: what comes of it is none. */
function showsCase({ examples }: SpecFacts): boolean {
  return examples.some(({ shows }) => shows !== "outcome");
}

function whenCode(facts: SpecFacts, say: Phrases): string {
  if (facts.isRequest && facts.wanted !== null) return say("when_used", { text: code(facts.wanted) });
  if (facts.isRequest) return say("when_code_used", { text: namesOfWanted(facts.examples) ?? say("code_here") });
  return say(isConfig(facts.examples) ? "when_code_used" : "when_code_run", { text: namesOfCase(facts.examples, say) });
}

/** The names of scenarios, in the language's quotation marks; more than two are referred to together. */
export function namesOf(scenarios: WrittenScenario[], say: Phrases): string {
  if (scenarios.length > NAMED) return say("scenarios_counted", { count: scenarios.length });
  return scenarios.map((scenario) => say("quoted", { text: scenario.name })).join(say("comma"));
}
