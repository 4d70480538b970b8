import { type Clock, systemClock } from "pg-boss";

/**
 * Time for the job engine that goes on evenly, whatever is done to the clock of the machine. With the usual one, an
 * engine whose clock is set back looks for jobs of processes that died no sooner than the old time has come again.
 * What the time is, it takes from the database.
 */
export const steadyClock: Clock = {
  ...systemClock,
  now: () => Math.floor(performance.timeOrigin + performance.now()),
};
