import { citationsIn, locationOf } from "../../domain/spec-document/citations.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import type { DeclaredChange, SpecInput } from "../generator.ts";
import type { SpecProblem } from "../validate/rules.ts";
import { type Unasked, type Unit, meaningOf } from "./units.ts";

/** Which differences between two versions follow from what has been said, settled or found since the older one. */
export interface Reasons {
  forChange: (before: Unit, after: Unit) => boolean;
  forRemoval: (before: Unit) => boolean;
  /** For something quite different in its place. */
  forReplacement: (before: Unit, after: Unit) => boolean;
  forAddition: (after: Unit) => boolean;
  /** Whatever differs may: the whole spec was rejected, or is to be written anew. */
  forAll: boolean;
}

/** Share of the words of an added part that what is new must have. */
const TOLD = 0.3;
/** Share of the words of something new that makes it about one part. */
const ABOUT = 0.5;
/** Words of two texts that make one a rewording of the other. */
const SAME = 0.7;
/** Of a removed part, the share of the words of its name. */
const NAMED = 0.5;

/**
 * The reasons for a revision (R-SPEC-12): messages that no version has read, questions settled and findings made since,
 * findings that were removed, places in the code that moved or changed, and what the writer declares with such evidence.
 */
export function reasonsIn(input: SpecInput, declared: readonly DeclaredChange[] = []): Reasons {
  const since = new Date(input.existing?.ref.updated_at ?? 0);
  const unread = new Set(input.unread);
  const messages = input.messages.filter(({ seq, isBot, role }) => unread.has(seq) && !isBot && role !== "self");
  const gaps = input.closedGaps.filter(({ closedAt }) => closedAt !== null && closedAt > since);
  const findings = input.findings.filter(({ createdAt }) => createdAt > since);
  const news = [
    ...messages.map(({ content }) => content),
    ...gaps.map(({ question, closedNote }) => `${question}\n${closedNote ?? ""}`),
    ...findings.map(({ synthesis }) => synthesis),
    ...(input.textEdited ? [input.issue.title, input.issue.body] : []),
  ].map((text) => significantWords(text));
  const words = new Set(news.flatMap((told) => [...told]));
  const known = new Set(input.messages.map(({ seq }) => seq));
  const takenBack = input.statements.statements.flatMap(({ message, supersededBy }) =>
    message !== null && supersededBy !== null && unread.has(supersededBy) ? [message] : [],
  );
  const fresh = {
    message: new Set([...messages.map(({ seq }) => seq), ...takenBack]),
    gap: new Set(gaps.map(({ number }) => number)),
    finding: new Set([...findings, ...input.removed].map(({ number }) => number)),
  };
  const drifted = new Set(input.drifted);
  const cites = (text: string) =>
    citationsIn(text, 1).some((one) => {
      if (one.kind === "file") return drifted.has(locationOf(one));
      const number = Number(one.id);
      return fresh[one.kind].has(number) || (one.kind === "message" && !known.has(number));
    });
  const backed = declared.filter(({ because }) => cites(because));
  const isDeclared = (...units: Unit[]) => backed.some(({ part }) => units.some((unit) => isPart(part, unit)));
  const removalOf = (before: Unit) => {
    const name = significantWords(before.name);
    return cites(before.text) || isDeclared(before) || (name.size > 0 && shared(name, words) / name.size >= NAMED);
  };
  return {
    forAll: input.rejected || backed.some(({ part }) => /^(?:everything|all|whole|the whole spec)$/i.test(part.trim())),
    forChange: (before, after) => {
      if (cites(before.text) || cites(after.text) || isDeclared(before, after)) return true;
      const [old, now] = [significantWords(before.text), significantWords(after.text)];
      const both = new Set([...old, ...now]);
      if (news.some((told) => told.size > 0 && shared(told, both) / told.size >= ABOUT)) return true;
      const common = shared(old, now);
      const isSame =
        before.name === after.name ||
        (2 * common) / (old.size + now.size) >= SAME ||
        (common > 0 && Math.max(old.size, now.size) - common <= 1);
      const differing = isSame
        ? [...old, ...now].filter((word) => old.has(word) !== now.has(word))
        : [...old].filter((word) => !now.has(word));
      return differing.some((word) => words.has(word));
    },
    forRemoval: removalOf,
    forReplacement: (before, after) => removalOf(before) || isDeclared(before, after),
    forAddition: (after) => {
      const told = significantWords(after.text);
      return (
        cites(after.text) ||
        isDeclared(after) ||
        (told.size > 0 && shared(told, words) >= Math.max(1, told.size * TOLD))
      );
    },
  };
}

/** The same reasons, and to fix these errors: their lines may change, and whatever is new may be what is missing. */
export function alsoMending(reasons: Reasons, unasked: readonly Unasked[], errors: readonly SpecProblem[]): Reasons {
  const faulty = new Set(
    unasked.flatMap(({ what, line, unit }) => {
      const end = line + linesOf(unit.text).length;
      return what !== "added" && errors.some((one) => one.line >= line && one.line < end) ? [unit.text] : [];
    }),
  );
  return {
    forAll: reasons.forAll,
    forChange: (before, after) => faulty.has(before.text) || reasons.forChange(before, after),
    forRemoval: (before) => faulty.has(before.text) || reasons.forRemoval(before),
    forReplacement: (before, after) => faulty.has(before.text) || reasons.forReplacement(before, after),
    forAddition: () => true,
  };
}

/** Whether a writer means this part: by its name, or by that of its requirement. */
function isPart(named: string, { name, parent }: Unit): boolean {
  const said = fold(named.replace(/^(?:requirement|scenario|decision|task|section)\s*:?\s*/i, ""));
  return (
    said.length > 2 &&
    [name, parent].some((one) => one !== "" && (fold(one).includes(said) || said.includes(fold(one))))
  );
}

function fold(text: string): string {
  return meaningOf(text).toLowerCase();
}
