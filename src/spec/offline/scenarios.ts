import type { Translate } from "../../domain/messages/messages.ts";
import type { SpecKey } from "../../domain/messages/spec.ts";
import type { SpecFacts } from "./facts.ts";
import { clause, plain } from "./plain.ts";

export interface WrittenScenario {
  name: string;
  steps: { keyword: "GIVEN" | "WHEN" | "THEN" | "AND"; text: string }[];
}

const NAME_LENGTH = 80;
const MOST = 6;

/** Scenarios from the acceptance criteria, or from what happens and should happen (R-SPEC-4). */
export function scenariosOf(facts: SpecFacts, say: Translate<SpecKey>): WrittenScenario[] {
  if (facts.kind === "bug" || facts.kind === "performance")
    return [reported(facts, say), ...ofCriteria(facts, say)].slice(0, MOST);
  const own = ofCriteria(facts, say);
  if (facts.kind === "docs" && own.length === 0) return [corrected(facts, say)];
  return own.length > 0 ? own : [reported(facts, say)];
}

function reported(facts: SpecFacts, say: Translate<SpecKey>): WrittenScenario {
  const when = facts.known("reproduction");
  const [message] = facts.messages;
  const versions = facts.known("compatibility");
  const given = facts.kind === "bug" && versions !== null && versions.length < 120 && /\d+\.\d+/.test(versions);
  return {
    name: say(isRequest(facts) ? "scenario_requested" : "scenario_reported"),
    steps: [
      ...(given ? [{ keyword: "GIVEN" as const, text: versions }] : []),
      { keyword: "WHEN", text: when === null ? say("when_used", { text: clause(facts.title) }) : withoutWhen(when) },
      { keyword: "THEN", text: outcomeOf(facts) },
      ...(message !== undefined && facts.kind === "bug"
        ? [{ keyword: "AND" as const, text: say("then_no_message", { text: clause(message) }) }]
        : []),
    ],
  };
}

/** A text that is wrong: it is read, and is right. */
function corrected(facts: SpecFacts, say: Translate<SpecKey>): WrittenScenario {
  const [place] = facts.places;
  const when = place
    ? say("when_read", { place: `\`${place.path}\`` })
    : say("when_used", { text: clause(facts.title) });
  return {
    name: say("scenario_reported"),
    steps: [
      { keyword: "WHEN", text: when },
      {
        keyword: "THEN",
        text: say("then_right", { text: facts.known("expected") ?? facts.known("actual") ?? facts.gist }),
      },
    ],
  };
}

function ofCriteria(facts: SpecFacts, say: Translate<SpecKey>): WrittenScenario[] {
  const answer = facts.answered.find(({ gap }) => gap.topic === "acceptance")?.note;
  const texts = [...facts.criteria, ...(answer === undefined ? [] : [answer])];
  return texts.slice(0, MOST).map((text) => {
    const split = conditionIn(text);
    return {
      name: clause(plain(text, NAME_LENGTH)),
      steps: [
        { keyword: "WHEN", text: split?.when ?? say("when_used", { text: clause(facts.title) }) },
        { keyword: "THEN", text: split?.outcome ?? text },
      ],
    };
  });
}

const CONDITION =
  /^(?:when(?:ever)?|if|wenn|falls|если|когда|si|cuando|quand|lorsque|se|quando)\s+(.{3,}?),\s*(?:then\s+|dann\s+|то\s+|entonces\s+|alors\s+|então\s+)?(.{3,})$/iu;

/** `When X, Y` as its two halves. */
function conditionIn(text: string): { when: string; outcome: string } | null {
  const match = CONDITION.exec(text);
  return match ? { when: match[1] ?? "", outcome: match[2] ?? "" } : null;
}

/** What is right: what people said, else what is assumed, else what the title asks for. */
export function outcomeOf(facts: SpecFacts): string {
  const said = facts.known("expected") ?? facts.criteria[0] ?? facts.known("acceptance");
  return said ?? facts.assumption("expected") ?? facts.assumption("acceptance") ?? (facts.gist || facts.title);
}

/** The keyword says it already. */
function withoutWhen(text: string): string {
  return text.replace(/^(?:when(?:ever)?|wenn|когда|cuando|quand|lorsque|quando)\s+/iu, "");
}

/** Asks for something new, rather than telling of something broken. */
export function isRequest(facts: SpecFacts): boolean {
  return facts.kind === "feature" || facts.kind === "chore";
}
