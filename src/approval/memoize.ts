import QuickLRU from "quick-lru";

/** Of longer texts nothing is kept. */
const LONGEST_KNOWN = 4_000;

/** A thread is read again at each wake-up, by several gates: `read`, a pure function, sees each of the last texts once. */
export function memoize<T>(read: (text: string) => T): (text: string) => T {
  const known = new QuickLRU<string, { result: T }>({ maxSize: 1_000 });
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.result;
    const result = read(text);
    if (text.length <= LONGEST_KNOWN) known.set(text, { result });
    return result;
  };
}
