import { isRecord } from "../../lib/text.ts";

/*
 * What a request to a model may ask its provider for besides an answer, read from the request's body: programs in a
 * sandbox write it (R-WORK-13).
 */

/** The objects of a list; none for anything else. */
export function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** All objects of a list, and of the lists below these keys of theirs. */
export function recordsBelow(value: unknown, keys: readonly string[]): Record<string, unknown>[] {
  return recordsIn(value).flatMap((record) => [
    record,
    ...keys.flatMap((key) => recordsBelow(isRecord(record[key]) ? [record[key]] : record[key], keys)),
  ]);
}

/** Whether a value is an address on the web, by itself or as `url`; a `data:` address is not. */
export function isOnTheWeb(value: unknown): boolean {
  const address = isRecord(value) ? value["url"] : value;
  return typeof address === "string" && !/^data:/i.test(address);
}

/** Why a request is refused, for people. */
export const WANTS = {
  fetching: "it has the provider fetch something from the web",
  servers: "it has the provider call tool servers",
  costlier: "it asks for answers that cost more than listed",
  later: "it asks for an answer that comes later, uncounted",
  stored: "it uses something stored with the provider",
} as const;

/** The sum of the lengths of those values that are texts. */
export function lengthOf(...values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}
