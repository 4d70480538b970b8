/*
 * GitHub has threads at lines of a pull request only, which are called by the id of their first comment. What else is
 * said there is answered by a comment under the request, and is called by what it is.
 */

export type ThreadName = { kind: "line" | "review" | "comment"; id: string };

export function threadOfReview(id: number): string {
  return `review:${id}`;
}

export function threadOfComment(id: number): string {
  return `comment:${id}`;
}

/** Null for what is no name of a thread. */
export function parseThread(name: string): ThreadName | null {
  const [, kind, id] = /^(?:(review|comment):)?([1-9]\d{0,18})$/.exec(name) ?? [];
  if (id === undefined) return null;
  return { kind: kind === "review" || kind === "comment" ? kind : "line", id };
}
