import { issueName } from "../../domain/issue.ts";
import type { Complexity } from "../../domain/spec.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import type { SpecDocument } from "../../domain/spec-document/document.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import type { SpecInput } from "../generator.ts";

const TITLE_LENGTH = 160;

/**
 * The text with a head of Relay's own making: whose spec it is, when it was written and that nobody has approved it is
 * not for a model to say (R-SAFE-2). A text without sections stays as it is.
 */
export function withHead(
  markdown: string,
  { issue, now }: Pick<SpecInput, "issue" | "now">,
  { level, reason }: { level: Complexity; reason: string },
): string {
  const document = parseSpec(markdown);
  const first = firstSection(document);
  if (first === undefined) return markdown;
  return [
    `# Spec: ${titleOf(document) || oneLine(issue.title)}`,
    "",
    "**Status:** Draft  ",
    `**Issue:** ${(issue.url ?? issueName(issue)).replaceAll(/[\s<>`|]+/g, "")}  `,
    `**Last updated:** ${now.toISOString()}  `,
    `**Complexity:** ${level} (${reason})`,
    "",
    ...linesFrom(markdown, first.line),
  ].join("\n");
}

/** Whether two texts say the same below their heads. */
export function isSameBelowHead(a: string, b: string): boolean {
  return belowHead(a) === belowHead(b);
}

function belowHead(markdown: string): string {
  const first = firstSection(parseSpec(markdown));
  return linesFrom(markdown, first?.line ?? 1)
    .join("\n")
    .trim();
}

/** The reason that the head itself gives for its level, in brackets behind it; empty without one. */
export function reasonInHead(markdown: string): string {
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
  return oneLine(title ?? sections.find((one) => isTitle(one.heading))?.heading.replace(/^spec\s*:/i, "") ?? "");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_LENGTH).toWellFormed();
}
