import { RelayError } from "../../lib/errors.ts";

export function missing(message: string): RelayError {
  return new RelayError("not_found", message, { status: 404 });
}

/** The answer; null where the tracker says that there is no such thing, or none that Relay may see. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RelayError && error.code === "not_found") return null;
    throw error;
  }
}
