import { codeSpan } from "../../lib/text.ts";
import { forbidsPlaces } from "../../domain/statements/places-meant.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { tellsWhatHappens } from "../../domain/issue-text/aspects.ts";
import { isQuestion, sentencesOf } from "../../domain/issue-text/sentences.ts";
import { significantWords } from "../../domain/text/significant-words.ts";
import { goalIn } from "./conditions.ts";
import type { SpecFacts } from "./facts.ts";
import { namesOfWanted } from "./examples.ts";
import type { Said } from "./own-words.ts";
import { code, phrase, withoutReason } from "./plain.ts";
import { isScenario } from "./criteria.ts";

type Phrases = Translate<"spec">;

/** The expected outcome in one line: in people's words, else derived from the failure, else assumed. */
export function outcomeOf(facts: SpecFacts, say: Phrases, most: number): string {
  const said = saidOutcome(facts);
  if (said) {
    const text = withoutCommand(phrase(withoutUnchanged(said.text, facts), most), facts);
    const isFault = !facts.isRequest && said.gap === null && tellsWhatHappens(said.text);
    return cited(isFault ? say("outcome_no_longer", { text }) : result(text, say), said.gap);
  }
  if (facts.symptom !== null) {
    const key = facts.command === null ? "outcome_no_message" : "outcome_command";
    return say(key, { command: code(facts.command ?? ""), message: code(facts.symptom, 90) });
  }
  const { need } = facts;
  if (facts.isRequest && facts.examples.length > 0)
    return say("outcome_shown", { text: namesOfWanted(facts.examples) ?? say("code_here") });
  // The need tells why; the title tells what is asked for, unless it has a single word.
  const isNamed = significantWords(facts.title).size > 1;
  if (facts.isRequest && need !== null)
    return say("outcome_need", { text: isNamed ? facts.title : phrase(need, most) });
  const actual = facts.said("actual");
  if (!facts.isRequest && actual)
    return cited(say("outcome_no_longer", { text: phrase(withoutReason(actual.text), most) }), actual.gap);
  const assumed = facts.assumed("expected") ?? facts.assumed("acceptance");
  if (assumed) return cited(phrase(assumed.text, most), assumed.gap);
  if (facts.isRequest || facts.kind === "docs") return facts.title;
  return say("outcome_no_longer", { text: facts.title });
}

/** What people said the result should be; null if the outcome can only be derived. */
export function saidOutcome(facts: SpecFacts): Said | null {
  // A scenario has an outcome of its own.
  const judged = facts.criteria.find(({ text }) => !isScenario(text));
  const [inside] = facts.bounds.inside;
  const expected = facts.said("expected");
  const isAsked = expected?.gap === null && isQuestion(expected.text);
  return (isAsked ? null : expected) ?? judged ?? inside ?? goalIn(facts.heard.decisions.map(({ text }) => text));
}

/** “With `command` you can …”: WHEN says the command. */
function withoutCommand(text: string, { command }: SpecFacts): string {
  const shown = command === null ? null : codeSpan(command);
  if (shown === null || !text.includes(shown)) return text;
  const rest = text.replace(
    /^(?:with|by|using|(?:when )?running|after(?: running)?|при (?:запуске|выполнении)|mit|bei|con|al ejecutar|avec|com|ao executar)\s+/iu,
    "",
  );
  const tail = rest.startsWith(shown) && rest !== text ? rest.slice(shown.length).replace(/^[\s,]+/, "") : "";
  return /^\p{L}+\s+\S/u.test(tail) ? tail : text;
}

const ASSERTION = /^`(?:self\.)?(?:assert|expect|require)\w*[\s!(.][^`]*`$/i;

/** Code alone is a result, not a sentence; an assertion holds. */
function result(text: string, say: Phrases): string {
  if (ASSERTION.test(text)) return say("outcome_holds", { text });
  return /^(?:`[^`]*`|[\d.,]+)$/.test(text) ? say("outcome_result", { text }) : text;
}

/** Removes what must not change: it has its own scenario, and an order not to touch files is a Non-goal. */
function withoutUnchanged(text: string, { bounds }: SpecFacts): string {
  const stays = new Set(bounds.unchanged.map((bound) => bound.text));
  const others = sentencesOf(text).filter((one) => !stays.has(phrase(one.text, 200)) && !forbidsPlaces(one.text));
  return others.length > 0 ? others.map((sentence) => sentence.text).join(" ") : text;
}

/** Appends the gap that a text comes from. */
export function cited(text: string, gap: number | null): string {
  return gap === null ? text : `${text} (Gap #${gap})`.trim();
}
