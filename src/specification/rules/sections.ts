import { isFragment, codeSpan } from "../../lib/text.ts";
import { proseSentences } from "../../domain/issue-text/prose-sentences.ts";
import { type Gap, isAgreedTo } from "../../domain/gap.ts";
import { isNamed, namesLeft } from "../../domain/statements/file-names.ts";
import { placesMeant } from "../../domain/statements/places-meant.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { SpecInput } from "../generator.ts";
import type { SpecFacts } from "./facts.ts";
import { assumptionOf, contextOf as saidBy, quoted } from "./heard.ts";
import { bullets, fenced, numberedTable } from "./markdown.ts";
import { type Place, notesIn, shown, withFinding } from "./places.ts";
import type { PlannedTask } from "./plan.ts";
import { code, phrase, plain, sentence, wholePhrase } from "./plain.ts";
import { cited, outcomeOf, saidOutcome } from "./outcomes.ts";
import { type WrittenScenario, namesOf } from "./scenarios.ts";
import type { FactsOfWork } from "./work-left.ts";

/** The parts that every section is written from. */
export interface Parts {
  input: SpecInput;
  facts: FactsOfWork;
  scenarios: WrittenScenario[];
  tasks: PlannedTask[];
  say: Translate<"spec">;
}

const SHOWN_PLACES = 2;
/** Characters. */
const OTHER_WAYS = 260;
const SHOWN_DECISIONS = 2;
/** Characters: the whole answer stands in a scenario or above. */
export const DECISION = 60;

/** Outcome, place, decisions, the most severe assumption, and the verification: 3 to 7 bullets. */
export function tldrOf({ facts, scenarios, say }: Parts): string[] {
  if (facts.isDeclined)
    return [
      say("tldr_declined", { text: facts.title }),
      ...onlyDecision(facts, say),
      say("tldr_check", { text: namesOf(scenarios, say) }),
    ];
  const [place] = facts.kind === "docs" ? [...facts.docs, ...facts.places] : facts.places;
  // A criterion or an answer stands in a scenario or decision already.
  const isApart = facts.criteria.length > 0 || facts.kind === "docs" || facts.isDiscussed;
  const said = isApart ? null : saidOutcome(facts);
  const outcome = said?.gap === null ? withTitle(outcomeOf(facts, say, 160), facts, say) : aimOf(place, facts, say);
  const assumption = facts.assumptions.find((gap) => !outcome.includes(phrase(gap.closedNote ?? "", 40).slice(0, 30)));
  const decisive = facts.answers.filter(
    ({ gap }) => !["reproduction", "actual"].includes(gap.topic ?? "") && !outcome.includes(`(Gap #${gap.number})`),
  );
  const test = facts.kind === "docs" ? undefined : facts.tests[0];
  const over = facts.mayBeOver;
  return [
    ...(over === null ? [] : [say("tldr_over", { login: plain(over.author, 60), seq: over.message ?? 0 })]),
    sentence(outcome),
    facts.isAnswered ? sentence(say("task_only_answered")) : whereOf(place, facts, say),
    ...wishedOf(facts, scenarios),
    ...decisive
      .slice(0, SHOWN_DECISIONS)
      .map(({ gap }) => say("tldr_decided", { text: cited(phrase(gap.closedNote ?? "", 100), gap.number) })),
    ...onlyDecision(facts, say),
    ...(assumption
      ? [
          say(isAgreedTo(assumption) ? "tldr_agreed" : "tldr_assumed", {
            text: cited(phrase(assumption.closedNote ?? "", 130), assumption.number),
          }),
        ]
      : []),
    say(test ? "tldr_check_in" : "tldr_check", {
      text: namesOf(scenarios, say),
      place: test ? codeSpan(test.path) : "",
    }),
  ];
}

/** “0” says little without what it is about. */
function withTitle(outcome: string, { title }: SpecFacts, say: Parts["say"]): string {
  const letters = outcome.match(/[\p{L}\p{N}]/gu) ?? [];
  return isFragment(outcome) || letters.length <= SHORT ? `${title}${say("colon")}${outcome}` : outcome;
}

const SHORT = 15;

/** What is to change, as far as it is known where. */
function aimOf(place: Place | undefined, facts: SpecFacts, say: Parts["say"]): string {
  if (facts.question !== null) return say("tldr_answer", { text: facts.question });
  if (facts.isDiscussed)
    return say(facts.isRequest ? "tldr_asked" : "tldr_reported", { text: facts.title }).replace(
      /([?？!！])[.。]/u,
      "$1",
    );
  const key = facts.isRequest || facts.kind === "docs" ? "tldr_wanted" : "tldr_fix";
  if (!place || place.tie === "words") return say(key, { text: facts.title });
  return say(`${key}_in`, { place: shown(place), text: facts.title });
}

/** What was decided, where one message says all of it. */
function onlyDecision({ heard }: SpecFacts, say: Parts["say"]): string[] {
  const [only, ...others] = heard.decisions;
  if (only?.message == null || others.length > 0) return [];
  return [say("tldr_decided", { text: `${wholePhrase(only.text, LONGEST_SHOWN)} (message ${only.message})` })];
}

/** Characters. */
const LONGEST_SHOWN = 300;

const SHOWN_WISHES = 2;

/** What later wishes add elsewhere. */
function wishedOf({ wished }: SpecFacts, scenarios: readonly WrittenScenario[]): string[] {
  return scenarios
    .flatMap(({ message, name }) => {
      const place = message === undefined ? undefined : wished.get(message)?.places[0];
      return place === undefined ? [] : [`${code(place.symbol ?? place.path)}: ${name} (message ${message})`];
    })
    .slice(-SHOWN_WISHES);
}

function whereOf(place: Place | undefined, facts: FactsOfWork, say: Parts["say"]): string {
  const [document] = facts.documents;
  if (place === undefined && document !== undefined) return say("tldr_where", { place: codeSpan(document.path) });
  const [made] = facts.put;
  if (made !== undefined && (!place || place.tie === "words")) return say("tldr_where", { place: codeSpan(made) });
  if (!place) return say("tldr_nowhere");
  const isFault = place.tie === "frame" && facts.calls.length > 1;
  const key = place.tie === "words" && facts.kind !== "docs" ? "tldr_likely" : isFault ? "tldr_fails" : "tldr_where";
  return say(key, { place: shown(place) });
}

function placesIn({ docs, places }: SpecFacts): string {
  const [place] = [...docs, ...places];
  return place ? codeSpan(place.location) : "docs";
}

export function criteriaOf({ facts, scenarios, say }: Parts): string {
  const key = facts.question === null ? "shall_docs" : "shall_answer";
  const statement = facts.kind === "docs" ? say(key, { place: placesIn(facts) }) : say("shall");
  const written = scenarios.map((scenario) =>
    [`#### Scenario: ${scenario.name}`, ...scenario.steps.map((step) => `- **${step.keyword}** ${step.text}`)].join(
      "\n",
    ),
  );
  return [`### Requirement: ${facts.title}`, statement, ...written].join("\n\n");
}

/** What answers named as in and out of scope; what has a scenario is not said again. A level may ask for both. */
export function goalsOf({ facts, say }: Parts, isAsked: boolean): string {
  const { inside, outside, unchanged } = facts.bounds;
  const named = inside.filter((bound) => bound !== saidOutcome(facts)).map(bounded);
  const out = outside.filter(({ text }) => !unchanged.some((one) => one.text === text));
  const not = [...out.map(bounded), ...facts.heard.bounds.map((one) => heardBound(one, facts.forbiddenIn(one), say))];
  return [
    ...under("Goals", isAsked ? [say("goal_scenarios"), ...named] : named),
    ...under("Non-goals", not.length > 0 || !isAsked ? not : [say("goal_not_beyond")]),
  ]
    .join("\n")
    .trimEnd();
}

function under(title: string, texts: string[]): string[] {
  return texts.length === 0 ? [] : [`### ${title}`, "", bullets(texts), ""];
}

/** An order not to touch something would read as its opposite in a list of what is not to be done. */
function heardBound(one: Statement, inForce: readonly string[], say: Parts["say"]): string {
  const text = one.message === null ? `${quoted(one)} (${saidBy(one, say)})` : quoted(one);
  const forbidden = inForce.length > 0 ? inForce : placesMeant(one.text).forbidden;
  if (forbidden.length === 0) return sentence(text);
  const left = forbidden.flatMap(namesLeft);
  const places = (left.length > 0 ? left : forbidden).map((name) => codeSpan(name)).join(", ");
  return sentence(say(left.length > 0 ? "goal_only" : "goal_spared", { places, text }));
}

function bounded({ text, gap }: { text: string; gap: number | null }): string {
  return sentence(cited(text, gap));
}

/** One row per unanswered question. Without any it is empty, or, if the level asks for it, tells those of the search itself. */
export function assumptionsOf(parts: Parts, isAsked: boolean): string {
  const { facts, say } = parts;
  const rows = facts.assumptions.map((gap) => [
    sentence(cited(phrase(gap.closedNote ?? "", 240), gap.number)),
    ifWrong(gap, facts, say),
  ]);
  rows.push(...facts.heard.hearsay.map((one) => assumptionOf(one, say)));
  for (const { text, named } of unclearBounds(parts)) {
    const slots = { text: phrase(text, DECISION), places: named.map((path) => codeSpan(path)).join(", ") };
    rows.push([say("bound_unclear", slots), say("wrong_bound_unclear", slots)]);
  }
  if (rows.length === 0 && !isAsked) return "";
  if (rows.length === 0) rows.push([say("assumed_places"), say("wrong_places")]);
  return numberedTable(["Assumption", "If Wrong"], rows);
}

/** Bounds that name a file to change without an understood order about it: “not in `a.ts` for now”. */
function unclearBounds({ facts, tasks }: Parts): { text: string; named: string[] }[] {
  const paths = [...new Set(tasks.flatMap(({ touchPoints }) => touchPoints))];
  return facts.heard.bounds.flatMap((bound) => {
    const { text } = bound;
    const meant = placesMeant(text);
    const isClear = meant.forbidden.length > 0 || facts.forbiddenIn(bound).length > 0;
    const named = isClear ? [] : paths.filter((path) => isNamed(path, [...meant.paths, ...meant.spared]));
    return named.length === 0 ? [] : [{ text, named }];
  });
}

function ifWrong(gap: Gap, { question }: SpecFacts, say: Parts["say"]): string {
  if (question !== null && gap.topic === "acceptance") return say("wrong_hearsay_wish");
  return gap.topic === null ? say("wrong_other", { number: gap.number }) : say(`wrong_${gap.topic}`);
}

/** The current code at the place where the work begins. */
export function designOf({ input, facts, say }: Parts): string {
  const places = facts.places.slice(0, SHOWN_PLACES).map((place) => {
    const found = input.findings.find(({ number }) => number === place.finding);
    const source = found?.sources.find((one) => one.location === place.location);
    const snippet = plain(source?.snippet ?? "") === "" ? "" : (source?.snippet ?? "").replaceAll(/\r\n?/g, "\n");
    const block = snippet === "" ? "" : `\n\n${fenced(snippet)}`;
    return `${withFinding(place)}${block}`;
  });
  return [`### ${say("design_places")}`, ...(places.length > 0 ? places : [say("tldr_nowhere")])].join("\n\n");
}

export function planTable({ tasks, facts }: Parts): string {
  const made = new Set([...facts.put, ...facts.documents.flatMap(({ path, isNew }) => (isNew ? [path] : []))]);
  return numberedTable(
    ["Task", "Touch Points", "Done When", "Blocked By"],
    tasks.map((task) => [
      task.text,
      task.changesNothing === true
        ? "none"
        : task.touchPoints.map((path) => `${codeSpan(path)}${made.has(path) ? " (new)" : ""}`).join(", "),
      task.doneWhen,
      task.blockedBy,
    ]),
  );
}

/** What an implementer needs and who approves may skip (R-SPEC-20). */
export function notesOf({ input, say }: Parts): string {
  const noted = notesIn(input).map(({ kind, finding, locations }) => {
    const places = locations.map((location) => codeSpan(location)).join(say("comma"));
    return `${say(`note_${kind}`, { places })} (Finding #${finding})`;
  });
  const others = input.reading.sections.filter(({ topic }) => topic === "alternatives");
  const told = proseSentences(others.flatMap(({ blocks }) => blocks)).map(({ text }) => text);
  const ways = phrase(told.filter((text) => !/[:：?？]$/.test(text) && text.includes(" ")).join("\n"), OTHER_WAYS);
  return bullets(ways === "" ? noted : [...noted, say("note_alternatives", { text: ways })]);
}

export function testsOf({ facts, scenarios, say }: Parts): string {
  const near = facts.tests.map((test) => codeSpan(test.path)).join(", ");
  return [
    `### Unit Tests\n\n${bullets(scenarios.map((scenario) => `[ ] ${say("quoted", { text: scenario.name })}`))}`,
    near === "" ? "" : `### Integration Tests\n\n${bullets([`[ ] ${say("test_neighbour", { text: near })}`])}`,
    facts.symptom === null
      ? ""
      : `### Failure-mode Tests\n\n${bullets([`[ ] ${say("then_no_message", { message: code(facts.symptom) })}`])}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
