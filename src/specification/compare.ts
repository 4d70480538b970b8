import { diffLines } from "diff";
import type { SpecDocument } from "../domain/spec-document/document.ts";
import { linesOf } from "../domain/spec-document/blocks.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { withoutEvidence } from "../domain/spec-document/evidence-section.ts";

/** One difference between two specs, at the level of detail that people decide on. */
export interface Change {
  part: "header" | "requirement" | "scenario" | "decision" | "assumption" | "task" | "section";
  kind: "added" | "removed" | "changed" | "renamed";
  name: string;
  /** The old text; null if added. */
  before: string | null;
  /** The new text; null if removed. */
  after: string | null;
}

/** Texts that differ in more lines than this are shown whole: finding the shortest diff would take minutes. */
const MOST_EDITS = 2_000;

interface Named {
  name: string;
  text: string;
}

/**
 * Compares two specs requirement by requirement; sections without requirements are compared whole (R-SPEC-12). Links at
 * citations and the Evidence follow from the rest and are left out.
 */
export function compareSpecs(old: string, young: string): Change[] {
  const [before, after] = [withoutEvidence(old), withoutEvidence(young)];
  const a = parseSpec(before);
  const b = parseSpec(after);
  return [
    ...compare("header", header(a), header(b)),
    ...compare("requirement", requirements(a), requirements(b)),
    ...compare("scenario", scenarios(a), scenarios(b)),
    ...compare("decision", decisions(a), decisions(b)),
    ...compare("assumption", assumptions(a), assumptions(b)),
    ...compare("task", tasks(a), tasks(b)),
    ...compare("section", prose(a, before), prose(b, after)),
  ];
}

/** Renders the changes as text: one line each, followed by the changed lines. */
export function renderChanges(changes: Change[]): string {
  if (changes.length === 0) return "No differences.\n";
  return changes
    .map(({ part, kind, name, before, after }) => {
      const title =
        kind === "renamed" ? `${part} renamed: ${before ?? ""} → ${after ?? ""}` : `${part} ${kind}: ${name}`;
      const lines = kind === "changed" ? changedLines(before ?? "", after ?? "") : [];
      return `${title}\n${lines.map(({ sign, text }) => `  ${sign} ${text}\n`).join("")}`;
    })
    .join("");
}

/** A line that only one of two texts has. */
export interface ChangedLine {
  sign: "+" | "-";
  text: string;
}

/** The lines that differ between two texts, in order. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const a = `${before.trim()}\n`;
  const b = `${after.trim()}\n`;
  const parts = diffLines(a, b, { maxEditLength: MOST_EDITS }) ?? [
    { value: a, added: false, removed: true },
    { value: b, added: true, removed: false },
  ];
  return parts
    .filter((part) => part.added || part.removed)
    .flatMap(({ value, added }) =>
      linesOf(value.trimEnd()).map((text): ChangedLine => ({ sign: added ? "+" : "-", text })),
    );
}

function compare(part: Change["part"], before: Named[], after: Named[]): Change[] {
  const changes: Change[] = [];
  const same = pairs(before, after, (one) => `${one.name}\n${one.text}`);
  const named = pairs(same.before, same.after, (one) => one.name);
  const renamed = pairs(named.before, named.after, (one) => (one.text === "" ? null : one.text));
  for (const [one, other] of named.matched) {
    changes.push({ part, kind: "changed", name: one.name, before: one.text, after: other.text });
  }
  for (const [one, other] of renamed.matched) {
    changes.push({ part, kind: "renamed", name: other.name, before: one.name, after: other.name });
  }
  for (const { name, text } of renamed.before) {
    changes.push({ part, kind: "removed", name, before: text, after: null });
  }
  for (const { name, text } of renamed.after) changes.push({ part, kind: "added", name, before: null, after: text });
  return changes;
}

/** Pairs entries with equal keys one to one, in order; the rest stay unpaired. */
function pairs(before: Named[], after: Named[], keyOf: (one: Named) => string | null) {
  const waiting = Map.groupBy(after, keyOf);
  const matched: [Named, Named][] = [];
  const left: Named[] = [];
  const taken = new Set<Named>();
  for (const others of waiting.values()) others.reverse();
  for (const one of before) {
    const key = keyOf(one);
    const other = key === null ? undefined : waiting.get(key)?.pop();
    if (other) {
      matched.push([one, other]);
      taken.add(other);
    } else left.push(one);
  }
  return { matched, before: left, after: after.filter((one) => !taken.has(one)) };
}

function header(spec: SpecDocument): Named[] {
  return Object.entries({
    title: spec.title,
    status: spec.status,
    issue: spec.issue,
    complexity: spec.complexity,
  }).flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
}

function requirements(spec: SpecDocument): Named[] {
  return spec.requirements.map(({ name, statement }) => ({ name, text: statement }));
}

function scenarios(spec: SpecDocument): Named[] {
  return spec.requirements.flatMap((requirement) =>
    requirement.scenarios.map((scenario) => ({
      name: `${requirement.name} / ${scenario.name}`,
      text: scenario.steps.map((step) => `${step.keyword} ${step.text}`).join("\n"),
    })),
  );
}

function decisions(spec: SpecDocument): Named[] {
  return spec.decisions.map((one) => ({ name: one.decision, text: `${one.context}\n${one.consequences}`.trim() }));
}

function assumptions(spec: SpecDocument): Named[] {
  return spec.assumptions.map((one) => ({ name: one.assumption, text: one.ifWrong }));
}

function tasks(spec: SpecDocument): Named[] {
  return spec.tasks.map((one) => ({
    name: one.task,
    text: [one.touchPoints.map((point) => point.path).join(", "), one.doneWhen, one.blockedBy].join("\n").trim(),
  }));
}

/** Sections that are not compared part by part. */
function prose(spec: SpecDocument, text: string): Named[] {
  const lines = linesOf(text);
  const finer = new Set(["criteria", "decisions", "assumptions", "plan"]);
  return spec.sections
    .filter((section) => section.key === null || !finer.has(section.key))
    .map((section) => ({ name: section.heading, text: lines.slice(section.line, section.endLine).join("\n").trim() }));
}

/** The differences of two specs as lines of a diff: what was there with `-`, what is there now with `+`. */
export function specChanges(before: string, after: string): string {
  return compareSpecs(before, after)
    .map((change) => `@@ ${change.part}: ${change.name} @@\n${linesFor(change).join("\n")}`)
    .join("\n");
}

function linesFor(change: Change): string[] {
  const { kind, before, after } = change;
  if (kind === "changed") {
    return linesOf(renderChanges([change]).trimEnd())
      .slice(1)
      .map((line) => line.trimStart());
  }
  return [...signed("-", before), ...signed("+", after)];
}

function signed(sign: string, text: string | null): string[] {
  return text === null ? [] : linesOf(text.trim()).map((line) => `${sign} ${line}`.trimEnd());
}
