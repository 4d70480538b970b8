import { type Issue, issueName } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { Db } from "../storage/db.ts";
import { findNamed } from "../storage/issue-lists.ts";
import { addressOfFile } from "./input-files.ts";

/** Names in the answer to a word that could be many. */
const MOST_NAMES = 5;

/**
 * The issue of a number (`7`, `#7`), name (`local/demo#7`, `demo#7`), id or URL, whatever the case of its letters, or
 * of the file that it was brought in from. Throws `not_found`, or `usage` if it could be several.
 */
export async function pickIssue(db: Db, wanted: string): Promise<Issue> {
  const named = await findNamed(db, wanted.replace(/^#/, ""), MOST_NAMES + 1);
  const address = named.length === 0 ? await addressOfFile(wanted) : null;
  const matches = address === null ? named : await findNamed(db, address, MOST_NAMES + 1);
  const [first, ...others] = matches;
  if (!first) {
    throw new RelayError("not_found", `no issue “${wanted}” is known here; \`relay status\` lists the known ones`);
  }
  if (others.length > 0) {
    const names = matches.slice(0, MOST_NAMES).map(issueName);
    const more = matches.length > MOST_NAMES ? ", or another" : "";
    throw new RelayError("usage", `“${wanted}” could be ${names.join(" or ")}${more}; say which`);
  }
  return first;
}

/** The number given with `--cycle`. */
export function cycleNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RelayError("usage", `--cycle must be the number of a cycle, not “${text}”`);
}
