import type { z } from "zod";
import { RelayError } from "../../lib/errors.ts";

/**
 * Makes the function that takes from an answer what Relay uses. `variable` names the address that is asked.
 *
 * @throws RelayError `unavailable`: something other than the tracker answered, or its answers have changed
 */
export function answerReader(title: string, variable: string) {
  return function read<T>(schema: z.ZodType<T>, body: unknown, what: string): T {
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    const where = result.error.issues[0]?.path.join(".") ?? "";
    throw new RelayError(
      "unavailable",
      `${title}'s answer about ${what} could not be understood${where === "" ? "" : ` at ${where}`}; look at what ${variable} points to`,
      { status: 502 },
    );
  };
}
