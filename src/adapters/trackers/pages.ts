import type { TrackerRequest, TrackerResponse } from "./http/http.ts";

/** A call in the name of one holder of credentials; its quota follows from that. */
export type Call = (request: Omit<TrackerRequest, "quota">) => Promise<TrackerResponse>;

/**
 * The answers of a list, page after page, until there is no next one or `most` were read. Each page is asked for only
 * when it is wanted.
 */
export async function* pages(call: Call, first: Parameters<Call>[0], most: number): AsyncGenerator {
  let request = first;
  for (let page = 0; page < most; page += 1) {
    const answer = await call(request);
    yield answer.body;
    if (answer.next === null) return;
    request = { method: "GET", path: answer.next };
  }
}
