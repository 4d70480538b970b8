import { isFile } from "../../domain/statements/file-names.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { significantWords } from "../../domain/text/significant-words.ts";
import type { SpecInput } from "../generator.ts";
import type { SpecFacts } from "./facts.ts";

/**
 * Orders to leave something alone, without those after which somebody who decides wanted something of the same thing: as
 * Non-goals they would hold against it. They stand in the Decision Log, in their order. Files are forbidden and free again
 * by their names (`forbiddenPlaces`).
 */
export function withoutOverruled(facts: SpecFacts, { statements, issue }: SpecInput): SpecFacts {
  const isOverruled = (bound: Statement) =>
    bound.message !== null &&
    !facts.forbiddenIn(bound).some(isFile) &&
    statements.statements.some(
      (one) =>
        one.decides &&
        (one.author !== issue.reporter || one.author === bound.author) &&
        (one.message ?? 0) > (bound.message ?? 0) &&
        (one.kind === "wish" || one.kind === "decision") &&
        isOfSame(bound.text, one.text),
    );
  const overruled = facts.heard.bounds.filter(isOverruled);
  if (overruled.length === 0) return facts;
  const { decisions } = facts.heard;
  const messages = new Set(overruled.map(({ message }) => message));
  const untold = statements.record.filter((one) => messages.has(one.message) && !decisions.includes(one));
  return {
    ...facts,
    heard: {
      ...facts.heard,
      bounds: facts.heard.bounds.filter((one) => !overruled.includes(one)),
      decisions: [...decisions, ...untold].toSorted((a, b) => (a.message ?? 0) - (b.message ?? 0)),
    },
  };
}

/** Whether a later sentence names what an order is about: what it sets as code, else half of its words. */
function isOfSame(order: string, later: string): boolean {
  const spans = [...order.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  const things = spans.length > 0 ? spans.map((name) => name.toLowerCase()) : [...significantWords(order)];
  const words = [
    ...significantWords(later),
    ...[...later.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name.toLowerCase()),
  ];
  const named = things.filter((thing) => words.some((word) => word === thing || isFormOf(word, thing)));
  return named.length > 0 && (spans.length > 0 || 2 * named.length >= things.length);
}

/** “renewals” is of `renew`. */
function isFormOf(word: string, name: string): boolean {
  return name.length >= SHORTEST && word.startsWith(name);
}

const SHORTEST = 4;
