import type { SpecRef, StaleCitation } from "../domain/spec.ts";
import { linesOf } from "../domain/spec-document/blocks.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";

export interface ReadOptions {
  mode: "summary" | "full";
  /** Part of a heading, in any case. */
  section?: string;
  maxChars?: number;
}

const MAX_CHARS = 30_000;
const EXCERPT_LINES = 15;
const NO_SPEC = "No spec exists for this issue.";

/**
 * The answer of `read_spec` (R-PLAN-5): always the metadata; then a summary, one section, or the text up to a limit.
 */
export function readSpec(stored: { content: string; ref: SpecRef } | null, options: ReadOptions): string {
  if (stored === null) return NO_SPEC;
  const { content, ref } = stored;
  const limit = options.maxChars ?? MAX_CHARS;
  const part = partOfSpec(content, options.section === undefined ? options : { section: options.section });
  const text =
    part.kind === "part"
      ? cut(part.text, limit)
      : `The spec has no section “${options.section}”. Its sections: ${part.sections.join("; ")}.`;
  return `${metadata(ref)}\n\n${text}`;
}

/** What is asked for of a spec; `unknown` with the headings that there are, if no section has such a heading. */
export type SpecPart = { kind: "part"; text: string } | { kind: "unknown"; sections: string[] };

/** The contents and an excerpt, the first section with these words in its heading, or all of a spec, uncut. */
export function partOfSpec(content: string, wanted: { mode: "summary" | "full" } | { section: string }): SpecPart {
  if ("section" in wanted) return sectionOf(content, wanted.section);
  if (wanted.mode === "full") return { kind: "part", text: content };
  const contents = parseSpec(content).sections.map((section) => `- ${section.heading} (line ${section.line})`);
  return { kind: "part", text: `Contents:\n${contents.join("\n")}\n\nExcerpt:\n${excerpt(content)}` };
}

/** Represents the spec in a planner's context (R-PLAN-3): never the whole text. `stale`: what it cites and is not so any more. */
export function specStub(
  content: string,
  ref: SpecRef,
  { status, stale }: { status: string; stale: readonly StaleCitation[] },
): string {
  const changed = stale.map(({ location, what }) => `${location} (${what})`).join(", ");
  const standing = changed === "" ? status : `${status}; the code changed since at ${changed}`;
  return `${metadata(ref)}\nStatus: ${standing}\n\n${excerpt(content)}\n\nUse \`read_spec\` for the full text.`;
}

function metadata(ref: SpecRef): string {
  return `Path: ${ref.path}\nLast updated: ${ref.updated_at}\nSHA256: ${ref.sha256}`;
}

/** The TL;DR if there is one, otherwise the first lines. */
function excerpt(content: string): string {
  const { sections } = parseSpec(content);
  const lines = linesOf(content);
  const tldr = sections.find((section) => section.key === "tldr");
  const from = tldr ? tldr.line - 1 : 0;
  const to = Math.min(tldr?.endLine ?? EXCERPT_LINES, from + EXCERPT_LINES);
  return lines
    .slice(from, to)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")
    .replace(/(?:\n>)+$/, "");
}

function sectionOf(content: string, wanted: string): SpecPart {
  const { sections } = parseSpec(content);
  const section = sections.find((one) => one.heading.toLowerCase().includes(wanted.toLowerCase()));
  if (!section) return { kind: "unknown", sections: sections.map((one) => one.heading) };
  const lines = linesOf(content).slice(section.line - 1, section.endLine);
  return { kind: "part", text: lines.join("\n") };
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}\n\n[truncated: ${text.length - limit} of ${text.length} characters left out]`;
}
