import QuickLRU from "quick-lru";

/** Longer texts are not cached. */
const LONGEST_KNOWN = 4_000;

/** Caches `read`, a pure function, for the most recent texts: at each wake-up, several gates read the thread again. */
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
