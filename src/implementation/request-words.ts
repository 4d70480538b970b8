import type { RequestWord } from "../domain/work.ts";
import type { Conflict } from "./run/workspace/merge.ts";

/** What checks say is kept with the words of people, under ids that no comment has. */
export const CHECK_PREFIX = "check:";

/** Conflicts with the base that were tried, or are to be, likewise. */
export const BASE_PREFIX = "base:";

const LONGEST_LIST = 8_000;

/** A conflict with the base, kept so that it is tried and told once. */
export function conflictWord(base: string, { name, files }: Conflict, now: Date): RequestWord {
  const content = files.join("\n").slice(0, LONGEST_LIST).toWellFormed();
  const nowhere = { externalThreadId: null, path: null, line: null };
  return { ...nowhere, externalId: `${BASE_PREFIX}${name}`, author: base, content, createdAt: now };
}

/** What people and checks ask for. */
export function wishesIn<W extends Pick<RequestWord, "externalId">>(words: readonly W[]): W[] {
  return words.filter(({ externalId }) => !externalId.startsWith(BASE_PREFIX));
}
