import { RelayError } from "../lib/errors.ts";

/** The result of `work`, or a `timeout` error after `ms` milliseconds; the work itself is not cancelled. */
export async function withTimeout<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const late = () => reject(new RelayError("timeout", `${what} took longer than ${ms / 1000} s`));
    const timer = setTimeout(late, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
