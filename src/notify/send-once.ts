import type { Issue } from "../domain/issue.ts";
import { RelayError, Postponed, messageOf } from "../lib/errors.ts";
import { inSpan, noteInSpan } from "../lib/trace.ts";
import type { Context } from "../storage/context.ts";
import {
  type StoredPost,
  addPostFailure,
  addPostLook,
  beginPost,
  findPost,
  settlePost,
  undoPost,
} from "../storage/posts.ts";

/** Keeps what is known of each post, by its key. */
export interface PostLedger {
  find: (key: string) => Promise<StoredPost | null>;
  /** Stores that the post is about to be sent. */
  begin: (key: string) => Promise<void>;
  /** The last try had no effect. */
  undo: (key: string) => Promise<void>;
  /** The outcome of the last try is unknown. */
  addFailure: (key: string) => Promise<void>;
  /** A look did not find it. */
  addLook: (key: string) => Promise<void>;
  /** The thread shows it. */
  settle: (key: string, comment: { id: string; createdAt: Date; body: string }) => Promise<void>;
}

type Hearing = Pick<Context, "db" | "recheck">;

/**
 * The ledger of an issue in Relay's database. No post begins while a close or a stop waits to be processed, or the
 * tracker shows something new (R-LIFE-10); with `atEnd`, the post announces that end itself, and does not wait.
 */
export function postLedger({ db, recheck }: Hearing, issue: Issue, atEnd = false): PostLedger {
  const { id } = issue;
  return {
    find: async (key) => await findPost(db, id, key),
    begin: async (key) => {
      if (!atEnd) await recheck?.(issue);
      await beginPost(db, id, key);
    },
    undo: async (key) => await undoPost(db, id, key),
    addFailure: async (key) => await addPostFailure(db, id, key),
    addLook: async (key) => await addPostLook(db, id, key),
    settle: async (key, comment) => void (await settlePost(db, id, key, comment)),
  };
}

/** Whether a post took effect is not known yet, or it was sent as often as it may be (`givenUp`). */
export class Unsettled extends Postponed {
  readonly givenUp: boolean;

  constructor(message: string, options: { retryAfterMs: number; cause?: unknown; givenUp?: boolean }) {
    super(message, options);
    this.name = "Unsettled";
    this.givenUp = options.givenUp ?? false;
  }
}

/** One post: a comment, or a reply in a review. */
export interface Post<T> {
  key: string;
  /** Looks for it in the thread. */
  find: () => Promise<T | null>;
  send: () => Promise<T>;
  /** Tries without an answer before giving up; unlimited by default. */
  mostTries?: number;
}

/** Two looks that find nothing are at least this many milliseconds apart. */
const LOOKS_APART_MS = 3_000;
/** Milliseconds until the next try or look, if looking failed. */
const NEXT_LOOK_MS = 10_000;
const FIRST_WAIT_MS = 1_000;

/**
 * Sends a post once (R-IN-13). Each try is stored before it is made. After a try whose outcome is unknown (no answer, a
 * server error, a killed process), the post is adopted if it is found, and sent again only when the try must have
 * settled and two looks found nothing. Until then `Unsettled` is thrown, so that nothing waits here.
 */
export async function sendOnce<T>(
  post: Post<T>,
  stored: StoredPost | null,
  rules: { posts: PostLedger; settlesAfterMs: number },
): Promise<{ comment: T; adopted: boolean }> {
  return await inSpan("post comment", {}, async () => {
    const sent = await sendAndStore(post, stored, rules);
    noteInSpan({ "relay.post.adopted": sent.adopted });
    return sent;
  });
}

async function sendAndStore<T>(
  { key, find, send, mostTries = Number.POSITIVE_INFINITY }: Post<T>,
  post: StoredPost | null,
  { posts, settlesAfterMs }: { posts: PostLedger; settlesAfterMs: number },
): Promise<{ comment: T; adopted: boolean }> {
  const failures = post?.failures ?? 0;
  if (post !== null && post.triedAgo !== null) {
    const found = await find().catch(lookLater);
    if (found !== null) return { comment: found, adopted: true };
    const wait = waitAfterLook({ triedAgo: post.triedAgo, lookedAgo: post.lookedAgo }, settlesAfterMs);
    if (wait > 0) {
      await posts.addLook(key);
      throw new Unsettled(`${key} may still appear in the thread`, { retryAfterMs: wait });
    }
    if (failures >= mostTries) {
      throw new Unsettled(`${key} was sent ${failures} times and never appeared`, { retryAfterMs: 0, givenUp: true });
    }
  }
  await posts.begin(key);
  try {
    return { comment: await send(), adopted: false };
  } catch (error) {
    if (hadNoEffect(error)) {
      await posts.undo(key);
      throw error;
    }
    if (!(error instanceof RelayError)) throw error;
    await posts.addFailure(key);
    const retryAfterMs = Math.max(FIRST_WAIT_MS * 2 ** Math.min(failures, 5), error.retryAfterMs ?? 0);
    throw new Unsettled(`${key} may have been posted: ${messageOf(error)}`, { retryAfterMs, cause: error });
  }
}

/** Milliseconds before the next look at a post that a look did not find; 0 if it can be sent again. Pure. */
export function waitAfterLook(
  { triedAgo, lookedAgo }: { triedAgo: number; lookedAgo: number | null },
  settlesAfterMs: number,
): number {
  if (settlesAfterMs === 0) return 0;
  const rest = settlesAfterMs - triedAgo;
  // Further and further apart: most appear within a second.
  if (rest > 0) return Math.ceil(Math.min(rest, Math.max(FIRST_WAIT_MS, 2 * triedAgo)));
  return Math.ceil(Math.max(0, LOOKS_APART_MS - (lookedAgo ?? 0)));
}

/** While the thread cannot be read, nothing is known, and nothing is sent. */
function lookLater(error: unknown): never {
  if (!(error instanceof RelayError) || !error.retryable || error instanceof Postponed) throw error;
  const retryAfterMs = Math.max(NEXT_LOOK_MS, error.retryAfterMs ?? 0);
  throw new Unsettled(`cannot look for a comment: ${messageOf(error)}`, { retryAfterMs, cause: error });
}

/** Whether a failed call certainly changed nothing: it was refused, or not sent. */
function hadNoEffect(error: unknown): boolean {
  if (!(error instanceof RelayError)) return false;
  if (error.unsent || error instanceof Postponed || error.code === "rate_limited" || error.code === "config")
    return true;
  return error.status !== undefined && error.status >= 300 && error.status < 500 && error.status !== 408;
}
