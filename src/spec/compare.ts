import { diffLines } from "diff";
import type { SpecDocument } from "./document/document.ts";
import { parseSpec } from "./document/parse.ts";

/** One difference between two specs, at the grain that people decide on. */
export interface Change {
  part: "header" | "requirement" | "scenario" | "decision" | "assumption" | "task" | "section";
  kind: "added" | "removed" | "changed" | "renamed";
  name: string;
  /** What it was; null when added. */
  before: string | null;
  /** What it is; null when removed. */
  after: string | null;
}

interface Named {
  name: string;
  text: string;
}

/** Compares two specs requirement by requirement, and section by section where they have no finer parts (R-SPEC-12). */
export function compareSpecs(before: string, after: string): Change[] {
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

/** The changes as text: one line each, and the changed lines below. */
export function renderChanges(changes: Change[]): string {
  if (changes.length === 0) return "No differences.\n";
  return changes
    .map(({ part, kind, name, before, after }) => {
      const title =
        kind === "renamed" ? `${part} renamed: ${before ?? ""} → ${after ?? ""}` : `${part} ${kind}: ${name}`;
      const body = kind === "changed" ? changedLines(before ?? "", after ?? "") : "";
      return `${title}\n${body}`;
    })
    .join("");
}

function changedLines(before: string, after: string): string {
  return diffLines(`${before.trim()}\n`, `${after.trim()}\n`)
    .filter((part) => part.added || part.removed)
    .flatMap((part) =>
      part.value
        .trimEnd()
        .split("\n")
        .map((line) => `  ${part.added ? "+" : "-"} ${line}\n`),
    )
    .join("");
}

function compare(part: Change["part"], before: Named[], after: Named[]): Change[] {
  const changes: Change[] = [];
  const gone = before.filter((one) => !after.some((other) => other.name === one.name));
  const come = after.filter((one) => !before.some((other) => other.name === one.name));
  for (const one of before) {
    const other = after.find((candidate) => candidate.name === one.name);
    if (other && other.text !== one.text) {
      changes.push({ part, kind: "changed", name: one.name, before: one.text, after: other.text });
    }
  }
  for (const one of gone) {
    const renamed = one.text === "" ? undefined : come.find((other) => other.text === one.text);
    if (renamed) {
      come.splice(come.indexOf(renamed), 1);
      changes.push({ part, kind: "renamed", name: renamed.name, before: one.name, after: renamed.name });
    } else {
      changes.push({ part, kind: "removed", name: one.name, before: one.text, after: null });
    }
  }
  return [
    ...changes,
    ...come.map(({ name, text }) => ({ part, kind: "added" as const, name, before: null, after: text })),
  ];
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
  const lines = text.split("\n");
  const finer = new Set(["criteria", "decisions", "assumptions", "plan"]);
  return spec.sections
    .filter((section) => section.key === null || !finer.has(section.key))
    .map((section) => ({ name: section.heading, text: lines.slice(section.line, section.endLine).join("\n").trim() }));
}
