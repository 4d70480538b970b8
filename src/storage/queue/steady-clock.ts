import { type Clock, systemClock } from "pg-boss";

/**
 * A steady clock for the job engine, unaffected by changes to the machine's clock. With the usual one, an engine whose
 * clock is set back checks for jobs of dead processes only once the old time is reached again. The time of day comes
 * from the database.
 */
export const steadyClock: Clock = {
  ...systemClock,
  now: () => Math.floor(performance.timeOrigin + performance.now()),
};
