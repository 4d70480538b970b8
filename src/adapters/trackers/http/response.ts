import type { TrackerRequest, TrackerResponse } from "./http.ts";
import { nextPage } from "./link.ts";
import { contentOf } from "./read-answer.ts";
import type { Answer } from "./send.ts";

/**
 * What was kept, with the newer headers: page links, and how many there are in all, change without the body. What a 304
 * says of its content is about its own, which is empty.
 */
export function confirmed(kept: Answer, answer: Answer): Answer {
  const headers = new Headers(kept.headers);
  for (const [name, value] of answer.headers) if (!name.startsWith("content-")) headers.set(name, value);
  return { status: kept.status, headers, text: kept.text };
}

/** A successful answer, parsed; throws `unavailable` where it cannot be read. */
export function responseOf(
  request: TrackerRequest,
  url: URL,
  { status, headers, text }: Answer,
  call: string,
): TrackerResponse {
  const body = contentOf(text, { status, headers }, request.as, call);
  return { status, headers, body, next: nextPage(headers.get("link"), url) };
}
