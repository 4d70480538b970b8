import type { ReviewThread } from "./code-host.ts";

/** At most this many comments of a request are returned, the newest ones. */
export const MOST_REVIEW_COMMENTS = 1_000;

/** The threads that have comments, oldest first; over the limit, only the newest comments of all threads are kept. */
export function newestThreads(threads: readonly ReviewThread[]): ReviewThread[] {
  const newest = threads
    .flatMap(({ comments }) => comments)
    // Among those of the same time, the later ones.
    .toReversed()
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
    .slice(0, MOST_REVIEW_COMMENTS);
  const kept = new Set(newest);
  return threads
    .map((thread) => ({ ...thread, comments: thread.comments.filter((comment) => kept.has(comment)) }))
    .filter(({ comments }) => comments.length > 0)
    .toSorted((one, other) => begun(one) - begun(other));
}

function begun({ comments }: ReviewThread): number {
  return comments[0]?.createdAt.getTime() ?? 0;
}
