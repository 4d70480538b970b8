/*
 * GitHub has threads only on lines of a pull request, identified by the id of their first comment. Other review texts
 * are answered by a comment under the request, and are named by their kind.
 */

export type ThreadName = { kind: "line" | "review" | "comment"; id: string };

export function threadOfReview(id: number): string {
  return `review:${id}`;
}

export function threadOfComment(id: number): string {
  return `comment:${id}`;
}

/** Null if it is not the name of a thread. */
export function parseThread(name: string): ThreadName | null {
  const [, kind, id] = /^(?:(review|comment):)?([1-9]\d{0,18})$/.exec(name) ?? [];
  if (id === undefined) return null;
  return { kind: kind === "review" || kind === "comment" ? kind : "line", id };
}
