/** A host that a program did not reach, and why, for people. */
export interface RefusedHost {
  host: string;
  reason: string;
  /** Whether naming the host in `work.network` would let it through. */
  unlisted: boolean;
}

const MOST = 200;
const LONGEST = 255;

/** What programs did not reach: bounded, since a program can ask for anything. */
export class Refusals {
  readonly #refused = new Map<string, RefusedHost>();
  readonly #unreached: string[] = [];

  add({ host, reason, unlisted }: RefusedHost): void {
    const shown = { host: shownHost(host), reason, unlisted };
    const key = `${shown.host} ${reason}`;
    if (this.#refused.size < MOST && !this.#refused.has(key)) this.#refused.set(key, shown);
  }

  /** Each refusal once, in the order of the first. */
  list(): readonly RefusedHost[] {
    return [...this.#refused.values()];
  }

  /** An allowed host that could not be reached: one more attempt, in words. */
  addUnreached(why: string): void {
    if (this.#unreached.length < MOST) this.#unreached.push(why);
  }

  unreached(): readonly string[] {
    return [...this.#unreached];
  }
}

/** A name that a program gave, with only the characters of host names: people read it. */
export function shownHost(host: string): string {
  return host.slice(0, LONGEST).replaceAll(/[^\w.:*[\]-]/g, "?");
}
