import { RelayError } from "../lib/errors.ts";

/** The result of `work`, or an error `timeout` after `ms` milliseconds; what is under way then goes on unheard. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const late = () => reject(new RelayError("timeout", `${what} took longer than ${ms / 1000} s`));
    const timer = setTimeout(late, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
