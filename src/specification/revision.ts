import type { SpecDocument } from "../domain/spec-document/document.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import type { SpecInput } from "./generator.ts";
import { type SpecProblem, error } from "./validate/rules.ts";

const UPDATED = /^\s*\**Last updated:?\**:?.*$/im;

/** Whether two versions are equal apart from the date of writing (R-SPEC-11). */
export function isSameButDate(a: string, b: string): boolean {
  return a.replace(UPDATED, "") === b.replace(UPDATED, "");
}

/** What people who decide have asked for since the existing version considered the thread, oldest first. */
export function requestsSince({ existing, requests }: SpecInput): SpecInput["messages"] {
  return existing === null ? [] : requests;
}

/** The requests that a revision must fulfil: new ones, and those that the Changelog lists for earlier versions. */
export function requestsInForce(input: SpecInput): SpecInput["messages"] {
  if (input.existing === null) return [];
  const { citations, sections } = parseSpec(input.existing.content);
  const changelog = sections.find((section) => section.key === "changelog");
  const fulfilled = new Set(
    citations.flatMap((citation) =>
      citation.kind === "message" && changelog !== undefined && citation.line >= changelog.line
        ? [Number(citation.id)]
        : [],
    ),
  );
  const fresh = new Set(requestsSince(input).map((message) => message.seq));
  return input.messages.filter(
    (message) =>
      message.role !== "self" &&
      !message.isBot &&
      (fresh.has(message.seq) || (fulfilled.has(message.seq) && !input.goAheads.has(message.seq))),
  );
}

/** Checks that a revision's Changelog says what changed and names a person who asked for it (R-SPEC-12). */
export function revisionProblems(input: SpecInput, document: SpecDocument): SpecProblem[] {
  if (input.existing === null) return [];
  const before = new Set(parseSpec(input.existing.content).changelog.map((entry) => entry.text));
  const added = document.changelog.filter((entry) => !before.has(entry.text));
  const line = document.sections.find((section) => section.key === "changelog")?.line ?? document.lineCount;
  if (added.length === 0) {
    return [error("revision_logged", line, "add an entry to `## Changelog` that says what this version changes")];
  }
  const askers = [...new Set(requestsSince(input).map((message) => message.author))];
  const isNamed = added.some((entry) => askers.some((login) => entry.text.toLowerCase().includes(login.toLowerCase())));
  if (askers.length === 0 || isNamed) return [];
  return [error("revision_logged", line, `name who asked for the change in \`## Changelog\`: @${askers.join(", @")}`)];
}
