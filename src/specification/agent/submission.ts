import { z } from "zod";
import { cutAtWord, oneLine } from "../../lib/text.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { type Complexity, COMPLEXITIES } from "../../domain/spec.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import type { SpecDraft, SpecInput } from "../generator.ts";
import { specHead } from "../head.ts";
import type { SpecDocument } from "../../domain/spec-document/document.ts";

const SUMMARY = 12_000;
const CHANGELOG = 4_000;
const REASON = 240;
const BULLET = 1_000;
const DATES = /^(?:[-*]\s+)?(?:\d{4}-\d{2}-\d{2}\s*[:–—-]\s*)+/;

const ESSENTIAL = ["tldr", "problem", "criteria", "plan"] as const;

/** The arguments of `submit_spec` (R-SPEC-3). Fields that the document itself contains are optional. */
export function submissionSchema(maxCharacters: number) {
  return z.object({
    spec_markdown: z.string().trim().min(1).max(maxCharacters).describe("The whole spec, in Markdown."),
    spec_summary: z
      .preprocess(
        (value) => (typeof value === "string" ? linesOf(value.slice(0, SUMMARY)) : value),
        z.array(z.string().max(SUMMARY)).max(100),
      )
      .describe("5 to 10 bullets: what will change, for whom, and how one sees that it is done."),
    changelog: optional(z.string().max(CHANGELOG)).describe(
      "What changed from the version before, and who asked for it. Only for a revision.",
    ),
    changes: optional(z.array(z.object({ part: z.string().max(300), because: z.string().max(300) })).max(200)).describe(
      "Only for a revision: each requirement, scenario, decision or section that changed, and the `message N` or `Gap #N` that asks for it.",
    ),
    complexity: optional(z.enum(COMPLEXITIES)).describe("The level of the spec."),
    complexity_reason: optional(z.string().max(2_000)).describe("Why this level: one clause with facts."),
  });
}

/** Omitted fields; some models send null for them. */
function optional<Value extends z.ZodType>(value: Value) {
  return z.preprocess((given) => given ?? undefined, value.optional());
}

type Submission = z.output<ReturnType<typeof submissionSchema>>;

/** Turns a model's submission into a draft: without secrets and hidden text, with a head and a logged change. */
export function draftOf(submission: Submission, input: SpecInput): SpecDraft {
  const text = keptText(unwrapped(submission.spec_markdown));
  const level = submission.complexity ?? parseSpec(text).complexity ?? input.complexityHint ?? "L1";
  const reason =
    shortLine(keptText(submission.complexity_reason ?? "") || reasonInHead(text), REASON) || "no reason given";
  const summary = bulletsOf(submission.spec_summary);
  // Nothing changed, so the existing spec stays as it is, head included, even if it is approved.
  if (input.existing !== null && isSameBelowHead(text, input.existing.content)) {
    return { markdown: input.existing.content, summary, changelog: "", complexity: level, complexityReason: reason };
  }
  const headed = withHead(text, input, { level, reason });
  // The entry gets its date here, also where the model wrote it already.
  const submitted = shortLine(keptText(submission.changelog ?? ""), CHANGELOG).replace(DATES, "");
  return {
    markdown: `${headed.trimEnd()}\n`,
    summary,
    changelog: submitted,
    changes: (submission.changes ?? []).map(({ part, because }) => ({
      part: keptText(part),
      because: keptText(because),
    })),
    complexity: level,
    complexityReason: reason,
  };
}

/** Whether a text is a spec, complete or nearly so: it has the sections that every spec needs. */
export function isSpec(text: string, maxCharacters: number): boolean {
  if (text.length > maxCharacters) return false;
  const keys = new Set(parseSpec(unwrapped(text)).sections.map((section) => section.key));
  return ESSENTIAL.every((key) => keys.has(key));
}

function bulletsOf(lines: string[]): string[] {
  return lines
    .map((line) => shortLine(keptText(line), BULLET).replace(/^(?:[-*+•]|\d{1,2}[.)])\s+/, ""))
    .filter((line) => line !== "");
}

/** Some models wrap the document in a code fence. */
function unwrapped(markdown: string): string {
  const lines = linesOf(markdown.trim());
  const fence = /^(`{3,}|~{3,})(?:markdown|md)?\s*$/.exec(lines[0] ?? "")?.[1];
  return fence !== undefined && lines.length > 2 && lines.at(-1) === fence ? lines.slice(1, -1).join("\n") : markdown;
}

function shortLine(text: string, most: number): string {
  return cutAtWord(oneLine(text), most);
}

const TITLE_LENGTH = 160;

/**
 * Replaces the document's head by Relay's own: a model does not decide the issue, the date or the status (R-SAFE-2).
 * Returns a text without sections unchanged.
 */
function withHead(
  markdown: string,
  { issue, now }: Pick<SpecInput, "issue" | "now">,
  complexity: { level: Complexity; reason: string },
): string {
  const document = parseSpec(markdown);
  const first = firstSection(document);
  if (first === undefined) return markdown;
  const title = titleOf(document) || shortLine(issue.title, TITLE_LENGTH);
  return [specHead(title, issue, complexity, now), "", ...linesFrom(markdown, first.line)].join("\n");
}

/** Whether two documents are equal apart from their heads. */
function isSameBelowHead(a: string, b: string): boolean {
  return belowHead(a) === belowHead(b);
}

function belowHead(markdown: string): string {
  const first = firstSection(parseSpec(markdown));
  return linesFrom(markdown, first?.line ?? 1)
    .join("\n")
    .trim();
}

/** The reason in parentheses after the level in the head; empty if there is none. */
function reasonInHead(markdown: string): string {
  return (
    /^[\s*_>-]{0,10}complexity[*_]*\s{0,4}:[*_]*\s{0,4}L[0-4]\s{0,4}\(([^\n]{1,300})\)/im.exec(markdown)?.[1] ?? ""
  );
}

function firstSection({ sections }: SpecDocument) {
  return sections.find((one) => one.key !== null || !isTitle(one.heading));
}

function linesFrom(text: string, line: number): string[] {
  return linesOf(text).slice(line - 1);
}

function isTitle(heading: string): boolean {
  return /^spec\s*:/i.test(heading);
}

function titleOf({ title, sections }: SpecDocument): string {
  const heading = sections.find((one) => isTitle(one.heading))?.heading;
  return shortLine(title ?? heading?.replace(/^spec\s*:/i, "") ?? "", TITLE_LENGTH);
}
