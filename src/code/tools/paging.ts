import { z } from "zod";

const DEFAULT_CHARACTERS = 8_000;
const MAX_CHARACTERS = 30_000;
/** The longest single result fits into this. */
const MIN_CHARACTERS = 4_000;
/** Reserved for the text before and after the results. */
const FRAME_CHARACTERS = 900;

/** The part of the input that all tools share. */
export function pagingInput(limits: { results: number; most: number }) {
  return {
    limit: z.int().min(1).max(limits.most).default(limits.results).describe("most results on one page"),
    max_characters: z
      .int()
      .min(MIN_CHARACTERS)
      .max(MAX_CHARACTERS)
      .default(DEFAULT_CHARACTERS)
      .describe("most characters of one answer"),
    cursor: z.string().max(400).optional().describe("from the answer before, with otherwise the same input"),
  };
}

export interface Paging {
  limit: number;
  max_characters: number;
  cursor?: string | undefined;
}

/** Results in a deterministic order for one input and commit. */
export interface Listing<Found, Row, Data> {
  /** First line of the answer; cut to 500 characters. */
  heading: string;
  found: AsyncIterable<Found> | Iterable<Found>;
  /** Converts a result; called only for results on the page. */
  row(found: Found): Row | Promise<Row>;
  /** The text of a row under the one before it on the page. */
  show(row: Row, before: Row | undefined): string;
  data(rows: Row[]): Data;
  /** Last line of the answer, such as a count of omitted entries; cut to 250 characters. */
  note?: string;
  /** Shown when there are no results. */
  nothing: string;
}

interface Page<Row> {
  rows: Row[];
  text: string;
  /** There are results after these. */
  more: boolean;
}

/**
 * The results from `skip` on, as many as fit, at least one. On timeout the page ends early and the next one continues
 * there; a timeout without any result is thrown.
 */
export async function takePage<Found, Row, Data>(
  listing: Listing<Found, Row, Data>,
  skip: number,
  paging: Paging,
  signal: AbortSignal,
): Promise<Page<Row>> {
  const room = paging.max_characters - FRAME_CHARACTERS;
  const page: Page<Row> = { rows: [], text: "", more: false };
  let position = 0;
  try {
    for await (const found of listing.found) {
      position += 1;
      if (position <= skip) continue;
      if (page.rows.length >= paging.limit) return { ...page, more: true };
      const row = await listing.row(found);
      const shown = listing.show(row, page.rows.at(-1));
      if (page.rows.length > 0 && page.text.length + shown.length + 1 > room) return { ...page, more: true };
      page.rows.push(row);
      page.text += `${shown}\n`;
    }
  } catch (error) {
    if (!signal.aborted || page.rows.length === 0) throw error;
    return { ...page, more: true };
  }
  return page;
}
