import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";

/** The result of one check of `relay doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** How to fix it; for a check that is ok, what to look at: it fails nothing. */
  mend?: string;
}

/** Makes all checks; calls `report` after each. */
export type Examine = (report: (check: Check) => void) => Promise<unknown>;

/** The results of the last examination, or the results so far of one that is running. */
export interface Looked {
  /** Start of the examination; null before the first. */
  at: Date | null;
  looking: boolean;
  checks: readonly Check[];
}

/**
 * The checks of `relay doctor` for the health page: they run in the background, since a tracker may be slow to answer.
 */
export interface Doctor {
  /** The known results. Starts an examination if they are some minutes old, and does not wait for it. */
  known(): Looked;
  /** Starts an examination, unless one is running. */
  look(): void;
}

/** Milliseconds for which results are fresh, and that an examination may take. */
const FRESH_MS = 10 * 60_000;
const LONGEST_MS = 3 * 60_000;

export function openDoctor(examine: Examine, { clock }: { clock: Clock }): Doctor {
  let last: { at: Date; looking: boolean; checks: Check[] } | null = null;
  const ageMs = () => clock.now().getTime() - (last?.at.getTime() ?? 0);
  const look = () => {
    // An examination that takes longer hangs: start another one.
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
