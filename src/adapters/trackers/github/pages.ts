import type { TrackerResponse } from "../http/http.ts";

/**
 * The answers of a list, page after page, until there is no next one or `most` were read. Each page is asked for only
 * when it is wanted.
 */
export async function* pages(ask: (address: string | null) => Promise<TrackerResponse>, most: number): AsyncGenerator {
  let address: string | null = null;
  for (let page = 0; page < most; page += 1) {
    const answer: TrackerResponse = await ask(address);
    yield answer.body;
    if (answer.next === null) return;
    address = answer.next;
  }
}
