import type { Call } from "../pages.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { checkComment, unfit } from "../texts.ts";
import type { CommentPage, Tracker, TrackerComment } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { issuePath, nameOf, notePath, threadPath } from "./calls.ts";
import type { GitlabPeople } from "./people.ts";
import { inert } from "./quick-actions.ts";
import { commentsOf, isComment, toComment } from "./thread.ts";
import { missing, unlessMissing } from "../missing.ts";

const PAGE = 100;

type Comments = Pick<
  Tracker,
  "listComments" | "listChangedComments" | "getComment" | "createComment" | "updateComment" | "deleteComment"
>;

/** The discussion of an issue, in threads. A standalone comment is a thread without replies. */
export function gitlabComments(call: Call, meet: GitlabPeople["meet"]): Comments {
  return {
    listComments: async (address, cursor) => await pageOfComments(call, address, cursor, meet),
    listChangedComments: async (address, since, threads) =>
      await changedComments(call, address, { since, threads, meet }),
    getComment: async (address, commentId) => {
      const { body } = await call({ method: "GET", path: notePath(address, commentId) });
      const note = read(answers.note, body, `comment ${commentId} on ${nameOf(address)}`);
      if (!isComment(note)) throw missing(`note ${commentId} on ${nameOf(address)} is no comment that all may read`);
      return toComment(note, null);
    },
    createComment: async (address, body, threadId) => {
      checkComment(body);
      if (threadId !== null) {
        const path = `${threadPath(address, threadId)}/notes`;
        const answer = await call({ method: "POST", path, body: { body: inert(body) } });
        return { ...toComment(posted(answers.note, answer, address), null), threadId };
      }
      // Created as a thread, since GitLab returns the thread id only then.
      const path = `${issuePath(address)}/discussions`;
      const answer = await call({ method: "POST", path, body: { body: inert(body) } });
      const [comment] = commentsOf([posted(answers.discussion, answer, address)]);
      if (comment) return comment;
      throw noComment(address);
    },
    deleteComment: async (address, commentId) => {
      await call({ method: "DELETE", path: notePath(address, commentId) });
    },
    updateComment: async (address, commentId, body) => {
      checkComment(body);
      const path = notePath(address, commentId);
      const answer = await call({ method: "PUT", path, body: { body: inert(body) } });
      return toComment(posted(answers.note, answer, address), null);
    },
  };
}

/** A cursor: a page of threads, and the last comment on it that was already returned. */
interface Place {
  page: number;
  /** The number of threads at that time; null if they are too many for GitLab to count. */
  total: number | null;
  after: { time: number; id: number } | null;
}

async function pageOfComments(
  call: Call,
  address: IssueAddress,
  cursor: string | null,
  meet: GitlabPeople["meet"],
): Promise<CommentPage> {
  const place = cursor === null ? { page: 1, total: null, after: null } : placeOf(cursor);
  const query = { per_page: PAGE, page: place.page };
  const { body, headers, next } = await call({ method: "GET", path: `${issuePath(address)}/discussions`, query });
  const counted = Number(headers.get("x-total") ?? "");
  const total = headers.has("x-total") && Number.isSafeInteger(counted) ? counted : null;
  if (total !== null && place.total !== null && total < place.total) {
    // A thread was deleted, so later threads moved up, some of them to a page that was already read.
    throw new RelayError(
      "conflict",
      `a thread of ${nameOf(address)} was deleted while its comments were read; read them again`,
      { retryable: true },
    );
  }
  const found = read(z.array(answers.discussion), body, `the comments of ${nameOf(address)}`);
  for (const { notes } of found) for (const { author } of notes) meet(author);
  const all = commentsOf(found);
  const internal = found.flatMap(({ notes }) => notes.filter((note) => !note.system && !isComment(note)));
  const rest = all.filter((comment) => isAfter(comment, place.after));
  const comments = rest.slice(0, PAGE);
  const last = comments.at(-1);
  if (rest.length > PAGE && last) {
    const after = { time: last.createdAt.getTime(), id: Number(last.id) };
    return { comments, next: cursorAt({ ...place, total, after }) };
  }
  // Counted once, with the last of the page's comments.
  const leftOut = internal.length;
  return { comments, leftOut, next: next === null ? null : cursorAt({ page: place.page + 1, total, after: null }) };
}

function isAfter(comment: TrackerComment, after: Place["after"]): boolean {
  if (after === null) return true;
  const time = comment.createdAt.getTime();
  return time > after.time || (time === after.time && Number(comment.id) > after.id);
}

function cursorAt({ page, total, after }: Place): string {
  return [page, total ?? "-", ...(after === null ? [] : [after.time, after.id])].join(" ");
}

function placeOf(cursor: string): Place {
  const parts = /^([1-9]\d{0,5}) (-|\d{1,9})(?: (\d{1,15}) (\d{1,15}))?$/.exec(cursor);
  if (!parts) throw unfit("the cursor is not one that a page of comments gave");
  const [, page, total, time, id] = parts;
  return {
    page: Number(page),
    total: total === "-" ? null : Number(total),
    after: time === undefined ? null : { time: Number(time), id: Number(id) },
  };
}

/** GitLab answers 202 without a comment if the whole text consists of commands. */
function posted<T>(schema: z.ZodType<T>, answer: { status: number; body: unknown }, address: IssueAddress): T {
  if (answer.status === 202) throw noComment(address);
  return read(schema, answer.body, `a comment on ${nameOf(address)}`);
}

function noComment(address: IssueAddress): RelayError {
  return unfit(`GitLab made no comment on ${nameOf(address)}: it found nothing in it but commands`);
}

/** With more changes than fit on these pages, the whole discussion is fetched. */
const MOST_PAGES = 3;
/** With more threads than this, the whole discussion is fetched too. */
const MOST_THREADS = 20;

type Discussion = z.infer<typeof answers.discussion>;

/**
 * Comments created or edited since then. GitLab lists notes by their change, but without their threads, which must be
 * looked up: those that an event named, then the newest ones, which contain new comments. Null if a note is in
 * neither.
 */
async function changedComments(
  call: Call,
  address: IssueAddress,
  { since, threads, meet }: { since: Date; threads: readonly string[]; meet: GitlabPeople["meet"] },
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
  for (const { notes } of found) for (const { author } of notes) meet(author);
  return commentsOf(found).filter((comment) => changed.has(Number(comment.id)));
}

/** The ids of the changed comments; null if there are too many. */
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

/** The newest threads, page by page from the end. Empty if they are too many for GitLab to count. */
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
