/** A host that a program did not reach, and why, for people. */
export interface RefusedHost {
  host: string;
  reason: string;
  /** Whether naming the host in `work.network` would let it through. */
  unlisted: boolean;
}

const MOST = 200;
const LONGEST = 255;

/** Each refusal once, in the order of the first; bounded, since a program can ask for anything. */
export class Refusals {
  readonly #refused = new Map<string, RefusedHost>();

  add({ host, reason, unlisted }: RefusedHost): void {
    const shown = { host: shownHost(host), reason, unlisted };
    const key = `${shown.host} ${reason}`;
    if (this.#refused.size < MOST && !this.#refused.has(key)) this.#refused.set(key, shown);
  }

  list(): readonly RefusedHost[] {
    return [...this.#refused.values()];
  }
}

/** A name that a program gave, with only the characters of host names: people read it. */
export function shownHost(host: string): string {
  return host.slice(0, LONGEST).replaceAll(/[^\w.:*[\]-]/g, "?");
}
