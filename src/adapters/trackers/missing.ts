import { RelayError, nullIfNotFound } from "../../lib/errors.ts";

export function missing(message: string): RelayError {
  return new RelayError("not_found", message, { status: 404 });
}

/** The response; null if the tracker reports that the object does not exist or is not visible to Relay. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  return await answer.catch(nullIfNotFound);
}
