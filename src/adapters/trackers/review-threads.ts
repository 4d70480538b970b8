import type { ReviewThread } from "./code-host.ts";

/** So much of a request's discussion is told; the newest, where there is more. */
export const MOST_REVIEW_COMMENTS = 1_000;

/** The threads with something in them, oldest first, with the newest comments of all where they are too many. */
export function newestThreads(threads: readonly ReviewThread[]): ReviewThread[] {
  const newest = threads
    .flatMap(({ comments }) => comments)
    // Of those of one moment the later ones.
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
