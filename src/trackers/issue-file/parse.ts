import { distance } from "fastest-levenshtein";
import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";

/** An issue as a file holds it. */
export interface IssueFile {
  number: number | null;
  title: string;
  body: string;
  author: string;
  labels: string[];
  assignees: string[];
  createdAt: Date | null;
  url: string | null;
  comments: { author: string; at: Date; body: string }[];
}

const SIZE_LIMIT = 1024 * 1024;
const NOBODY = "reporter";

const name = z.union([
  z.string(),
  z.number().transform(String),
  z.object({ login: z.string() }).transform((a) => a.login),
]);
const label = z.union([
  z.string(),
  z.number().transform(String),
  z.object({ name: z.string() }).transform((a) => a.name),
]);
const time = z
  .union([z.date(), z.string()])
  .transform(
    (value, context) => toTime(value) ?? (context.addIssue("must be a time such as 2026-03-01T10:00:00Z"), z.NEVER),
  );
const words = z.union([z.array(label), z.string().transform((text) => text.split(",").map((word) => word.trim()))]);

const fields = {
  number: z.coerce.number().int().positive().nullish(),
  title: z.coerce.string().nullish(),
  author: name.nullish(),
  labels: words.nullish(),
  assignees: z.union([z.array(name), z.string().transform((text) => [text])]).nullish(),
  url: z.string().nullish(),
  created_at: time.nullish(),
};
const frontMatterSchema = z.strictObject(fields);
const jsonSchema = z.object({
  ...fields,
  createdAt: time.nullish(),
  body: z.string().nullish(),
  comments: z
    .array(
      z.object({ author: name.nullish(), body: z.string(), created_at: time.nullish(), createdAt: time.nullish() }),
    )
    .nullish(),
});

/**
 * Reads an issue file: Markdown with optional front matter, or JSON as trackers print it.
 *
 * @param file what to call it in errors, and the last resort for a title
 * @throws RelayError `usage` that names the file, the line where there is one, and the mend
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
  const normal = text.replaceAll("\r\n", "\n");
  if (normal.trim() === "") throw wrong(file, "is empty; write the issue into it");
  return normal.trimStart().startsWith("{") ? parseJson(normal, file) : parseMarkdown(normal, file);
}

function parseJson(text: string, file: string): IssueFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RelayError("usage", `${file} is not valid JSON: ${String(cause).replace(/^SyntaxError: /, "")}`, {
      cause,
    });
  }
  const parsed = jsonSchema.safeParse(value);
  if (!parsed.success) throw wrong(file, explain(parsed.error));
  const { comments, createdAt, body, ...rest } = parsed.data;
  return {
    ...common({ ...rest, created_at: rest.created_at ?? createdAt }, body ?? "", file),
    comments: (comments ?? []).map((comment) => ({
      author: comment.author ?? NOBODY,
      at: comment.created_at ?? comment.createdAt ?? new Date(0),
      body: comment.body,
    })),
  };
}

function parseMarkdown(text: string, file: string): IssueFile {
  const { meta, rest, offset } = splitFrontMatter(text, file);
  const { body, comments } = splitComments(rest, offset, file);
  return { ...common(meta, body, file), comments };
}

function common(meta: z.infer<typeof frontMatterSchema>, text: string, file: string): Omit<IssueFile, "comments"> {
  const { title, body } = titleOf(meta.title ?? null, text, file);
  return {
    number: meta.number ?? null,
    title,
    body,
    author: meta.author?.replace(/^@/, "") || NOBODY,
    labels: (meta.labels ?? []).filter((word) => word !== ""),
    assignees: (meta.assignees ?? []).map((login) => login.replace(/^@/, "")),
    createdAt: meta.created_at ?? null,
    url: meta.url ?? null,
  };
}

/** The title given, else the first heading, else the first line, else the file's name. */
function titleOf(given: string | null, text: string, file: string): { title: string; body: string } {
  const body = text.trim();
  if (given !== null && given.trim() !== "") return { title: given.trim(), body };
  const heading = /^#\s+(.+?)\s*#*$/m.exec(body);
  if (heading?.index === 0) return { title: heading[1] ?? "", body: body.slice(heading[0].length).trim() };
  const [first = "", ...rest] = body.split("\n");
  if (first.trim() !== "" && first.length <= 200) return { title: first.trim(), body: rest.join("\n").trim() };
  return { title: file.replace(/^.*\//, "").replace(/\.\w+$/, ""), body };
}

function splitFrontMatter(text: string, file: string) {
  const match = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/.exec(text);
  if (!match) {
    if (/^---[ \t]*\n/.test(text)) throw wrong(file, "opens a front matter with --- that is never closed");
    return { meta: {}, rest: text, offset: 0 };
  }
  const lines = new LineCounter();
  const document = parseDocument(match[1] ?? "", { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line } = lines.linePos(error.pos[0]);
    throw wrong(`${file}:${line + 1}`, `has a broken front matter: ${error.message.split("\n")[0] ?? ""}`);
  }
  const parsed = frontMatterSchema.safeParse(document.toJS({ maxAliasCount: 20 }) ?? {});
  if (!parsed.success) throw wrong(file, `has a front matter in which ${explain(parsed.error)}`);
  return { meta: parsed.data, rest: text.slice(match[0].length), offset: match[0].split("\n").length - 1 };
}

const COMMENT = /^##\s+Comment by\s+@?(\S+)(?:\s+at\s+(.+?))?\s*$/i;

function splitComments(text: string, offset: number, file: string) {
  const body: string[] = [];
  const comments: { author: string; at: Date; lines: string[] }[] = [];
  let fence: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = null;
    }
    const opened = fence === null ? COMMENT.exec(line) : null;
    if (!opened) {
      (comments.at(-1)?.lines ?? body).push(line);
      continue;
    }
    const at = toTime(opened[2] ?? "");
    if (at === null) {
      throw wrong(
        `${file}:${offset + index + 1}`,
        "opens a comment without a time; write it as `## Comment by @name at 2026-03-01T10:00:00Z`",
      );
    }
    comments.push({ author: opened[1] ?? NOBODY, at, lines: [] });
  }
  return {
    body: body.join("\n"),
    comments: comments.map(({ author, at, lines }) => ({ author, at, body: lines.join("\n").trim() })),
  };
}

/** A time without a zone is UTC. */
function toTime(value: Date | string): Date | null {
  if (value instanceof Date) return value;
  const text = value.trim();
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || text.length === 10 ? text : `${text.replace(" ", "T")}Z`;
  const parsed = new Date(zoned);
  return Number.isNaN(parsed.getTime()) ? null : parsed;
}

function explain(error: z.ZodError): string {
  const [first] = error.issues;
  if (first?.code === "unrecognized_keys") {
    const key = first.keys[0] ?? "";
    const near = Object.keys(fields).find((known) => distance(known, key) <= 2);
    return `the key “${key}” is not known${near === undefined ? "" : `; did you mean “${near}”?`}`;
  }
  return `“${first?.path.join(".") ?? ""}” is wrong: ${first?.message ?? "it cannot be understood"}`;
}

function wrong(file: string, what: string): RelayError {
  return new RelayError("usage", `${file} ${what}`);
}
