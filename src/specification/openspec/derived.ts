import type { SpecDocument } from "../../domain/spec-document/document.ts";
import { cut, oneLine, codeSpan } from "../../lib/text.ts";
import { joined } from "./markdown.ts";

const PURPOSE = { least: 50, most: 300 };
/** The first line of what Relay lists by itself; reading leaves such a list out. */
const DERIVED = {
  impact: "Files that the tasks name:",
  capabilities: "Requirements of this change:",
  design: "The spec has no design beyond its tasks.",
};

/** What a new capability is for, in the words of the spec; the same for as long as those stay. */
export function purposeOf({ title, issue, tldr }: Pick<SpecDocument, "title" | "issue" | "tldr">): string {
  const sentences = [title ?? "", ...tldr.map(({ text }) => text)].map((text) => oneLine(text).replace(/[.。]$/u, ""));
  let purpose = "";
  for (const sentence of sentences.filter((one) => one !== "")) {
    if (purpose.length >= PURPOSE.least) break;
    purpose = `${purpose}${sentence}. `;
  }
  const where = `This is what was agreed on in ${issue === null || issue === "" ? "the issue" : issue}.`;
  const said = cut(purpose.trim(), PURPOSE.most);
  return /^(?:TBD|TODO)/i.test(said) || said.length < PURPOSE.least
    ? `Behaviour that people agreed on: ${joinedLine(said, where)}`
    : said;
}

function joinedLine(...sentences: string[]): string {
  return sentences.filter((one) => one !== "").join(" ");
}

/** The list of `## Capabilities`. */
export function capabilitiesText(deltas: readonly { name: string; isNew: boolean }[]): string {
  const list = (isNew: boolean) =>
    deltas
      .filter((one) => one.isNew === isNew)
      .map(({ name }) => `- ${codeSpan(name)}`)
      .join("\n");
  return joined(
    DERIVED.capabilities,
    list(true) === "" ? "" : joined("### New Capabilities", list(true)),
    list(false) === "" ? "" : joined("### Modified Capabilities", list(false)),
  );
}

/** The list of `## Impact`; empty if no task names a file. */
export function impactText({ tasks }: SpecDocument): string {
  const points = new Map(tasks.flatMap(({ touchPoints }) => touchPoints).map((point) => [point.path, point]));
  const lines = [...points.values()].map(({ path, isNew }) => `- ${codeSpan(path)}${isNew ? " (new)" : ""}`);
  return lines.length === 0 ? "" : joined(DERIVED.impact, lines.join("\n"));
}

/** What a change has without any design. */
export const NO_DESIGN = DERIVED.design;

/** What Relay writes by itself, and writes again. */
export function isDerived(body: string): boolean {
  return Object.values(DERIVED).some((line) => body.startsWith(line));
}
