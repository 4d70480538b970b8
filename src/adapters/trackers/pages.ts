import type { TrackerRequest, TrackerResponse } from "./http/http.ts";

/** A call with fixed credentials, which determine its quota. */
export type Call = (request: Omit<TrackerRequest, "quota">) => Promise<TrackerResponse>;

/**
 * The responses of a list, page by page, until there is no next one or `most` were read. Lazy: each page is fetched on
 * demand.
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
