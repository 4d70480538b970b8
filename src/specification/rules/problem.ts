import { codeSpan } from "../../lib/text.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { tellsWhatHappens } from "../../domain/issue-text/aspects.ts";
import { EXPECTS, SHOULD } from "../../domain/issue-text/aspect-words.ts";
import { tellsOfToday } from "../../domain/issue-text/remarks.ts";
import { tellsResult } from "../../domain/issue-text/shown-results.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import type { SpecInput } from "../generator.ts";
import { patchOf } from "../reproduction.ts";
import { asAsked, askedIn, listsSpokenOf } from "./asked.ts";
import { sentencesOfIssue } from "./bounds.ts";
import { withSequel } from "./clues.ts";
import { MOST_CODE } from "./examples.ts";
import type { SpecFacts } from "./facts.ts";
import { quoted, saysSame } from "./heard.ts";
import { bullets, fenced } from "./markdown.ts";
import type { Said } from "./own-words.ts";
import { type Place, withFinding } from "./places.ts";
import { clause, code, expectation, phrase, plain, sentence } from "./plain.ts";
import { cited } from "./outcomes.ts";

interface Parts {
  input: SpecInput;
  facts: SpecFacts;
  say: Translate<"spec">;
}

const SHOWN_PLACES = 2;
/** Characters of what happens now, and of why a request is made. */
const MOST_NOW = 360;
const MOST_NEED = 420;

/** The failure, how to reproduce it, and its place in the code. */
export function problemOf({ input, facts, say }: Parts): string {
  const found = facts.calls.length > 1 ? callsOf(facts.calls, say) : placesOf(facts, say);
  const asked = facts.isDiscussed && facts.isRequest && facts.question === null ? askedIn(input.reading) : [];
  if (asked.length > 0) {
    const [only = "", ...others] = asked;
    const lead = others.length === 0 ? say("problem_asked", { text: sentence(only) }) : asAsked(asked, say);
    const said = bullets(facts.heard.facts.flatMap((one) => (one.message === null ? [] : [saidOf(one, say)])));
    return [lead, exampleOf(facts, say), said, found].filter((part) => part !== "").join("\n\n");
  }
  const need = facts.need === null ? null : { text: facts.need, gap: null };
  const expected = facts.said("expected")?.text;
  const reported = facts.said("actual");
  const isSame = reported !== null && expectation(reported.text) === expected && !tellsWhatHappens(reported.text);
  const actual = isSame ? null : reported;
  const isTold = !facts.isRequest || input.reading.aspects.actual.from === "section" || actual?.gap != null;
  const first = isTold ? (actual ?? need) : withWish(need ?? actual, input, facts);
  const now = first ?? (facts.isRequest ? null : { text: facts.title, gap: null });
  const told = sentencesOfIssue(input.reading);
  const tellOn = ({ text, gap }: Said) => (gap === null && !facts.isRequest ? withSequel(text, told) : text);
  const isNeed = facts.isRequest && now !== null && !tellsHowItIs(now.text);
  const sentences = [
    ...(facts.question === null ? [] : [say("problem_asked", { text: facts.question })]),
    ...(now && facts.question === null
      ? [
          say(isNeed ? "problem_need" : "problem_now", {
            text: cited(phrase(tellOn(now), facts.isRequest ? MOST_NEED : MOST_NOW), now.gap),
          }),
        ]
      : []),
    ...todayOf(input, facts, say, [now?.text ?? "", expected ?? ""]),
    ...(now && facts.symptom !== null && !now.text.includes(facts.symptom)
      ? [say("problem_message", { message: code(facts.symptom) })]
      : []),
    ...(facts.command !== null && now?.text.includes(facts.command) === true ? [] : howToSee(facts, say)),
  ];
  const lead = sentences.length > 0 ? sentences.join(" ") : facts.title;
  const patch = patchOf(input.reading, MOST_CODE);
  const decided = [...facts.heard.decisions, ...facts.heard.tried];
  const isDecided = decided.some(({ text }) => facts.proposal !== null && saysSame(text, facts.proposal));
  const way =
    facts.proposal === null || isDecided
      ? ""
      : say("problem_proposed", { text: phrase(facts.proposal.replace(OFFER, ""), 300) });
  const head = say(patch?.isAround === true ? "problem_around" : "problem_patch");
  const isOwn = way !== "" && patch?.isAround !== true;
  const change = patch === null ? "" : `${isOwn ? "" : `${head}\n\n`}${fenced(patch.text, "diff")}`;
  const proposal = [explained(input, facts, say, now?.text ?? ""), way, change]
    .filter((part) => part !== "")
    .join("\n\n");
  const heard = bullets(facts.heard.facts.map((one) => saidOf(one, say)));
  const isAnswered = !facts.isRequest && input.statements.record.length > 0;
  const spokenOf = isAnswered ? asAsked(listsSpokenOf(input.reading, facts.spokenOf), say) : "";
  return [lead, exampleOf(facts, say), heard, proposal, spokenOf, found].filter((part) => part !== "").join("\n\n");
}

/** The wish of a request before why it is made, where no scenario says it. */
function withWish(need: Said | null, { reading, statements }: SpecInput, facts: SpecFacts): Said | null {
  if (!facts.isDiscussed && facts.criteria.length === 0) return need;
  const wish = statements.statements.find(
    ({ kind, message, text }) =>
      message === null && kind === "wish" && !reading.acceptanceCriteria.some((one) => one.endsWith(text)),
  );
  if (wish === undefined || (need !== null && saysSame(wish.text, need.text))) return need;
  const told = expectation(wish.text);
  return {
    text:
      need === null || tellsOfToday(need.text) ? told : `${told}${/[.!?。！？]$/u.test(told) ? "" : "."} ${need.text}`,
    gap: null,
  };
}

/** “`f(1)` returns 2” tells how it is, also in a request. */
function tellsHowItIs(text: string): boolean {
  const bare = text.replaceAll(/`[^`]*`/g, "…");
  return text.includes("`") && tellsResult(text) && !SHOULD.test(bare) && !EXPECTS.test(bare);
}

/** Offers to do it, after what is to be done. */
const OFFER =
  /(?:,| and| but)*\s+(?:i )?(?:would|['’]d|am|i['’]m)? ?(?:love|happy|glad|willing|like) to (?:submit|open|send|make|create|provide|contribute|work|help).*$/iu;
/** Announces an example and says nothing of it. */
const EXAMPLE =
  /^(?:(?:for |minimal |code |an? )?examples?|e\.g\.?|beispiel|например|пример|ejemplo|exemple|exemplo|例|例如)\s*[:：]?$/iu;

/** How it is today, for a request that says so. */
function todayOf({ reading }: SpecInput, facts: SpecFacts, say: Parts["say"], told: readonly string[]): string[] {
  const { today } = reading;
  if (!facts.isRequest || today === null || told.some((text) => saysSame(text, today))) return [];
  return [say("problem_now", { text: phrase(today, MOST_NOW) })];
}

/** The reporter's explanation of a fault, unless it is told already. */
function explained({ reading }: SpecInput, facts: SpecFacts, say: Parts["say"], told: string): string {
  const said = [told, facts.proposal ?? ""];
  const fresh = reading.explanations.find((text) => !said.some((one) => saysSame(one, text)));
  return facts.isRequest || fresh === undefined ? "" : say("problem_cause", { text: phrase(fresh, 300) });
}

/** Facts of the issue's own text need no author. */
function saidOf(one: Statement, say: Parts["say"]): string {
  const { author, message } = one;
  if (message === null) return sentence(quoted(one));
  return say("problem_said", { login: plain(author, 60), seq: message, text: phrase(one.text, 300) });
}

/** The code of the issue that shows the case, with its announcements. */
function exampleOf({ examples }: SpecFacts, say: Parts["say"]): string {
  return examples
    .map(({ lead, language, lines, left }, at) => {
      const said = EXAMPLE.test(lead) ? "" : clause(phrase(lead.replace(/^\W*(?:update|edit)\s*[:：]\s*/i, ""), 160));
      const number = examples.length > 1 ? say("example_head", { number: at + 1 }) : "";
      const head = [number, said].filter((part) => part !== "").join(". ") || say("problem_example");
      const more = left === 0 ? "" : `\n\n${say("problem_example_cut", { count: left })}`;
      return `${sentence(head)}${/[?？]$/.test(head) ? "" : say("colon").trimEnd()}\n${fenced(lines.join("\n"), language)}${more}`;
    })
    .join("\n\n");
}

function howToSee(facts: SpecFacts, say: Parts["say"]): string[] {
  const steps = facts.said("reproduction");
  if (facts.isRequest || facts.kind === "docs") return [];
  if (steps === null && facts.command === null)
    return facts.link === null ? [] : [say("problem_see", { text: facts.link })];
  const gap = steps?.gap ?? null;
  if (facts.command !== null) return [say("problem_see", { text: cited(code(facts.command), gap) })];
  return gap === null ? [] : [say("problem_see", { text: cited(phrase(steps?.text ?? "", 160), gap) })];
}

/** The chain of calls to the line that fails. */
function callsOf(calls: Place[], say: Parts["say"]): string {
  const steps = calls.map((call) => `${withFinding(call)}${call.code === "" ? "" : `${say("colon")}${call.code}`}`);
  return `${say("problem_calls")}\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join("\n")}`;
}

function placesOf(facts: SpecFacts, say: Parts["say"]): string {
  const all =
    facts.kind === "docs"
      ? [...facts.docs, ...facts.places]
      : [...facts.places, ...(facts.isRequest ? facts.docs : [])];
  const places = facts.kind === "docs" ? all.filter((place) => place.tie !== "words" || all.length === 1) : all;
  return bullets(places.slice(0, SHOWN_PLACES).map((place) => foundAt(place, say)));
}

/** A finding in its own words, with its line and number if it names the file. */
function foundAt(place: Place, say: Parts["say"]): string {
  const { synthesis, path } = place;
  const at = synthesis.indexOf(codeSpan(path));
  const evidence = `Finding #${place.finding}`;
  const line = place.code === "" ? "" : `${say("colon")}${place.code}`;
  if (synthesis === "") return `${withFinding(place)}${line}`;
  if (at === -1) return `${clause(synthesis)} (${codeSpan(place.location)}, ${evidence})${line}`;
  const before = synthesis.slice(0, at);
  const after = synthesis.slice(at + path.length + 2);
  const isBracketed = before.endsWith("(") && after.startsWith(")");
  const where = isBracketed ? `${codeSpan(place.location)}, ${evidence}` : `${codeSpan(place.location)} (${evidence})`;
  return `${before}${where}${clause(after)}${line}`;
}
