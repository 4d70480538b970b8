import { RelayError } from "../../lib/errors.ts";

/**
 * Throws `RelayError` `invalid` for an argument or environment variable with a NUL character: the system would cut the
 * text there, and read the rest as something else.
 */
export function assertPlain(texts: Iterable<string>): void {
  for (const text of texts) {
    if (text.includes("\0")) {
      const start = JSON.stringify(text.slice(0, 40));
      throw new RelayError(
        "invalid",
        `a program cannot be given ${start}…: it enforces a zero character; take that out`,
      );
    }
  }
}
