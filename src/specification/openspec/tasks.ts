import { type Block, linesOf, readBlocks } from "../../domain/spec-document/blocks.ts";
import { blockTokens } from "../../lib/markdown.ts";
import { oneLine } from "../../lib/text.ts";
import { divide, joined } from "./markdown.ts";
import { BLOCKED, COLUMNS, type TaskList, type WrittenTask, columnName, readChecklist } from "./checklist.ts";

/** Tasks below one heading; an empty one for tasks under none of their own. */
interface TaskGroup extends TaskList {
  heading: string;
}

const ONLY_GROUP = "Implementation";
const TASK = /task|step|what/i;
const NUMBER = /^#$|^no\.?$|number/i;
const NUMBERS = /^[\d.]+(?:\s*,\s*[\d.]+)*$/;

/** The text of `tasks.md` for a spec's plan: a checkbox for each task, with its other columns as points below it. */
export function renderTasks(plan: string): string {
  const { before, groups } = tasksIn(plan);
  const isOne = groups.length === 1;
  const blocks = groups.map(({ heading, prose, tasks }, index) => {
    const lines = tasks.flatMap(({ number, text, fields }, at) => {
      const own = `${index + 1}.${at + 1}`;
      const isExpected = number === null || number === (isOne ? String(at + 1) : own);
      const points = [...(isExpected ? [] : [["Number", number] as const]), ...fields];
      return [
        `- [ ] ${own} ${text === "" ? "-" : text}`,
        ...points.map(([name, value]) => `  - ${name}: ${isOne && name === BLOCKED ? inGroup(value) : value}`),
      ];
    });
    return joined(`## ${index + 1}. ${heading === "" ? ONLY_GROUP : heading}`, prose, lines.join("\n"));
  });
  return `${joined("# Tasks", before, ...blocks)}\n`;
}

/** A spec's plan from the text of `tasks.md`. */
export function renderPlan(text: string): string {
  const { before, groups } = checklistIn(text);
  const isOne = groups.length === 1;
  const blocks = groups.map(({ heading, prose, tasks }, index) => {
    const columns = columnsOf(tasks);
    const rows = tasks.map(({ number, text: task, fields }, at) => {
      const cells = columns.map((name) => {
        const value = fields.get(name) ?? "";
        return isOne && name === BLOCKED ? outOfGroup(value) : value;
      });
      return row([shownNumber(number, isOne, index, at), task, ...cells]);
    });
    const table = [row(["#", "Task", ...columns]), row(["#", "Task", ...columns].map(() => "---")), ...rows].join("\n");
    const isPlain = isOne && (heading === ONLY_GROUP || heading === "");
    return joined(isPlain ? "" : `### ${heading}`, prose, tasks.length === 0 ? "" : table);
  });
  return joined(before, ...blocks);
}

function tasksIn(plan: string): { before: string; groups: TaskGroup[] } {
  const hasTables = readBlocks(plan).some((block) => block.kind === "row" && !block.header);
  const { before, parts } = divide(plan, () => true);
  const groups = parts.map(({ heading, body }) => groupOf(heading, body, hasTables));
  const first = groupOf("", before, hasTables);
  return first.tasks.length > 0 || groups.length === 0
    ? { before: "", groups: first.tasks.length + first.prose.length === 0 ? groups : [first, ...groups] }
    : { before, groups };
}

function groupOf(heading: string, body: string, hasTables: boolean): TaskGroup {
  const name = heading.replace(/^\d+[.)]?\s+/, "");
  if (!hasTables) return { heading: name, ...readChecklist(body, "items") };
  return { heading: name, prose: withoutTables(body), tasks: tablesIn(body) };
}

function tablesIn(body: string): WrittenTask[] {
  const tasks: WrittenTask[] = [];
  let header: string[] = [];
  for (const block of readBlocks(body)) {
    if (block.kind !== "row") continue;
    if (block.header) header = block.cells.map((cell) => cell.replaceAll(/[*_`]/g, "").trim());
    else if (header.some((name) => TASK.test(name))) tasks.push(taskOf(header, block));
  }
  return tasks;
}

function withoutTables(body: string): string {
  const lines = linesOf(body);
  for (const { type, level, map } of blockTokens(body, { keepReferences: true })) {
    if (type !== "table_open" || level !== 0 || map === null) continue;
    const header = (lines[map[0]] ?? "").replaceAll(/[*_`]/g, "").split("|");
    if (header.some((name) => TASK.test(name))) lines.fill("", map[0], map[1]);
  }
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function taskOf(header: string[], { cells }: Extract<Block, { kind: "row" }>): WrittenTask {
  const task = header.findIndex((name) => TASK.test(name));
  const number = header.findIndex((name) => NUMBER.test(name));
  const fields = new Map<string, string>();
  for (const [index, name] of header.entries()) {
    const value = (cells[index] ?? "").trim();
    if (index === task || index === number || name === "" || value === "" || /^[-–—]+$/.test(value)) continue;
    const column = columnName(name);
    fields.set(fields.has(column) ? name : column, oneLine(value));
  }
  return {
    number: number === -1 ? null : oneLine(cells[number] ?? "") || null,
    text: oneLine(cells[task] ?? ""),
    fields,
  };
}

function checklistIn(text: string): { before: string; groups: TaskGroup[] } {
  const { before: top, parts: all } = divide(text, ({ depth }) => depth <= 2);
  const title = all[0]?.depth === 1 ? all[0] : null;
  const before = joined(top, title?.body ?? "");
  const kind = /^[ \t]*[-*+]\s+\[[ xX]?\]/m.test(text) ? "checkboxes" : "items";
  const groups = all
    .filter((part) => part !== title)
    .map(({ heading, body }) => ({ heading: heading.replace(/^\d+[.)]?\s+/, ""), ...readChecklist(body, kind) }));
  const first = { heading: "", ...readChecklist(before, kind) };
  return first.tasks.length > 0 ? { before: "", groups: [first, ...groups] } : { before, groups };
}

function shownNumber(number: string | null, isOne: boolean, group: number, at: number): string {
  const own = `${group + 1}.${at + 1}`;
  if (!isOne) return number ?? own;
  return number === null ? String(at + 1) : outOfGroup(number);
}

function columnsOf(tasks: readonly WrittenTask[]): string[] {
  return [...new Set([...COLUMNS.map(([, name]) => name), ...tasks.flatMap(({ fields }) => [...fields.keys()])])];
}

/** Numbers of tasks as `tasks.md` has them, where all tasks are in its first group. */
function inGroup(value: string): string {
  return NUMBERS.test(value) && !value.includes(".") ? value.replaceAll(/\d+/g, "1.$&") : value;
}

function outOfGroup(value: string): string {
  return NUMBERS.test(value) ? value.replaceAll(/\b1\.(?=\d)/g, "") : value;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => (cell === "" ? "-" : cell.replaceAll("|", "\\|"))).join(" | ")} |`;
}
