import { z } from "zod";

/** What keeps a run from going on and passes by itself: its model, or the network of its set-up (R-WORK-15). */
export interface Trouble {
  of: "model" | "network";
  /** One sentence without its full stop: `anthropic/claude-sonnet-4-5 is overloaded (529)`. */
  why: string;
  /** Milliseconds that the model's server asked to wait; null if it asked nothing. */
  retryAfterMs: number | null;
}

/** An outage that a run waits out. It ends with the first attempt that gets through. */
export const outageSchema = z.object({
  of: z.enum(["model", "network"]),
  why: z.string(),
  since: z.coerce.date(),
  /** Attempts that met it so far. */
  tries: z.number(),
  /** When the run tries again. */
  until: z.coerce.date(),
});
export type Outage = z.infer<typeof outageSchema>;

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/** A server may ask for more than Relay's own waits, but not for more than this. */
const LONGEST_ASKED_MS = 3_600_000;
const MOST_MS = 24 * 3_600_000;
const TOLD_AFTER_MS = 3_600_000;

/** The outage after one more attempt that met it, with the next wait; null once it has lasted for a day. */
export function nextOutage(before: Outage | null, { of, why, retryAfterMs }: Trouble, now: Date): Outage | null {
  const since = before?.since ?? now;
  if (now.getTime() - since.getTime() >= MOST_MS) return null;
  const tries = (before?.tries ?? 0) + 1;
  const doubled = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  const waitMs = Math.max(doubled, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
  return { of, why, since, tries, until: new Date(now.getTime() + waitMs) };
}

/** Whether people should know of the outage: a short one concerns nobody. */
export function isLong({ since }: Outage, now: Date): boolean {
  return now.getTime() - since.getTime() >= TOLD_AFTER_MS;
}
