import { eachDefinition } from "./definitions.ts";
import { definitionTerm, eachTerm } from "./terms.ts";
import type { Term } from "./terms.ts";

/** The terms of one text and how often each stands in it. */
export interface CountedTerms {
  terms: Uint32Array;
  /** Parallel to `terms`; 255 means that often or more. */
  counts: Uint8Array;
  /** All occurrences together. */
  length: number;
}

const SLOTS = 1 << 16;
/** Distinct terms kept of one text; a text with more is a word list. */
const MOST_TERMS = 20_000;

/** Counts terms text after text in one table, which is emptied in the time of what was put in. */
export class TermCounter {
  readonly #terms = new Uint32Array(SLOTS);
  readonly #counts = new Uint8Array(SLOTS);
  readonly #used = new Uint32Array(MOST_TERMS);
  #distinct = 0;
  #length = 0;

  /** Terms of a text, and those that say what it defines. */
  count(bytes: Uint8Array): CountedTerms {
    const add = (term: Term) => this.#add(term);
    eachTerm(bytes, 0, bytes.length, add);
    const length = this.#length;
    eachDefinition(bytes, (start, end) => add(definitionTerm(bytes, start, end)));
    const counted = this.#take();
    return { ...counted, length };
  }

  #add(term: Term): void {
    this.#length += 1;
    let slot = (term ^ (term >>> 16)) & (SLOTS - 1);
    for (;;) {
      const count = this.#counts[slot] ?? 0;
      if (count === 0) {
        if (this.#distinct === MOST_TERMS) return;
        this.#terms[slot] = term;
        this.#counts[slot] = 1;
        this.#used[this.#distinct] = slot;
        this.#distinct += 1;
        return;
      }
      if (this.#terms[slot] === term) {
        if (count < 255) this.#counts[slot] = count + 1;
        return;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
  }

  #take(): { terms: Uint32Array; counts: Uint8Array } {
    const terms = new Uint32Array(this.#distinct);
    const counts = new Uint8Array(this.#distinct);
    for (let at = 0; at < this.#distinct; at += 1) {
      const slot = this.#used[at] ?? 0;
      terms[at] = this.#terms[slot] ?? 0;
      counts[at] = this.#counts[slot] ?? 0;
      this.#counts[slot] = 0;
    }
    this.#distinct = 0;
    this.#length = 0;
    return { terms, counts };
  }
}
