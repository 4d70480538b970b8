import { citationsIn } from "../domain/spec-document/citations.ts";
import type { Cited, SpecDocument } from "../domain/spec-document/document.ts";
import { isFragment } from "../lib/text.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";

/** Somebody who said something, and where. */
export interface Said {
  login: string;
  /** It answers what happens now, and decides nothing. */
  isFact: boolean;
  /** The number of the message. */
  seq: number;
  url: string | null;
}

/** Who is behind a citation; null for code, and for what nobody said. */
export type WhoSaid = (cited: Cited) => Said | null;

interface Decision {
  text: string;
  by: Said[];
}

/** What somebody approves (R-SPEC-20), in the spec's Markdown without its citations; each thing once. */
export interface SpecFacts {
  changes: Decision[];
  decided: Decision[];
  assumed: string[];
  out: string[];
}

/**
 * What a person reads of a spec before anything else: what changes, who decided what, what is assumed, what stays out.
 */
export function specFacts(text: string, who: WhoSaid): SpecFacts {
  const spec = parseSpec(text);
  const decisions = spec.decisions
    .map(({ decision, context }) => ({ text: decision, cited: citationsIn(`${decision}\n${context}`, 0) }))
    .map(({ text: decision, cited }) => ({ text: wholeOf(decision, spec), cited, by: people(cited, who) }))
    .filter(({ text: decision, by }) => (by.length > 0 ? by.some((one) => !one.isFact) : !onlyPoints(decision)));
  const assumptions = spec.assumptions.map(({ assumption }) => assumption);
  const told = new Set(
    [...decisions.flatMap(({ cited }) => cited), ...assumptions.flatMap((one) => citationsIn(one, 0))].map(nameOf),
  );
  const bullets = spec.tldr
    .map((bullet) => ({ text: bullet.text, cited: citationsIn(bullet.text, 0).filter(({ kind }) => kind !== "file") }))
    .filter(({ text: bullet, cited }, at) => {
      const isTold = cited.length > 0 && cited.every((one) => told.has(nameOf(one)));
      if (at === 0) return !onlyNames(bullet, spec.title);
      return !(isTold || onlyPoints(bullet) || isFragment(withoutNumbers(bullet)));
    });
  const first = spec.tldr[0]?.text;
  const changes = bullets.map(({ text: bullet }) => ({
    // “0” says little without what it is about.
    text:
      bullet === first && lettersIn(bullet) <= FEW / 2 && spec.title !== null
        ? `${spec.title}: ${withoutNumbers(bullet)}`
        : withoutNumbers(bullet),
    // If a decision says the same, only its people are shown.
    by: decisions.filter((one) => says(bullet, one.text)).flatMap(({ by }) => by),
  }));
  return {
    changes,
    decided: decisions
      .filter((one) => !bullets.some((bullet) => says(bullet.text, one.text)))
      .map(({ text: decision, by }) => ({ text: withoutNumbers(decision), by })),
    assumed: assumptions.map(withoutNumbers),
    out: spec.nonGoals.map((one) => withoutNumbers(one.text)),
  };
}

/** A decision that the log cuts short, in full from the scenario that has it. */
function wholeOf(decision: string, { requirements, looseScenarios }: SpecDocument): string {
  const start = /^(.{10,})…$/.exec(withoutNumbers(decision))?.[1];
  if (start === undefined) return decision;
  const steps = [...requirements.flatMap(({ scenarios }) => scenarios), ...looseScenarios].flatMap((one) => one.steps);
  return steps.find(({ text }) => folded(text).startsWith(folded(start)))?.text ?? decision;
}

function people(cited: readonly Cited[], who: WhoSaid): Said[] {
  const said = cited.flatMap((one) => who(one) ?? []);
  return said.filter((one, at) => said.findIndex(({ seq }) => seq === one.seq) === at);
}

function nameOf(cited: Cited): string {
  return cited.kind === "file" ? cited.path : `${cited.kind} ${Number(cited.id)}`;
}

/** Citations in brackets are for who builds; approvers get the people behind them. */
function withoutNumbers(text: string): string {
  return text.replaceAll(NUMBERS, "").trim();
}

const NUMBERS = /\s*\((?:(?:gap|finding|message)s? #?\d+(?:\s*,\s*#?\d+)*(?:\s*[,;]\s*)?)+\)/gi;

/** Letters beside what it points at that still say nothing: “Where: …”, “Checked by …”. */
const FEW = 30;

/** Whether a sentence only points at code or scenarios, which the steps and the spec name anyway. */
function onlyPoints(text: string): boolean {
  const bare = withoutNumbers(text).replaceAll(/`[^`\n]*`|“[^”]*”|„[^“]*“|«[^»]*»|「[^」]*」/g, "");
  return bare !== withoutNumbers(text) && lettersIn(bare) <= FEW;
}

/** Whether a sentence only repeats the title, as in “To fix: …”. */
function onlyNames(text: string, title: string | null): boolean {
  if (title === null || !says(text, title) || text.split("`").length > title.split("`").length) return false;
  return lettersIn(folded(text)) - lettersIn(folded(title)) <= FEW / 2;
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function says(whole: string, part: string): boolean {
  return part !== "" && folded(whole).includes(folded(part));
}

function folded(text: string): string {
  return withoutNumbers(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
}
