import type { Clock } from "../lib/clock.ts";
import { type Tries, TRIES_MS, areTooManyTries, areTriesUsedUp } from "../storage/logins.ts";
import type { Db } from "../storage/db.ts";

/** Counts the failed logins of addresses (R-SAFE-4). */
export interface LoginAttempts {
  /** Whether the next try would be one too many; counts nothing. */
  areUsedUp(tries: Tries): Promise<boolean>;
  /** Counts a try; true if those of the last minute are too many. */
  areTooMany(tries: Tries): Promise<boolean>;
}

/** In the database, for all processes. */
export function storedAttempts(db: Db, clock: Clock): LoginAttempts {
  return {
    areUsedUp: async (tries) => await areTriesUsedUp(db, tries, clock),
    areTooMany: async (tries) => await areTooManyTries(db, tries, clock),
  };
}

/** In this process, for a server that may have no database. */
export function attemptsInMemory(clock: Clock): LoginAttempts {
  const known = new Map<string, number[]>();
  const recent = ({ address, kind }: Tries) => {
    const key = `${kind} ${address}`;
    const since = clock.now().getTime() - TRIES_MS;
    const times = (known.get(key) ?? []).filter((at) => at >= since);
    known.delete(key);
    if (times.length > 0) known.set(key, times);
    return { key, times };
  };
  return {
    areUsedUp: async (tries) => await Promise.resolve(recent(tries).times.length >= tries.most),
    areTooMany: async (tries) => {
      const { key, times } = recent(tries);
      known.set(key, [...times, clock.now().getTime()]);
      return await Promise.resolve(times.length + 1 > tries.most);
    },
  };
}
