import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { TrackerComment } from "../tracker.ts";
import * as answers from "./answers.ts";
import { read } from "./answers.ts";
import { issuePath, nameOf, threadPath } from "./calls.ts";
import { commentsOf, isComment } from "./thread.ts";

const PAGE = 100;
/** More changes than fit on these pages are fetched with the whole thread. */
const MOST_PAGES = 3;
/** More threads than this are fetched with the whole thread too. */
const MOST_THREADS = 20;

type Discussion = z.infer<typeof answers.discussion>;

/**
 * What was made or edited since then. GitLab lists notes by their change, but without their threads, which must be
 * looked up: those that an event named, then the newest ones, which new comments are in. Null where a note is in
 * neither.
 */
export async function changedComments(
  call: Call,
  address: IssueAddress,
  { since, threads }: { since: Date; threads: readonly string[] },
): Promise<TrackerComment[] | null> {
  const changed = await changedNotes(call, address, since);
  if (changed === null || changed.size === 0) return changed === null ? null : [];
  const named = [...new Set(threads)];
  if (named.length > MOST_THREADS) return null;

  const found: Discussion[] = [];
  const sought = () => changed.difference(new Set(found.flatMap((thread) => thread.notes.map((one) => one.id))));
  for (const id of named) {
    const answer = await unlessMissing(call({ method: "GET", path: threadPath(address, id) }));
    if (answer !== null) found.push(read(answers.discussion, answer.body, `a thread of ${nameOf(address)}`));
  }
  if (sought().size > 0) {
    for await (const page of newestThreads(call, address)) {
      const known = new Set(found.map((thread) => thread.id));
      found.push(...page.filter((thread) => !known.has(thread.id)));
      if (sought().size === 0) break;
    }
  }
  if (sought().size > 0) return null;
  return commentsOf(found).filter((comment) => changed.has(Number(comment.id)));
}

/** The ids of the comments that changed; null where they are too many. */
async function changedNotes(call: Call, address: IssueAddress, since: Date): Promise<Set<number> | null> {
  const changed = new Set<number>();
  const query = { order_by: "updated_at", sort: "desc", per_page: PAGE };
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const path = `${issuePath(address)}/notes`;
    const answer = await call({ method: "GET", path, query: { ...query, page } });
    const notes = read(z.array(answers.note), answer.body, `the comments of ${nameOf(address)}`);
    const fresh = notes.filter((one) => one.updated_at >= since);
    for (const one of fresh.filter(isComment)) changed.add(one.id);
    if (fresh.length < notes.length || answer.next === null) return changed;
  }
  return null;
}

/** The threads that were begun last, page by page from the end. None where GitLab counts them no more. */
async function* newestThreads(call: Call, address: IssueAddress): AsyncGenerator<Discussion[]> {
  const path = `${issuePath(address)}/discussions`;
  const count = await call({ method: "GET", path, query: { per_page: 1, page: 1 } });
  const total = Number(count.headers.get("x-total") ?? "0");
  const last = Number.isSafeInteger(total) ? Math.ceil(total / PAGE) : 0;
  for (let page = last; page > Math.max(0, last - MOST_PAGES); page -= 1) {
    const answer = await call({ method: "GET", path, query: { per_page: PAGE, page } });
    yield read(z.array(answers.discussion), answer.body, `the comments of ${nameOf(address)}`);
  }
}
