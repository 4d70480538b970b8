const MOST = 200;
const LONGEST = 255;

/** Hosts that were refused, each once, in the order of the first refusal; bounded, since a program can ask for anything. */
export class Refusals {
  readonly #hosts = new Set<string>();

  add(host: string): void {
    // Nothing but what names are made of: people read it.
    if (this.#hosts.size < MOST) this.#hosts.add(host.slice(0, LONGEST).replaceAll(/[^\w.:*[\]-]/g, "?"));
  }

  list(): readonly string[] {
    return [...this.#hosts];
  }
}
