import { FIELD, parseSpec } from "../../domain/spec-document/parse.ts";
import type { Issue } from "../../domain/issue.ts";
import { COMPLEXITIES, type Complexity } from "../../domain/spec.ts";
import { cut, oneLine } from "../../lib/text.ts";
import { specHead } from "../head.ts";
import { validateSpec } from "../validate/validate.ts";
import type { FoundChange } from "./change-folder.ts";
import { joined } from "./markdown.ts";
import { type ReadChange, readChange, renderSpec } from "./read-change.ts";

const TITLE_LENGTH = 160;

/** A change as the spec of an issue (R-SPEC-14): a draft of this moment, of the level that it names or has the sections of. */
export async function specOfChange(
  { id, files }: Pick<FoundChange, "id" | "files">,
  issue: Issue,
  now: Date,
): Promise<string> {
  const change = readChange(files);
  const level = await levelOf(change, id);
  const head = change.head
    .split("\n")
    .filter((line) => !FIELD.test(line))
    .join("\n")
    .trim();
  const title = cut(oneLine(change.title ?? words(id) ?? issue.title), TITLE_LENGTH);
  return renderSpec({ ...change, title: null, head: joined(specHead(title, issue, level, now), head) });
}

async function levelOf(change: ReadChange, id: string): Promise<{ level: Complexity; reason: string }> {
  const text = renderSpec(change);
  const named = parseSpec(text).complexity;
  if (named !== null) return { level: named, reason: reasonIn(change.head) ?? `OpenSpec change ${id}` };
  const reason = `by its sections; OpenSpec change ${id}`;
  for (const level of COMPLEXITIES.toReversed()) {
    const { errors } = await validateSpec(text, { complexity: level });
    if (errors.every(({ rule }) => !rule.startsWith("has_"))) return { level, reason };
  }
  return { level: "L0", reason };
}

/** What stands in parentheses after the level. */
function reasonIn(head: string): string | null {
  return /^[\s*_>-]*complexity[*_]*\s*:[*_]*\s*L[0-4]\s*\(([^\n]{1,300})\)/im.exec(head)?.[1] ?? null;
}

/** `2026-11-20-add-user-auth` as words. */
function words(id: string): string | null {
  const text = id
    .replace(/^\d{4}-\d\d-\d\d-/, "")
    .replaceAll("-", " ")
    .trim();
  return text === "" ? null : text.charAt(0).toUpperCase() + text.slice(1);
}
