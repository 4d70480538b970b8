import { z } from "zod";

/** A moment, as `2026-11-23T16:45:00.000Z`. */
export const time = z.iso.datetime().meta({ description: "A moment in UTC." });
/** The same, or null. */
export const noTime = time.nullable();
/** US dollars; null where nothing that was used has a known price. */
export const cost = z.number().nullable().meta({ description: "US dollars; null where no price is known." });
/** The id of a row. */
export const id = z
  .string()
  .regex(/^\d{1,19}$/)
  .meta({ description: "An id of Relay's own, a number too large for JSON.", example: "118399236687613958" });

/** A time as the shapes have it; null stays null. */
export function timeOf(at: Date): string;
export function timeOf(at: Date | null): string | null;
export function timeOf(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
