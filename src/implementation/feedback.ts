import type { Feedback } from "../domain/work.ts";
import type { Conflict } from "./run/workspace/merge.ts";

/** Failed checks are stored as feedback, under ids that no comment can have. */
export const CHECK_PREFIX = "check:";

/** Conflicts with the base are stored in the same way. */
export const BASE_PREFIX = "base:";

const LONGEST_LIST = 8_000;

/** A conflict with the base as feedback, so that it is tried and reported once. */
export function conflictFeedback(base: string, { name, files }: Conflict, now: Date): Feedback {
  const content = files.join("\n").slice(0, LONGEST_LIST).toWellFormed();
  const nowhere = { externalThreadId: null, path: null, line: null };
  return { ...nowhere, externalId: `${BASE_PREFIX}${name}`, author: base, content, createdAt: now };
}

/** Feedback by people and checks. */
export function changeRequestsIn<W extends Pick<Feedback, "externalId">>(words: readonly W[]): W[] {
  return words.filter(({ externalId }) => !externalId.startsWith(BASE_PREFIX));
}
