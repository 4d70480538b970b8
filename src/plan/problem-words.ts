import type { z } from "zod";

type Problem = Parameters<z.core.$ZodErrorMap>[0];

const NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  null: "null",
};

/**
 * What is wrong with a field, as the rest of a sentence that begins with its name: what it has, and what it must have.
 * Undefined where zod's own words do.
 */
export function problemWords(problem: Problem): string | undefined {
  switch (problem.code) {
    case "invalid_type":
      return instead(problem.input, named(problem.expected));
    case "invalid_value":
      return instead(problem.input, `one of ${problem.values.map(String).join(", ")}`);
    case "invalid_format":
      return problem.format === "datetime" ? instead(problem.input, "a time such as 2026-11-05T09:00:00Z") : undefined;
    case "too_small":
      return problem.origin === "string" ? "is empty, and must not be" : instead(problem.input, "greater than 0");
    case "invalid_union":
      return ofAlternatives(problem.errors, problem.input);
    default:
      return undefined;
  }
}

/** That of the alternative that the value got furthest with, or else all that it may be. */
function ofAlternatives(alternatives: readonly z.core.$ZodIssue[][], input: unknown): string {
  const inner = alternatives.flat().find(({ path }) => path.length > 0);
  if (inner !== undefined) return `is wrong: its ${inner.path.map(String).join(".")} ${inner.message}`;
  const kinds = alternatives.flat().flatMap((one) => (one.code === "invalid_type" ? [named(one.expected)] : []));
  return instead(input, [...new Set(kinds)].join(" or "));
}

function instead(input: unknown, wanted: string): string {
  if (input === undefined) return `is missing; it must be ${wanted}`;
  return `is ${shown(input)}, and must be ${wanted}`;
}

const MOST_SHOWN = 60;

function shown(input: unknown): string {
  if (typeof input === "string" && input !== "" && input.length <= MOST_SHOWN) return `“${input}”`;
  if (typeof input === "number" || typeof input === "boolean") return String(input);
  if (Array.isArray(input)) return named("array");
  return named(input === null ? "null" : typeof input);
}

function named(kind: string): string {
  return NAMES[kind] ?? kind;
}
