import { createHash } from "node:crypto";
import { z } from "zod";

/** What a cursor holds good for: the same tool, commit and input only. */
export interface CursorScope {
  tool: string;
  commit: string;
  /** Parsed, without the cursor. */
  input: unknown;
  /** Whatever else decides what is listed. */
  rules: readonly string[];
}

const sealed = z.strictObject({ of: z.string(), at: z.int().min(1).max(1_000_000_000) });

/** Says where the next page begins. Nothing is stored: the cursor is all there is (not secret, only tied). */
export function cursorFor(scope: CursorScope, at: number): string {
  return Buffer.from(JSON.stringify({ of: fingerprint(scope), at })).toString("base64url");
}

/** How many results the pages before have given; `null` for a cursor of another listing or none of ours. */
export function positionOf(scope: CursorScope, cursor: string): number | null {
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

/** The order in which a model writes its keys means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}
