import type { Complexity, SpecMetadata } from "../../domain/spec.ts";
import type { SpecDocument } from "../../domain/spec-document/document.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { withoutEvidence } from "../../domain/spec-document/evidence-section.ts";
import { type Grounding, groundingProblems } from "./grounding.ts";
import { codeLinesIn, wordingProblems } from "./wording.ts";
import { type SpecProblem, error, structuralProblems, warning } from "./rules.ts";

/** The smaller of the two limits applies (requirements, section 15, decision 8). */
const CHARACTERS = 200_000;
const BYTES = 200 * 1024;

export interface Validation {
  valid: boolean;
  complexity: Complexity;
  errors: SpecProblem[];
  warnings: SpecProblem[];
  document: SpecDocument;
  metadata: SpecMetadata;
}

/**
 * Checks a spec (R-SPEC-6). The level is the given one, else the document's own, else L1 with a warning.
 * With `grounding`, what it cites must exist. Never throws for any text.
 */
export async function validateSpec(
  text: string,
  options: { complexity?: Complexity | undefined; grounding?: Grounding | undefined } = {},
): Promise<Validation> {
  if (text.length > CHARACTERS || Buffer.byteLength(text) > BYTES) return tooLarge(text, options.complexity ?? "L1");
  const document = parseSpec(text);
  const complexity = options.complexity ?? document.complexity ?? "L1";
  const written = withoutEvidence(text);
  const proseLines = linesOf(written.replace(/(?:\r\n?|\n)$/, "")).length - codeLinesIn(written);
  const problems = [...structuralProblems(document, complexity, proseLines), ...wordingProblems(document, written)];
  if (options.complexity === undefined && document.complexity === null) {
    problems.push(
      warning("has_complexity", 1, "the header names no level; add `**Complexity:** L0` to L4. Checked as L1"),
    );
  }
  problems.push(...(await groundingProblems(document, options.grounding ?? {}, text)));
  return verdict(complexity, problems, document, text);
}

/** The counts of R-SPEC-8. */
function metadataOf(document: SpecDocument, text: string): SpecMetadata {
  return {
    sections: document.sections.map((section) => section.heading),
    decision_count: document.decisions.length,
    assumption_count: document.assumptions.length,
    task_count: document.tasks.length,
    test_count: document.tests.length,
    char_count: text.length,
    line_count: document.lineCount,
  };
}

function verdict(complexity: Complexity, problems: SpecProblem[], document: SpecDocument, text: string): Validation {
  const inOrder = problems.toSorted((a, b) => a.line - b.line);
  const errors = inOrder.filter((problem) => problem.severity === "error");
  return {
    valid: errors.length === 0,
    complexity,
    errors,
    warnings: inOrder.filter((problem) => problem.severity === "warning"),
    document,
    metadata: metadataOf(document, text),
  };
}

/** More than any store takes: not parsed. */
function tooLarge(text: string, complexity: Complexity): Validation {
  const size = `${text.length} characters and ${Math.ceil(Buffer.byteLength(text) / 1024)} KiB`;
  const detail = `the text has ${size}; a spec may have 200,000 characters and 200 KiB`;
  return verdict(complexity, [error("too_large", 1, detail)], parseSpec(""), text);
}
