import { z } from "zod";

/** By how many milliseconds what a tracker lets one read is behind what has happened in an issue. */
export const Lag = z.object({
  /** The only issue or request that it holds for; all where absent. */
  number: z.number().optional(),
  /** Until lists show a comment as it is, or no more. */
  lists: z.number().default(0),
  /** Until the issue itself tells of it: by its number of comments and the time of its last change. */
  count: z.number().default(0),
  /** Until it is so where it is asked for alone. */
  comment: z.number().default(0),
  /** Until an issue that was just opened is found at all. */
  issue: z.number().default(0),
});
export type Lag = z.output<typeof Lag>;
export type Reading = Exclude<keyof Lag, "number">;

const KEPT_MS = 60_000;

/** What of an issue may be seen late. */
interface Thread<C> {
  comments: readonly C[];
  updatedAt: Date;
}

/** Remembers how threads were, for those who read them late. */
export class Lags<C extends object> {
  rules: readonly Lag[] = [];
  readonly #now: () => number;
  readonly #opened = new WeakMap<object, number>();
  readonly #past = new WeakMap<object, { until: number; was: Thread<C> }[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** To be told of each issue that is opened. */
  opens(issue: object): void {
    this.#opened.set(issue, this.#now());
  }

  /** To be told just before a comment is written, changed or taken away. */
  changes(issue: object, { comments, updatedAt }: Thread<C>): void {
    if (this.rules.length === 0) return;
    const now = this.#now();
    const kept = this.#past.get(issue)?.filter(({ until }) => until > now - KEPT_MS) ?? [];
    const was = { comments: comments.map((comment) => ({ ...comment })), updatedAt };
    this.#past.set(issue, [...kept, { until: now, was }]);
  }

  /** The thread as one sees it now who reads it so. */
  seen(issue: object, number: number, reading: Reading, current: Thread<C>): Thread<C> {
    const at = this.#now() - this.#of(number, reading);
    return this.#past.get(issue)?.find(({ until }) => until > at)?.was ?? current;
  }

  /** Whether an issue that was just opened is not found yet. */
  hides(issue: object, number: number): boolean {
    return (this.#opened.get(issue) ?? 0) > this.#now() - this.#of(number, "issue");
  }

  #of(number: number, reading: Reading): number {
    return this.rules.find((rule) => rule.number === undefined || rule.number === number)?.[reading] ?? 0;
  }
}
