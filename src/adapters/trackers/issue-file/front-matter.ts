import { closest, distance } from "fastest-levenshtein";
import type { Document } from "yaml";
import { LineCounter, isMap, isScalar, parseDocument, visit } from "yaml";
import { RelayError, messageOf } from "../../../lib/errors.ts";
import { explain, frontMatterSchema } from "./fields.ts";
import type { FrontMatter } from "./fields.ts";

const FENCE = /^---[ \t]*$/;

/**
 * Takes the front matter off a Markdown text.
 *
 * @returns its fields, the lines after it, and how many lines it took
 * @throws RelayError `usage` with the line that is wrong
 */
export function takeFrontMatter(
  lines: string[],
  file: string,
): { fields: FrontMatter; rest: string[]; offset: number } {
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
    document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false });
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

export function wrong(where: string, what: string): RelayError {
  return new RelayError("usage", `${where} ${what}`);
}
