/**
 * Makes a value when it is first asked for, and keeps it: what takes tens of milliseconds to make, such as the phrases of
 * many languages, waits until a command needs it.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
