import { RelayError, messageOf } from "../../../lib/errors.ts";
import { yamlDocument } from "../../../lib/yaml.ts";
import { type FrontMatter, LONGEST_TITLE, explain, frontMatterSchema, jsonSchema, toTime } from "./fields.ts";
import { closest, distance } from "fastest-levenshtein";
import { type Document, LineCounter, isMap, isScalar, visit } from "yaml";

/** An issue read from a file. */
export interface IssueFile {
  number: number | null;
  title: string;
  body: string;
  author: string;
  labels: string[];
  assignees: string[];
  /** People with write access besides, whose words count like an assignee's. */
  maintainers: string[];
  createdAt: Date | null;
  url: string | null;
  comments: FileComment[];
}

const SIZE_LIMIT = 1024 * 1024;
/** The author if an issue file names none. */
const NOBODY = "reporter";
/** The author of a comment from a deleted account; it must not pass for the reporter. */
const GHOST = "ghost";
/** Lines that open a Markdown block: unfit as titles, and the text needs them. */
const BLOCK = /^(?:#{2,}|`{3}|~{3}|>|\||<|[-*+]\s|\d+[.)]\s|[-*_]{3,}$)/;

/**
 * Reads an issue file: Markdown with optional front matter, or JSON as trackers print it.
 *
 * @param file its name in errors, and the fallback for the title
 * @throws RelayError `usage` with the file, the line if there is one, and the fix
 */
export function parseIssueFile(bytes: Uint8Array, file: string): IssueFile {
  if (bytes.length > SIZE_LIMIT) throw wrong(file, "is larger than 1 MiB; shorten pasted logs");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RelayError("usage", `${file} is not UTF-8 text; save it as UTF-8`, { cause });
  }
  if (text.includes("\0")) throw wrong(file, "is a binary file, not an issue");
  if (text.trim() === "") throw wrong(file, "is empty; write the issue into it");
  // Markdown may begin with a brace too, as in `{{name}} is shown raw`.
  const isJson = /\.json$/i.test(file) || /^\s*\{\s*["}]/.test(text);
  return isJson ? parseJson(text, file) : parseMarkdown(text, file);
}

function parseJson(text: string, file: string): IssueFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RelayError("usage", `${file} is not valid JSON: ${messageOf(cause)}`, { cause });
  }
  const parsed = jsonSchema.safeParse(value);
  if (!parsed.success) throw wrong(file, `cannot be read as an issue: ${explain(parsed.error)}`);
  const { comments, createdAt, body, ...fields } = parsed.data;
  const known = [fields, ...(comments ?? [])].flatMap((one) =>
    one.authorAssociation && one.author ? [one.author] : [],
  );
  const maintainers = [...new Set([...(fields.maintainers ?? []), ...known])];
  return assemble(
    { ...fields, maintainers, created_at: fields.created_at ?? createdAt },
    body ?? "",
    (comments ?? []).map((comment) => ({ author: comment.author || GHOST, at: comment.at, body: comment.body })),
    file,
  );
}

function parseMarkdown(text: string, file: string): IssueFile {
  const { fields, rest, offset } = takeFrontMatter(text.split(/\r\n?|\n/), file);
  const { body, comments } = splitThread(rest, offset, file);
  return assemble(fields, body, comments, file);
}

function assemble(fields: FrontMatter, text: string, comments: FileComment[], file: string): IssueFile {
  const { title, body } = titleOf(fields.title ?? "", text, file);
  return {
    number: fields.number ?? null,
    title,
    body,
    author: fields.author || NOBODY,
    labels: fields.labels ?? [],
    assignees: fields.assignees ?? [],
    maintainers: fields.maintainers ?? [],
    createdAt: fields.created_at ?? null,
    url: fields.url ?? null,
    comments,
  };
}

/** The given title, else the text's opening heading, else its first line of prose, else the file's name. */
function titleOf(given: string, body: string, file: string): { title: string; body: string } {
  const named = given.replaceAll(/\s+/g, " ").trim();
  if (named.length > LONGEST_TITLE) throw wrong(file, `has a title of more than ${LONGEST_TITLE} characters`);
  if (named !== "") return { title: named, body };
  if (body.trim() === "") throw wrong(file, "has neither a title nor a text; write the issue into it");
  const [line = "", ...rest] = body.trimStart().split("\n");
  const first = line.trim();
  const title = first.replace(/^# +/, "").replace(/ #+$/, "").trim();
  if (title === "" || title.length > LONGEST_TITLE || BLOCK.test(first)) return { title: fileName(file), body };
  if (/^=+\s*$/.test(rest[0] ?? "")) rest.shift();
  const next = rest.findIndex((later) => later.trim() !== "");
  return { title, body: next === -1 ? "" : rest.slice(next).join("\n") };
}

function fileName(file: string): string {
  return file.replace(/^.*[/\\]/, "").replace(/\.\w+$/, "");
}

interface FileComment {
  author: string;
  at: Date;
  body: string;
}

const OPENING = /^## +Comment by +@?(\S+)(?: +at +(\S.*))?$/i;

/** What people paste into a text with its headings: HTML comments, and the elements that Markdown shows as they are. */
const ELEMENT = /^ {0,3}<(?:(details|blockquote|pre)(?![\w-])|(!--))/i;
const closing = (name: string) => (name === "!--" ? /-->/ : new RegExp(`</${name}\\s*>`, "i"));

/** Whether each line is within code or an element that is closed later: pasted text, not of the file's own level. */
function pastedLines(lines: readonly string[]): boolean[] {
  const lastEnd = new Map(
    ["details", "blockquote", "pre", "!--"].map((name) => [
      name,
      lines.findLastIndex((line) => closing(name).test(line)),
    ]),
  );
  let fence: string | null = null;
  let element: { name: string; depth: number } | null = null;
  return lines.map((line, index) => {
    const isPasted = fence !== null || element !== null;
    if (element === null) fence = fenceAfter(line, fence);
    if (fence !== null) return isPasted;
    const [, tag, comment] = ELEMENT.exec(line) ?? [];
    const opened = (tag ?? comment)?.toLowerCase();
    if (element === null && opened !== undefined && (lastEnd.get(opened) ?? -1) >= index)
      element = { name: opened, depth: 0 };
    if (element === null) return isPasted;
    if (element.name === opened && opened !== "!--") element.depth += 1;
    if (closing(element.name).test(line)) element.depth -= 1;
    if (element.depth <= 0 && closing(element.name).test(line)) element = null;
    return isPasted;
  });
}

/**
 * Splits the lines of an issue file at `## Comment by @name at TIME`, which counts only at the file's own level: not in
 * code fences, quotes, indented or HTML. Nobody's words are put into somebody else's mouth by pasting.
 *
 * @param offset lines of the file before these, for errors
 * @throws RelayError `usage` with the line of a comment that has no valid time
 */
function splitThread(lines: string[], offset: number, file: string): { body: string; comments: FileComment[] } {
  const body: string[] = [];
  const parts: { author: string; at: Date; lines: string[] }[] = [];
  const pasted = pastedLines(lines);
  for (const [index, line] of lines.entries()) {
    const opened = pasted[index] === true ? null : OPENING.exec(line.trimEnd());
    if (!opened) {
      (parts.at(-1)?.lines ?? body).push(line);
      continue;
    }
    const at = toTime(opened[2] ?? "");
    if (at === null) {
      const problem = opened[2] === undefined ? "opens a comment without a time" : "opens a comment at no valid time";
      throw wrong(
        `${file}:${offset + index + 1}`,
        `${problem}; write \`## Comment by @name at 2026-03-01T10:00:00Z\`, or put a space before ## if it is no comment`,
      );
    }
    parts.push({ author: opened[1] ?? "", at, lines: [] });
  }
  return {
    body: withoutBlankEnds(body),
    comments: parts.map((part) => ({ author: part.author, at: part.at, body: withoutBlankEnds(part.lines) })),
  };
}

/** The marker of the code fence that is open after the line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, mark, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined || info === undefined) return open;
  if (open === null) return mark.startsWith("`") && info.includes("`") ? null : mark;
  return mark.startsWith(open) && info.trim() === "" ? null : open;
}

/** Removes blank lines at both ends; keeps the first line's indentation, since it may be code. */
function withoutBlankEnds(lines: string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n").trimEnd();
}

const FENCE = /^---[ \t]*$/;

/**
 * Splits off the front matter of a Markdown text.
 *
 * @returns its fields, the lines after it, and how many lines it took
 * @throws RelayError `usage` with the invalid line
 */
function takeFrontMatter(lines: string[], file: string): { fields: FrontMatter; rest: string[]; offset: number } {
  if (!FENCE.test(lines[0] ?? "")) return { fields: {}, rest: lines, offset: 0 };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) throw wrong(`${file}:1`, "opens a front matter with --- that is never closed");
  const fields = readFields(lines.slice(1, end).join("\n"), file);
  return { fields, rest: lines.slice(end + 1), offset: end + 1 };
}

function readFields(yaml: string, file: string): FrontMatter {
  const counter = new LineCounter();
  // The opening --- is line 1 of the file.
  const lineAt = (position: number) => counter.linePos(position).line + 1;
  let document: Document.Parsed;
  let value: unknown;
  try {
    document = yamlDocument(yaml, counter);
    const [error] = document.errors;
    if (error) {
      const mend = error.code === "BAD_SCALAR_START" ? "; put the value in quotes" : "";
      throw wrong(`${file}:${lineAt(error.pos[0])}`, `has a broken front matter: ${messageOf(error)}${mend}`);
    }
    keepAsWritten(document);
    value = document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("usage", `${file}:1 has a broken front matter: ${messageOf(cause)}`, { cause });
  }
  if (value === null) return {};
  if (!isMap(document.contents)) {
    throw wrong(`${file}:1`, "has a front matter that is not made of `key: value` lines");
  }
  const parsed = frontMatterSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const unknown = first?.code === "unrecognized_keys" ? first.keys[0] : undefined;
  const key = unknown ?? first?.path[0];
  const line = lineAt(positionOf(document, key));
  if (unknown === undefined) throw wrong(`${file}:${line}`, `has a front matter in which ${explain(parsed.error)}`);
  throw wrong(
    `${file}:${line}`,
    `has a front matter in which the key “${unknown}” is not known; ${suggestion(unknown)}`,
  );
}

/** `title: 1.10` is the text “1.10”, not a number that lost its zero. */
function keepAsWritten(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_, node) => {
      const converted = typeof node.value === "number" || typeof node.value === "boolean";
      if (converted && node.source !== undefined) node.value = node.source;
    },
  });
}

function positionOf(document: Document.Parsed, key: unknown): number {
  if (!isMap(document.contents)) return 0;
  const pair = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  return (isScalar(pair?.key) ? pair.key.range?.[0] : undefined) ?? 0;
}

function suggestion(key: string): string {
  const known = Object.keys(frontMatterSchema.shape);
  const near = closest(key.toLowerCase(), known);
  return distance(key.toLowerCase(), near) <= 3 ? `did you mean “${near}”?` : `known are ${known.join(", ")}`;
}

function wrong(where: string, what: string): RelayError {
  return new RelayError("usage", `${where} ${what}`);
}
