import { linesOf } from "../../domain/spec-document/blocks.ts";
import { cut } from "../../lib/text.ts";
import { keptNumbers } from "./numbers.ts";
import { merged, partnersOf, withReplacements } from "./pairs.ts";
import type { Reasons } from "./reasons.ts";
import { type SpecProblem, warning } from "../validate/rules.ts";
import { type Divided, type Part, type Unasked, type Unit, divide, meaningOf } from "./units.ts";

interface Outcome {
  /** What stands, in order. */
  kept: { unit: Unit; unasked: "changed" | "removed" | null }[];
  /** Additions that do not stand, with what they would have come after. */
  left: { unit: Unit; after: number }[];
}

/**
 * Makes a revision the smallest change of the older version (R-SPEC-12): what says the same keeps its bytes, place and
 * number; what differs without a reason stays as it was. Entries of the Changelog stay, new ones come after them. Pure,
 * and the same for rules and models.
 */
export function reconcile(older: string, fresh: string, reasons: Reasons): { markdown: string; unasked: Unasked[] } {
  const before = divide(older);
  const after = divide(fresh);
  const outcome: Outcome = { kept: [], left: [] };
  const sections = new Map(
    after.parts.flatMap((now) => {
      const old = before.parts.find((one) => sectionOf(one) === sectionOf(now));
      return old === undefined ? [] : [[now, old] as const];
    }),
  );
  const isDeeper = levelIn(before) !== levelIn(after);
  for (const [old, now] of merged(before.parts, after.parts, sections, () => false)) {
    if (old !== null) revised(old, now, reasons, outcome);
    else if (now !== null) added(now, { ...reasons, forAll: reasons.forAll || isDeeper }, outcome);
  }
  return written(headOf(before, after, reasons), outcome, /\r\n/.test(older) ? "\r\n" : "\n");
}

function sectionOf({ key, heading }: Part): string {
  return key ?? meaningOf(heading).toLowerCase();
}

/** The new head under the older title, unless what is new is about it; the reason for the level stays with the level. */
function headOf(before: Divided, after: Divided, reasons: Reasons): string[] {
  const title = before.head.find(isTitle);
  const level = before.head.find(isLevel);
  return after.head.map((line) => {
    if (title !== undefined && isTitle(line)) {
      return reasons.forAll || reasons.forChange(asUnit(title), asUnit(line)) ? line : title;
    }
    return level !== undefined && isLevel(line) && levelIn(before) === levelIn(after) ? level : line;
  });
}

function isTitle(line: string): boolean {
  return /^#\s/.test(line);
}

function isLevel(line: string): boolean {
  return /^[\s*_>-]*complexity\b/i.test(line);
}

function levelIn({ head }: Divided): string | undefined {
  return /\bL[0-4]\b/.exec(head.find(isLevel) ?? "")?.[0];
}

function asUnit(text: string): Unit {
  return { kind: "text", name: text, parent: "", text, gap: 0, line: 1 };
}

/** A section of the older version, in the new one or not. */
function revised(old: Part, now: Part | null, reasons: Reasons, { kept, left }: Outcome): void {
  const isLog = old.key === "changelog";
  const fresh = now?.units ?? [];
  const mayReplace = (before: Unit, after: Unit) => reasons.forAll || reasons.forReplacement(before, after);
  const partners = withReplacements(old.units, fresh, partnersOf(old.units, fresh), mayReplace);
  const inOldNumbers = keptNumbers(old.units, fresh, partners);
  const isNew = (unit: Unit) => !partners.has(unit);
  const asked = additions(fresh, isNew, (unit) => isLog || reasons.forAll || reasons.forAddition(unit));
  const gone = new Set<string>();
  const goes = (unit: Unit) => {
    if (isLog || unit.kind === "label") return reasons.forAll && !isLog;
    return reasons.forAll || (unit.kind === "scenario" && gone.has(unit.parent)) || reasons.forRemoval(unit);
  };
  kept.push({ unit: old.title, unasked: null });
  for (const [before, after] of merged(old.units, fresh, partners, staysTogether)) {
    if (before === null) {
      if (after === null || (after.kind === "label" && !asked.has(after))) continue;
      if (asked.has(after)) kept.push({ unit: inOldNumbers(after), unasked: null });
      else left.push({ unit: after, after: kept.length - 1 });
    } else if (after === null) {
      if (!goes(before)) kept.push({ unit: before, unasked: isLog || before.kind === "label" ? null : "removed" });
      else if (before.kind === "requirement") gone.add(before.name);
    } else {
      const next = inOldNumbers(after);
      const isSame = meaningOf(before.text) === meaningOf(next.text);
      const isAsked = !isLog && !isSame && (mayReplace(before, next) || reasons.forChange(before, next));
      const unasked = isSame || isAsked || isLog ? null : "changed";
      kept.push({ unit: isAsked ? { ...next, gap: before.gap } : before, unasked });
    }
  }
}

/** A section that only the new version has. */
function added(now: Part, reasons: Reasons, { kept, left }: Outcome): void {
  const isLog = now.key === "changelog";
  const asked = additions(
    now.units,
    () => true,
    (unit) => isLog || reasons.forAll || reasons.forAddition(unit),
  );
  if (asked.size === 0) {
    left.push({ unit: now.title, after: kept.length - 1 });
    return;
  }
  kept.push({ unit: { ...now.title, gap: Math.max(1, now.title.gap) }, unasked: null });
  for (const unit of now.units) {
    if (asked.has(unit)) kept.push({ unit, unasked: null });
    else if (unit.kind !== "label") left.push({ unit, after: kept.length - 1 });
  }
}

/** The new units that stand: a requirement and its scenarios together, a label with what follows it. */
function additions(
  units: readonly Unit[],
  isNew: (unit: Unit) => boolean,
  isAsked: (unit: Unit) => boolean,
): ReadonlySet<Unit> {
  const asked = new Set(units.filter((unit) => isNew(unit) && unit.kind !== "label" && isAsked(unit)));
  for (const requirement of units.filter(({ kind }) => kind === "requirement").filter(isNew)) {
    const scenarios = units.filter(({ kind, parent }) => kind === "scenario" && parent === requirement.name);
    const whole = [requirement, ...scenarios].filter(isNew);
    if (whole.some((unit) => asked.has(unit))) for (const unit of whole) asked.add(unit);
  }
  let isNext = false;
  for (const unit of units.toReversed()) {
    if (unit.kind !== "label") isNext = asked.has(unit);
    else if (isNext && isNew(unit)) asked.add(unit);
  }
  return asked;
}

/** Whether an older unit belongs so closely to the one before it that this new one comes behind both. */
function staysTogether(next: Unit, fresh: Unit): boolean {
  if (fresh.kind === "requirement") return next.kind === "scenario";
  if (fresh.kind === "label") return next.kind !== "label";
  return next.kind === "row" && fresh.kind !== "row";
}

function written(head: readonly string[], { kept, left }: Outcome, lineEnd: string) {
  const lines = [...head];
  while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  const lineOf = kept.map(({ unit }) => {
    for (let n = 0; n < unit.gap; n += 1) lines.push("");
    lines.push(...linesOf(unit.text));
    return lines.length - linesOf(unit.text).length + 1;
  });
  const unasked = [
    ...kept.flatMap(({ unit, unasked: what }, index) =>
      what === null ? [] : [{ what, name: unit.name, line: lineOf[index] ?? 1, unit }],
    ),
    ...left.map(({ unit, after }) => ({ what: "added" as const, name: unit.name, line: lineOf[after] ?? 1, unit })),
  ];
  return { markdown: `${lines.join(lineEnd)}${lineEnd}`, unasked };
}

/** Tells the writer of a revision what was left as it was, and how to have it changed after all. */
export function unaskedWarning({ what, name, line }: Unasked): SpecProblem {
  const told = { changed: "was reworded", removed: "was left out", added: "was added" }[what];
  const stands = what === "added" ? "so it was left out again" : "so its earlier words stand again";
  const detail = `“${cut(name, 120)}” ${told}, which nothing new asks for, ${stands}; if something does ask for it, change it and name both in \`changes\``;
  return warning("revision_minimal", line, detail);
}
