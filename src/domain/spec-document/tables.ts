import type { Block } from "./blocks.ts";
import { touchPointsIn } from "./citations.ts";
import type { Assumption, Decision, Task } from "./document.ts";

/** Decisions from a table, else from a list: there the whole item is both the decision and its context. */
export function readDecisions(blocks: Block[]): Decision[] {
  const rows = readTable(blocks, {
    decision: /decision/i,
    context: /context|evidence|gap/i,
    consequences: /consequence|impact/i,
  });
  if (rows.length > 0) return rows;
  return items(blocks).map(({ text, line }) => ({ decision: text, context: text, consequences: "", line }));
}

/** Assumptions from a table, else from a list with `If wrong: …` behind or below each one. */
export function readAssumptions(blocks: Block[]): Assumption[] {
  const rows = readTable(blocks, { assumption: /assum/i, ifWrong: /wrong|fallback/i });
  if (rows.length > 0) return rows;
  return items(blocks).map(({ text, line }) => {
    const [, assumption = text, ifWrong = ""] = /^(.*?)if wrong[*_]*\s*:?[*_]*(.*)$/is.exec(text) ?? [];
    return { assumption: trimEnd(assumption), ifWrong: ifWrong.trim(), line };
  });
}

/** Tasks from a table, else from a list or checklist. */
export function readTasks(blocks: Block[]): Task[] {
  const rows = readTable(blocks, {
    number: /^#$|^no\.?$|number/i,
    task: /task|step|what/i,
    touch: /touch|file|where/i,
    doneWhen: /done/i,
    blockedBy: /block|depend/i,
  });
  if (rows.length > 0)
    return rows.map(({ touch, ...row }) => ({
      ...row,
      touchPoints: touchPointsIn(touch),
      changesNothing: /^none$/i.test(touch),
    }));
  return items(blocks).map(({ text, line }, index) => ({
    number: String(index + 1),
    task: text.replace(/^\[[ xX]\]\s*/, ""),
    touchPoints: touchPointsIn(text).filter((point) => text.includes(`\`${point.path}`)),
    changesNothing: /\btouch points:?\s*none\b/i.test(text),
    doneWhen: /done when:?\s*([^\n]*)/i.exec(text)?.[1] ?? "",
    blockedBy: "",
    line,
  }));
}

/** The rows of all tables that have the first of the columns; a missing column or cell is empty. */
function readTable<Column extends string>(
  blocks: Block[],
  columns: Record<Column, RegExp>,
): (Record<Column, string> & { line: number })[] {
  const names = Object.keys(columns).filter((name): name is Column => name in columns);
  const found: (Record<Column, string> & { line: number })[] = [];
  let header: string[] = [];
  for (const block of blocks) {
    if (block.kind !== "row") continue;
    if (block.header) {
      header = block.cells;
      continue;
    }
    const cell = (name: Column) => {
      const at = header.findIndex((title) => columns[name].test(title.replaceAll(/[*_`]/g, "").trim()));
      return dashless(block.cells[at] ?? "");
    };
    const row: Partial<Record<Column, string>> = {};
    for (const name of names) row[name] = cell(name);
    if (isComplete(row, names) && names.some((name) => row[name] !== "")) found.push({ ...row, line: block.line });
  }
  return found;
}

function isComplete<Column extends string>(
  row: Partial<Record<Column, string>>,
  names: Column[],
): row is Record<Column, string> {
  return names.every((name) => row[name] !== undefined);
}

/** Without the dash or emphasis that led over to what follows. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \n\t*_—–-".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).trim();
}

/** A dash marks a cell as empty on purpose. */
function dashless(cell: string): string {
  return /^[-–—]+$/.test(cell.trim()) ? "" : cell.trim();
}

/** Top-level list items, each with its nested content. */
function items(blocks: Block[]): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = [];
  for (const block of blocks) {
    if (block.kind !== "item" && block.kind !== "text") continue;
    const last = found.at(-1);
    if (block.kind === "item" && block.depth === 1) found.push({ text: block.text, line: block.line });
    else if (last) last.text += `\n${block.text}`;
  }
  return found;
}
