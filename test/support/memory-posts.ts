import type { PostLedger } from "../../src/notify/send-once.ts";
import type { StoredPost } from "../../src/storage/posts.ts";

/** Posts in memory, by their keys; `wait` lets time pass for all of them. */
export function memoryPosts(): PostLedger & { wait: (ms: number) => void } {
  const posts = new Map<string, StoredPost>();
  const change = (key: string, by: (post: StoredPost) => Partial<StoredPost>) => {
    const post = posts.get(key) ?? { failures: 0, triedAgo: null, lookedAgo: null, commentId: null, postedAt: null };
    posts.set(key, { ...post, ...by(post) });
  };
  return {
    find: async (key) => await Promise.resolve(posts.get(key) ?? null),
    begin: async (key) => await Promise.resolve(change(key, () => ({ triedAgo: 0, lookedAgo: null }))),
    undo: async (key) => await Promise.resolve(change(key, () => ({ triedAgo: null }))),
    addFailure: async (key) => await Promise.resolve(change(key, ({ failures }) => ({ failures: failures + 1 }))),
    addLook: async (key) => await Promise.resolve(change(key, ({ lookedAgo }) => ({ lookedAgo: lookedAgo ?? 0 }))),
    settle: async (key, { id, createdAt }) =>
      await Promise.resolve(change(key, () => ({ triedAgo: null, commentId: id, postedAt: createdAt }))),
    wait: (ms) => {
      for (const key of posts.keys()) {
        change(key, ({ triedAgo, lookedAgo }) => ({
          triedAgo: triedAgo === null ? null : triedAgo + ms,
          lookedAgo: lookedAgo === null ? null : lookedAgo + ms,
        }));
      }
    },
  };
}
