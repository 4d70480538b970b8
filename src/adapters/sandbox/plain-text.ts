import { RelayError } from "../../lib/errors.ts";

/**
 * Throws `RelayError` `invalid` where an argument, or a name or value of the environment, holds the character that ends
 * texts for the system: what stands behind it would be read as something else.
 */
export function assertPlain(texts: Iterable<string>): void {
  for (const text of texts) {
    if (text.includes("\0")) {
      const start = JSON.stringify(text.slice(0, 40));
      throw new RelayError("invalid", `a program cannot be given ${start}…: it holds a zero character; take that out`);
    }
  }
}
