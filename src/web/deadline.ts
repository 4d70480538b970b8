import { sleep } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";

/** The result of `work`, or an error `timeout` after `ms` milliseconds; what is under way then goes on unheard. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, done.signal).then(() => {
    throw new RelayError("timeout", `${what} took longer than ${ms / 1000} s`);
  });
  // Nobody is listening to the one that loses.
  late.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
