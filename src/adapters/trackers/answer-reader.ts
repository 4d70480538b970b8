import type { z } from "zod";
import { RelayError } from "../../lib/errors.ts";

/**
 * Creates a function that parses the parts of a response that Relay uses. `variable` is the setting with the URL.
 *
 * @throws RelayError `unavailable`: the response is not the tracker's, or its format has changed
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
