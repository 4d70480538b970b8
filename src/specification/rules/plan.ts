import { codeSpan } from "../../lib/text.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { SpecFacts } from "./facts.ts";
import { type Place, shown } from "./places.ts";
import { code, plain } from "./plain.ts";
import { type WrittenScenario, namesOf } from "./scenarios.ts";
import { type FactsOfWork, isNothing } from "./work-left.ts";

export interface PlannedTask {
  text: string;
  touchPoints: string[];
  doneWhen: string;
  /** Numbers of earlier tasks; empty if there are none. */
  blockedBy: string;
  /** It changes no file. */
  changesNothing?: boolean;
  /** The messages whose scenarios it is for, too. */
  asked?: number[];
}

type Phrases = Translate<"spec">;

const RELATED = 3;

/** A test that reproduces the case, then the change itself, other affected places, and the docs that describe it. */
export function planOf(facts: FactsOfWork, scenarios: WrittenScenario[], say: Phrases): PlannedTask[] {
  if (isNothing(facts)) return [taskOfNothing(facts, scenarios, say)];
  const isApart = ({ message }: WrittenScenario) => message !== undefined && facts.wished.has(message);
  const common = scenarios.filter((scenario) => !isApart(scenario));
  const fresh = common.filter((scenario) => !scenario.isUnchanged);
  const asked = fresh.flatMap(({ message }) => message ?? []);
  const [test] = facts.tests;
  // The discussion alone says what is to change, or that nothing is.
  const isOpen = facts.isRequest && facts.isDiscussed && fresh.length === 1;
  const isAnswered = facts.kind === "question" && isOpen;
  const tasks: PlannedTask[] = [];
  const over = facts.mayBeOver;
  if (over !== null) {
    const slots = { login: plain(over.author, 60), seq: over.message ?? 0 };
    const [text, doneWhen] = [say("task_over", slots), say("done_over")];
    tasks.push({ text, touchPoints: [], doneWhen, blockedBy: "", changesNothing: true });
  }
  if (test && !isAnswered && fresh.length > 0 && facts.kind !== "docs") {
    tasks.push({
      text: isOpen
        ? say("task_test_decided")
        : say(facts.isRequest ? "task_test_new" : "task_test", { text: namesOf(fresh, say) }),
      touchPoints: [test.path],
      doneWhen: say("done_test"),
      blockedBy: tasks.length > 0 ? "1" : "",
      asked,
    });
  }
  const main = mainTask(facts, common, say);
  tasks.push({
    ...main,
    doneWhen:
      test || isAnswered || facts.testsStay || facts.kind === "docs"
        ? main.doneWhen
        : `${main.doneWhen}${say("semicolon")}${say("done_tested")}`,
    blockedBy: tasks.length > 0 ? String(tasks.length) : "",
    asked,
  });
  const number = String(tasks.length);
  const related = relatedTo(main.touchPoints, facts);
  if (related.length > 0) {
    tasks.push({
      text: say("task_related", { place: related.map(shown).join(say("comma")) }),
      touchPoints: related.map(({ path }) => path),
      doneWhen: say("done_related"),
      blockedBy: number,
    });
  }
  const touched = new Set(tasks.flatMap(({ touchPoints }) => touchPoints));
  for (const { path } of facts.documents.filter((one) => !touched.has(one.path))) {
    tasks.push({
      text: say("task_describe", { place: codeSpan(path) }),
      touchPoints: [path],
      doneWhen: say("done_describe"),
      blockedBy: number,
    });
  }
  tasks.push(...wishedTasks(facts, scenarios.filter(isApart), tasks.length, say));
  if (facts.isRequest) {
    for (const place of facts.docs
      .slice(0, 1)
      .filter(({ path }) => facts.documents.every((one) => one.path !== path))) {
      tasks.push({
        text: say("task_describe", { place: codeSpan(place.location) }),
        touchPoints: [place.path],
        doneWhen: say("done_describe"),
        blockedBy: number,
      });
    }
  }
  return tasks;
}

/** What people do where nothing is to be built. */
function taskOfNothing({ isDeclined }: FactsOfWork, scenarios: WrittenScenario[], say: Phrases): PlannedTask {
  const [text, doneWhen] = isDeclined
    ? [say("task_declined"), say("done_declined")]
    : [say("task_only_answered"), say("done_scenarios", { text: namesOf(scenarios, say) })];
  return { text, touchPoints: [], doneWhen, blockedBy: "", changesNothing: true };
}

/** The work of each wish that names places of its own: its test, then its change. */
function wishedTasks(facts: SpecFacts, scenarios: WrittenScenario[], before: number, say: Phrases): PlannedTask[] {
  const tasks: PlannedTask[] = [];
  for (const [message, { places, test }] of facts.wished) {
    const own = scenarios.filter((scenario) => scenario.message === message);
    const names = own.length === 0 ? `message ${message}` : namesOf(own, say);
    const isTested = test !== null && own.length > 0;
    if (isTested)
      tasks.push({
        text: say(facts.isRequest ? "task_test_new" : "task_test", { text: names }),
        touchPoints: [test.path],
        doneWhen: say("done_test"),
        blockedBy: "",
      });
    tasks.push({
      text: say(facts.isRequest ? "task_build" : "task_fix", { place: places.map(shown).join(say("comma")) }),
      touchPoints: [...new Set(places.map(({ path }) => path))],
      doneWhen: say("done_scenarios", { text: names }),
      blockedBy: isTested ? String(before + tasks.length) : "",
    });
  }
  return tasks;
}

function mainTask(facts: FactsOfWork, scenarios: WrittenScenario[], say: Phrases): PlannedTask {
  const doneWhen = scenarios.length > 2 ? say("done_all") : say("done_scenarios", { text: namesOf(scenarios, say) });
  const task = (text: string, touched: Place[]) => ({
    text,
    touchPoints: [...new Set(touched.map((place) => place.path))],
    doneWhen,
    blockedBy: "",
  });
  const [place] = facts.kind === "docs" ? [...facts.docs, ...facts.places] : facts.places;
  const { put, documents } = facts;
  if (documents.length > 0 && (facts.codeStays || (facts.kind === "question" && place === undefined))) {
    const text = say(facts.kind === "question" ? "task_answered_in" : "task_decided_in", {
      place: documents.map(({ path }) => codeSpan(path)).join(say("comma")),
    });
    return { ...task(text, []), touchPoints: documents.map(({ path }) => path) };
  }
  if (put.length > 0 && (!place || place.tie === "words"))
    return {
      ...task(say("task_build", { place: put.map((path) => codeSpan(path)).join(say("comma")) }), []),
      touchPoints: [...put],
    };
  if (facts.isDiscussed && facts.kind === "question")
    return place === undefined
      ? task(say("task_answered"), [])
      : task(say("task_answered_in", { place: shown(place) }), [place]);
  if (facts.isDiscussed)
    return place === undefined
      ? task(say("task_decided"), [])
      : task(say("task_decided_in", { place: shown(place) }), [place]);
  if (!place) return task(say("task_find"), []);
  if (facts.kind === "docs")
    return task(say(facts.question === null ? "task_docs" : "task_answer", { place: codeSpan(place.location) }), [
      place,
    ]);
  if (place.tie === "words") {
    // Nothing tells these apart but their rank: candidates of one task.
    const candidates = [place, ...relatedTo([place.path], facts).filter(({ tie }) => tie === "words")].slice(
      0,
      RELATED,
    );
    const key = facts.isRequest ? "task_build_likely" : "task_confirm";
    const others = candidates.slice(1).map(shown).join(say("comma"));
    const rest = others === "" ? "" : `${say("semicolon")}${say("task_else", { place: others })}`;
    return task(`${say(key, { place: shown(place) })}${rest}`, candidates);
  }
  if (facts.isRequest) return task(say("task_build", { place: shown(place) }), [place]);
  if (facts.calls.length > 1) {
    const calls = facts.calls.map((call) => codeSpan(call.symbol ?? call.location)).join(" → ");
    return task(say("task_trace", { calls }), facts.calls.toReversed());
  }
  const { tie } = place;
  if (tie === "message" && facts.symptom !== null)
    return task(say("task_message", { place: shown(place), message: code(facts.symptom, 80) }), [place]);
  const key = facts.proposal === null ? "task_fix" : "task_fix_proposed";
  return task(say(key, { place: shown(place) }), [place]);
}

/** Other places that were found, besides the one where the work begins. */
function relatedTo(paths: string[], { places, kind }: SpecFacts): Place[] {
  if (kind === "docs") return [];
  return places
    .filter(
      (place, index, all) => !paths.includes(place.path) && all.findIndex((one) => one.path === place.path) === index,
    )
    .slice(0, RELATED);
}
