import QuickLRU from "quick-lru";

/** A cached response that the tracker may confirm with 304. */
export interface KeptAnswer {
  etag: string;
  status: number;
  headers: Headers;
  /** Parsed on each use, so that callers cannot mutate each other's result. */
  text: string;
}

const ENTRIES = 1_000;
const BYTES = 32 * 1024 * 1024;
const LARGEST = 1024 * 1024;
/** The page size without `per_page` is unknown; GitLab's default is the smallest. */
const DEFAULT_PAGE = 20;
const LARGEST_PAGE = 100;

/** An LRU cache of responses to GET, bounded in entries and bytes. */
export class KeptAnswers {
  readonly #answers: QuickLRU<string, KeptAnswer>;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ entries = ENTRIES, bytes = BYTES }: { entries?: number; bytes?: number } = {}) {
    this.#maxBytes = bytes;
    this.#answers = new QuickLRU({
      // It holds up to twice as many.
      maxSize: Math.max(1, Math.floor(entries / 2)),
      onEviction: (key, answer) => {
        this.#bytes -= weightOf(key, answer);
      },
    });
  }

  /** Upper bound of the bytes held, at two bytes per character of text. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#answers.size;
  }

  find(key: string): KeptAnswer | undefined {
    return this.#answers.get(key);
  }

  keep(key: string, answer: KeptAnswer): void {
    this.forget(key);
    const weight = weightOf(key, answer);
    if (weight > Math.min(LARGEST, this.#maxBytes)) return;
    this.#answers.set(key, answer);
    this.#bytes += weight;
    while (this.#bytes > this.#maxBytes && this.#answers.size > 0) this.#answers.evict(1);
  }

  forget(key: string): void {
    const earlier = this.#answers.peek(key);
    if (earlier === undefined) return;
    this.#answers.delete(key);
    this.#bytes -= weightOf(key, earlier);
  }
}

function weightOf(key: string, { text, etag }: KeptAnswer): number {
  return 2 * (key.length + etag.length + text.length) + 1_000;
}

/**
 * Whether a later 304 could hide a change. Trackers derive the ETag of a list from its body, without the `Link`: a full
 * last page stays the same when another page follows it.
 */
export function mayHideNextPage(content: unknown, next: string | null, url: URL): boolean {
  if (next !== null || !Array.isArray(content)) return false;
  const wanted = Number(url.searchParams.get("per_page") ?? DEFAULT_PAGE);
  return content.length >= Math.min(Number.isInteger(wanted) && wanted > 0 ? wanted : 1, LARGEST_PAGE);
}
