import { linesOf } from "../domain/spec-document/blocks.ts";
import { type Change, compareSpecs, renderChanges } from "./compare.ts";

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
