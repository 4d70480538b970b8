import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";

/** The result of one check of `relay doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** How to fix it; of a check that is ok, what to look at: nothing fails by it. */
  mend?: string;
}

/** Makes all checks; calls `report` after each. */
export type Examine = (report: (check: Check) => void) => Promise<unknown>;

/** What the last look found; of one under way, what it has found so far. */
export interface Looked {
  /** When the look began; null before the first. */
  at: Date | null;
  looking: boolean;
  checks: readonly Check[];
}

/** The checks of `relay doctor` for who looks at a page: made beside it, since a tracker may be slow to answer. */
export interface Doctor {
  /** What is known; begins a look if that is some minutes old, and waits for none. */
  known(): Looked;
  /** Begins a look, unless one is under way. */
  look(): void;
}

/** How long what was found is shown before the next look, and how long a look may take, in milliseconds. */
const FRESH_MS = 10 * 60_000;
const LONGEST_MS = 3 * 60_000;

export function openDoctor(examine: Examine, { clock }: { clock: Clock }): Doctor {
  let last: { at: Date; looking: boolean; checks: Check[] } | null = null;
  const ageMs = () => clock.now().getTime() - (last?.at.getTime() ?? 0);
  const look = () => {
    // What takes so long does not come back: the next one begins anew.
    if (last?.looking === true && ageMs() < LONGEST_MS) return;
    const mine = { at: clock.now(), looking: true, checks: [] as Check[] };
    last = mine;
    void examine((check) => mine.checks.push(check))
      .catch((error: unknown) => mine.checks.push({ name: "doctor", ok: false, detail: messageOf(error) }))
      .finally(() => {
        mine.looking = false;
      });
  };
  return {
    known: () => {
      if (last === null || (!last.looking && ageMs() > FRESH_MS)) look();
      return last ?? { at: null, looking: false, checks: [] };
    },
    look,
  };
}
