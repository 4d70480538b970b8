/** The words that open the steps of a scenario: those that Gherkin publishes for Relay's languages, and what people write for them. */
const SPACED = {
  given:
    "given(?: that)?|angenommen,?(?: dass)?|gegeben(?: (?:seien|sei|sind|ist))?(?: dass)?|dad[oa]s?(?: que)?|[ée]tant donn[ée]e?s?(?: que?)?|sachant(?: que?)?|soi(?:en)?t|допустим,?(?: что)?|дано|пусть",
  when: "when(?:ever)?|wenn|sobald|cuando|quand|lorsque?|quando|когда|если",
  outcome: "then|dann|entonces|alors|donc|então|entao|тогда|затем|то",
};
const UNSPACED = {
  given: "假如|假设|假定|给定|前提(?:として|条件)?",
  when: "当|如果|もし",
  outcome: "那么|则|ならば|その場合",
};
const END = String.raw`(?=[\s:'’])[\s:'’]*`;
const STEPS = [
  new RegExp(
    String.raw`^(?:${SPACED.given})${END}(?<given>\S.+?)[\s,;.]+(?:${SPACED.when})${END}(?<when>\S.+?)[\s,;.]+(?:${SPACED.outcome})(?=[\s:,])[\s:,]*(?<outcome>\S.+)$`,
    "diu",
  ),
  /^when\s+(?<when>.{3,}?),?\s+then\s+(?<outcome>.{3,})$/diu,
  new RegExp(
    String.raw`^(?:${UNSPACED.given})[\s:：，、]*(?<given>\S.+?)[\s，,、；;。]+(?:${UNSPACED.when})[\s:：，、]*(?<when>\S.+?)[\s，,、；;。]+(?:${UNSPACED.outcome})[\s:：，、]*(?<outcome>\S.+)$`,
    "diu",
  ),
  new RegExp(
    String.raw`^(?:${UNSPACED.when})[\s:：，、]*(?<when>\S.+?)[\s，,、；;。]+(?:${UNSPACED.outcome})[\s:：，、]*(?<outcome>\S.+)$`,
    "diu",
  ),
];

export interface GherkinSteps {
  given?: string;
  when: string;
  outcome: string;
}

/** The steps of `Given X, when Y, then Z` in the languages that Relay writes in; null for another sentence. */
export function gherkinIn(text: string): GherkinSteps | null {
  // A word in code or in a quotation opens no step.
  const masked = text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»/gu, (part) => "x".repeat(part.length));
  const found = STEPS.map((pattern) => pattern.exec(masked)).find((match) => match !== null);
  const of = (name: string) => {
    const [start, end] = found?.indices?.groups?.[name] ?? [];
    return text.slice(start ?? 0, end ?? 0).trim();
  };
  const [given, when, outcome] = ["given", "when", "outcome"].map(of);
  if (!found || when === undefined || outcome === undefined) return null;
  return { ...(given === undefined || given === "" ? {} : { given }), when, outcome };
}

/** A line that opens a scenario: its first step says what is given. */
const OPENS = new RegExp(String.raw`^(?:(?:${SPACED.given})${END}|(?:${UNSPACED.given}))`, "iu");
const GOES_ON = new RegExp(
  String.raw`^(?:(?:${SPACED.when}|${SPACED.outcome}|and|but|und|aber|y|e|et|mais|mas|pero|и|но)${END}|(?:${UNSPACED.when}|${UNSPACED.outcome}|并且|而且|但|かつ|しかし))`,
  "iu",
);
/** The mark of a list, and the emphasis of its first word. */
const MARK = /^\s*(?:[-*+]\s+)?(?:\*{1,2}|_{1,2})?([\p{L}]+(?: [\p{L}]+)?)(?:\*{1,2}|_{1,2})?/u;

/**
 * The scenarios that somebody wrote step by step, each as one sentence: a line, or several, from what is given to the
 * outcome. Empty for any other text.
 */
export function scenariosIn(text: string): string[] {
  const scenarios: string[][] = [];
  for (const line of text.split("\n")) {
    const step = line.trim().replace(MARK, "$1");
    if (step === "") continue;
    const last = scenarios.at(-1);
    if (OPENS.test(step)) scenarios.push([step]);
    else if (last === undefined || !(GOES_ON.test(step) || !isWhole(last))) return [];
    else last.push(step);
  }
  return scenarios.every(isWhole) ? scenarios.map((steps) => steps.join(" ")) : [];
}

function isWhole(steps: readonly string[]): boolean {
  return gherkinIn(steps.join(" "))?.given !== undefined;
}
