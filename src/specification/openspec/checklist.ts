import { linesOf } from "../../domain/spec-document/blocks.ts";
import { touchPointsIn } from "../../domain/spec-document/citations.ts";
import { oneLine, codeSpan } from "../../lib/text.ts";

/** A task with its other columns by name, in their order. */
export interface WrittenTask {
  /** As the text numbers it; null where only the order does. */
  number: string | null;
  text: string;
  fields: Map<string, string>;
}

/** Tasks, and the prose that stands among them. */
export interface TaskList {
  prose: string;
  tasks: WrittenTask[];
}

export const BLOCKED = "Blocked By";
export const COLUMNS: readonly [RegExp, string][] = [
  [/touch|file|where/i, "Touch Points"],
  [/done/i, "Done When"],
  [/block|depend/i, BLOCKED],
];

/** The name of a column that Relay reads, for all the names that it has. */
export function columnName(name: string): string {
  return COLUMNS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

const CHECKBOX = /^(\s*)[-*+]\s+\[[ xX]*\]\s*(.*)$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]?\]\s*)?(.*)$/;
const NUMBERED = /^(\d+(?:\.\d+)*[A-Za-z]?)[.)]?\s+(.*)$/;
const FIELD = /^[*_]*([\p{L}][\p{L} /#-]{0,30}?)[*_]*\s*:[*_]*\s+(.*)$/u;
const FENCE = /^\s*(`{3,}|~{3,})/;

/**
 * Reads a list of tasks: each checkbox, or each item of a list where a text has no checkboxes. Points below a task that
 * name a column are its fields; other text below it belongs to it. Code stays among the prose.
 */
export function readChecklist(body: string, kind: "checkboxes" | "items"): TaskList {
  const prose: string[] = [];
  const tasks: WrittenTask[] = [];
  let task: WrittenTask | null = null;
  let fence: string | null = null;
  for (const line of linesOf(body)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null || mark !== undefined) {
      prose.push(line);
      if (fence === null) fence = mark ?? null;
      else if (mark?.startsWith(fence) === true) fence = null;
      continue;
    }
    const opened = kind === "checkboxes" ? CHECKBOX.exec(line) : ITEM.exec(line);
    if (opened && (kind === "checkboxes" || opened[1] === "")) {
      task = taskOf(opened[2] ?? "");
      tasks.push(task);
    } else if (task !== null && /^\s+\S/.test(line)) addTo(task, line);
    else if (line.trim() !== "") {
      prose.push(line);
      task = null;
    } else if (task === null) prose.push(line);
  }
  return { prose: prose.join("\n").trim(), tasks: withDerived(tasks) };
}

function taskOf(text: string): WrittenTask {
  const [, number = null, rest = text] = NUMBERED.exec(text) ?? [];
  const words = oneLine(rest);
  return { number, text: words === "-" ? "" : words, fields: new Map() };
}

function addTo(task: WrittenTask, line: string): void {
  const text = ITEM.exec(line)?.[2] ?? line.trim();
  const [, name = "", value = ""] = FIELD.exec(text) ?? [];
  const column = columnName(name);
  if (name === "Number") task.number = value.trim();
  else if (name !== "" && ITEM.test(line) && !task.fields.has(column)) task.fields.set(column, oneLine(value));
  else task.text = oneLine(`${task.text} ${text}`);
}

/** What the words of tasks say where no task has such a column; a column that only some have stays in their words. */
function withDerived(tasks: WrittenTask[]): WrittenTask[] {
  const known = new Set(COLUMNS.map(([, name]) => name));
  const counts = new Map<string, number>();
  for (const { fields } of tasks) for (const name of fields.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shared = (name: string) => known.has(name) || counts.get(name) === tasks.length;
  const has = (name: string) => counts.has(name);
  return tasks.map(({ number, text, fields }) => {
    const own = [...fields].filter(([name]) => shared(name));
    const words = [...fields].filter(([name]) => !shared(name)).map(([name, value]) => `${name}: ${value}`);
    const all = oneLine([text, ...words].join(" "));
    const points = touchPointsIn(all).filter(({ path }) => all.includes(`\`${path}`));
    const [, done] = /done when:?\s*([^\n]*)/i.exec(all) ?? [];
    const derived: [string, string][] = [
      ...(has("Touch Points") || points.length === 0
        ? []
        : [
            [
              "Touch Points",
              points.map(({ path, isNew }) => `${codeSpan(path)}${isNew ? " (new)" : ""}`).join(", "),
            ] as const,
          ]),
      ...(has("Done When") || done === undefined ? [] : [["Done When", done] as const]),
    ].map(([name, value]) => [name, value]);
    return { number, text: all, fields: new Map([...own, ...derived]) };
  });
}
