import { linesOf, readBlocks } from "../../domain/spec-document/blocks.ts";
import type { Section } from "../../domain/spec-document/document.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { oneLine } from "../../lib/text.ts";

/** The smallest part of a spec that a revision keeps or changes as one. */
export interface Unit {
  /** `label`: a subheading, a table's header or a line that names the list below; it stands for what follows it. */
  kind: "requirement" | "scenario" | "row" | "item" | "text" | "label";
  name: string;
  /** The requirement of a scenario; of all others, the label above. */
  parent: string;
  /** As written, without the empty lines around it. */
  text: string;
  /** Empty lines before it. */
  gap: number;
  /** From 1. */
  line: number;
}

/** A difference for which nothing new gives a reason, so that the older version's words stand. */
export interface Unasked {
  what: "changed" | "removed" | "added";
  name: string;
  /** In the reconciled document, from 1. */
  line: number;
  /** The part of the older version that stands; of an addition, the part that was left out. */
  unit: Unit;
}

export interface Part extends Pick<Section, "key" | "heading"> {
  /** The lines of its heading, and the empty lines before. */
  title: Unit;
  units: Unit[];
}

export interface Divided {
  /** The lines above the first section. */
  head: string[];
  parts: Part[];
}

/** Divides a spec into its sections, and those into requirements, scenarios, table rows, list items and paragraphs. */
export function divide(markdown: string): Divided {
  const lines = linesOf(markdown);
  const { sections: all } = parseSpec(markdown);
  // The title may stand at the depth of sections.
  const sections = all.filter(({ key, heading }) => key !== null || !/^spec\s*:/i.test(heading));
  const starts = startsIn(markdown, lines, sections);
  const parts = sections.map(({ key, heading, line }, index) => {
    const end = (sections[index + 1]?.line ?? lines.length + 1) - 1;
    const own = starts.filter((start) => start.line > line && start.line <= end);
    const first = (own[0]?.line ?? end + 1) - 1;
    const title = unitOf({ kind: "label", name: heading, parent: "", line }, first, lines);
    return {
      key,
      heading,
      title,
      units: own.map((start, at) => unitOf(start, (own[at + 1]?.line ?? end + 1) - 1, lines)),
    };
  });
  return { head: lines.slice(0, (sections[0]?.line ?? lines.length + 1) - 1), parts };
}

type Start = Pick<Unit, "kind" | "name" | "parent" | "line">;

function startsIn(markdown: string, lines: readonly string[], sections: readonly Section[]): Start[] {
  const starts: Start[] = [];
  let label = "";
  let requirement: string | null = null;
  let within: Start["kind"] | null = null;
  for (const block of readBlocks(markdown)) {
    const section = sections.findLast(({ line }) => line <= block.line);
    if (section === undefined) continue;
    if (section.line === block.line) {
      [label, requirement, within] = [section.heading, null, null];
      continue;
    }
    const { line } = block;
    const add = (kind: Start["kind"], name: string, parent = label) => void starts.push({ kind, name, parent, line });
    if (block.kind === "heading") {
      const [, what = "", name = ""] = /^[*_]*(requirement|scenario)[*_]*\s*:?[*_]*(.*)$/is.exec(block.text) ?? [];
      within = what.toLowerCase() === "scenario" ? "scenario" : what === "" ? null : "requirement";
      if (within === "requirement") requirement = oneLine(name);
      if (within === null) label = oneLine(block.text);
      add(within ?? "label", oneLine(name || block.text), within === "scenario" ? (requirement ?? "") : "");
    } else if (within !== null) continue;
    else if (block.kind === "row") {
      add(block.header ? "label" : "row", oneLine(block.cells.find((cell) => !/^\d*$/.test(cell)) ?? ""));
    } else if (block.kind === "item") {
      if (block.depth === 1) add("item", oneLine(block.text));
    } else if (block.kind === "code") {
      const isFence = /^\s*(?:```|~~~)/.test(lines[line - 2] ?? "");
      starts.push({ kind: "text", name: "code", parent: label, line: isFence ? line - 1 : line });
    } else if (/^(?:\*\*|__).*(?:\*\*|__):?$|^[^\n]{1,80}:$/.test(block.text)) {
      label = oneLine(block.text);
      add("label", label, "");
    } else add("text", oneLine(block.text));
  }
  return starts;
}

function unitOf(start: Start, last: number, lines: readonly string[]): Unit {
  let end = last;
  while (end > start.line && isEmpty(lines[end - 1])) end -= 1;
  let before = start.line - 1;
  while (before > 0 && isEmpty(lines[before - 1])) before -= 1;
  return { ...start, text: lines.slice(start.line - 1, end).join("\n"), gap: start.line - 1 - before };
}

function isEmpty(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}

/** What a text says, apart from spacing, the form of links, emphasis, quotes, dashes, and the ends of its lines. */
export function meaningOf(text: string): string {
  return linesOf(text.normalize("NFKC"))
    .filter((line) => !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .replaceAll(/\s+/g, " ")
        .replace(/^\s*(?:#{1,6}|[-*+•]|\d{1,3}[.)])\s+/, "")
        .replaceAll(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, "$1")
        .replaceAll(/<(https?:[^<>\s]+)>/g, "$1")
        .replaceAll(/[“”„«»″]/g, '"')
        .replaceAll(/[‘’‚′]/g, "'")
        .replaceAll(/[‐-―−]/g, "-")
        .replaceAll("…", "...")
        .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "")
        .replaceAll(/`|(?<![\p{L}\p{N}])[*_]+|[*_]+(?![\p{L}\p{N}])/gu, "")
        .replaceAll(/ ?\| ?-? ?(?=\||$)/g, "|")
        .replaceAll(/ ?\| ?/g, "|")
        .replaceAll(/^\||\|$/g, "")
        .replaceAll(/(?<![\s.;,:])[\s.;,:]+(?=\||$)/g, ""),
    )
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
