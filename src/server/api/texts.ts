import { z } from "zod";

/** Text of at most `most` characters; the database takes no NUL. */
export function anyText(most: number) {
  return z
    .string()
    .max(most)
    .refine((text) => !text.includes("\0"), "it holds a NUL character");
}

/** The same, with at least one character. */
export function plainText(most: number) {
  return anyText(most).min(1);
}

/** How many entries a page has at most. */
export function limit(otherwise: number, most: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(otherwise)
    .meta({ description: "Entries of a page, at most." });
}

const LARGEST_ID = 2n ** 63n - 1n;

/** Whether the database can have a row with this id. */
export function isRowId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= LARGEST_ID;
}

/** The id of a row, in a path or as a cursor. */
export const rowId = z
  .string()
  .regex(/^\d{1,19}$/, "it must be a number")
  .refine(isRowId, "it is larger than any id")
  .meta({ example: "118399236687613958" });

/** A whole number in a path or query. */
export const count = z.coerce.number().int().min(0).max(1_000_000_000);

/** Where the next page begins; null on the last one. */
export const next = z.string().nullable().meta({ description: "The cursor of the next page; null on the last." });
