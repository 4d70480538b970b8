import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";
import { refused } from "./answer.ts";
import type { ExplorerTool, Refusal, ToolAnswer } from "./answer.ts";
import { cursorFor, positionOf } from "./cursor.ts";
import { takePage } from "./paging.ts";
import type { Listing, Paging } from "./paging.ts";
import type { Territory } from "./file-access.ts";

interface Definition<Input extends Paging, Found, Row, Data> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /** What to do when it takes too long. */
  mend: string;
  list(input: Input, signal: AbortSignal): Promise<Listing<Found, Row, Data> | Refusal>;
}

/** Failures that the model can do something about; the others are ours. */
const MENDABLE = new Set(["invalid", "usage", "forbidden", "not_found", "too_large"]);

/** Puts around a listing what all tools have in common: checked input, a time limit, cursors, pages, refusals. */
export function defineTool<Input extends Paging, Found, Row, Data>(
  territory: Territory,
  definition: Definition<Input, Found, Row, Data>,
): ExplorerTool<Data> {
  const { name, description, input: schema } = definition;

  async function answer(input: Input, signal: AbortSignal): Promise<ToolAnswer<Data>> {
    const { cursor, ...asked } = input;
    const scope = { tool: name, commit: territory.index.repository.commit, input: asked, rules: territory.rules };
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
      const seconds = territory.seconds;
      const time = AbortSignal.timeout(seconds * 1_000);
      const either = signal ? AbortSignal.any([signal, time]) : time;
      try {
        if (signal?.aborted) return refused("the call was cancelled");
        return await answer(parsed.data, either);
      } catch (error) {
        if (signal?.aborted) return refused("the call was cancelled");
        if (time.aborted) return refused(`${name} took longer than ${seconds} s; ${definition.mend}`);
        if (error instanceof RelayError && MENDABLE.has(error.code)) return refused(error.message);
        throw error;
      }
    },
  };
}
