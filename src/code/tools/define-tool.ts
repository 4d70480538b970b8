import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";
import { type ExplorerTool, type Refusal, type ToolAnswer, refused } from "./answer.ts";
import { type Listing, type Paging, takePage } from "./paging.ts";
import type { FileAccess } from "./file-access.ts";
import { createHash } from "node:crypto";

interface Definition<Input extends Paging, Found, Row, Data> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /** Advice for the model after a timeout. */
  onTimeout: string;
  list(input: Input, signal: AbortSignal): Promise<Listing<Found, Row, Data> | Refusal>;
}

/** Error codes that the model can react to; others are thrown. */
const CALLER_ERRORS = new Set(["invalid", "usage", "forbidden", "not_found", "too_large"]);

/** Adds to a listing what all tools share: input validation, a time limit, paging with cursors, refusals. */
export function defineTool<Input extends Paging, Found, Row, Data>(
  fileAccess: FileAccess,
  definition: Definition<Input, Found, Row, Data>,
): ExplorerTool<Data> {
  const { name, description, input: schema } = definition;

  async function answer(input: Input, signal: AbortSignal): Promise<ToolAnswer<Data>> {
    const { cursor, ...asked } = input;
    const scope = { tool: name, commit: fileAccess.index.repository.commit, input: asked, rules: fileAccess.rules };
    const skip = cursor === undefined ? 0 : positionOf(scope, cursor);
    if (skip === null) {
      return refused("this cursor belongs to another tool, input or commit; give the same input, or no cursor");
    }
    const listing = await definition.list(input, signal);
    if ("kind" in listing) return listing;
    const page = await takePage(listing, skip, input, signal);
    if (skip > 0 && page.rows.length === 0) return refused("there is nothing after this cursor; that was all");
    const next = page.more ? cursorFor(scope, skip + page.rows.length) : undefined;
    const parts = [
      listing.heading.slice(0, 500),
      page.rows.length === 0 ? listing.nothing.slice(0, 500) : page.text.slice(0, -1),
      (listing.note ?? "").slice(0, 250),
      next === undefined ? "" : `There is more: call again with the same input and "cursor": "${next}".`,
    ];
    const text = parts.filter((part) => part !== "").join("\n");
    return { kind: "answer", text, data: listing.data(page.rows), ...(next === undefined ? {} : { next }) };
  }

  return {
    name,
    description,
    input: schema,
    async run(input, signal) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return refused(`the input does not fit: ${z.prettifyError(parsed.error).slice(0, 1_000)}`);
      const seconds = fileAccess.seconds;
      const time = AbortSignal.timeout(seconds * 1_000);
      const either = signal ? AbortSignal.any([signal, time]) : time;
      try {
        if (signal?.aborted) return refused("the call was cancelled");
        return await answer(parsed.data, either);
      } catch (error) {
        if (signal?.aborted) return refused("the call was cancelled");
        if (time.aborted) return refused(`${name} took longer than ${seconds} s; ${definition.onTimeout}`);
        if (error instanceof RelayError && CALLER_ERRORS.has(error.code)) return refused(error.message);
        throw error;
      }
    },
  };
}

/** What a cursor is bound to: tool, commit and input. */
interface CursorScope {
  tool: string;
  commit: string;
  /** Parsed, without the cursor. */
  input: unknown;
  /** Further rules that affect the listing. */
  rules: readonly string[];
}

const sealed = z.strictObject({ of: z.string(), at: z.int().min(1).max(1_000_000_000) });

/** The start of the next page. Stateless: the cursor is bound to its scope, and not secret. */
function cursorFor(scope: CursorScope, at: number): string {
  return Buffer.from(JSON.stringify({ of: fingerprint(scope), at })).toString("base64url");
}

/** Number of results on the pages before; `null` for an invalid cursor or one of another listing. */
function positionOf(scope: CursorScope, cursor: string): number | null {
  try {
    const found = sealed.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    return found.success && found.data.of === fingerprint(scope) ? found.data.at : null;
  } catch {
    return null;
  }
}

function fingerprint(scope: CursorScope): string {
  const canonical = JSON.stringify([scope.tool, scope.commit, sorted(scope.input), scope.rules]);
  return createHash("sha256").update(canonical).digest("base64url").slice(0, 22);
}

/** Sorts keys, whose order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}
