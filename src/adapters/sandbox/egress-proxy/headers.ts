import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** Headers that are about one connection, and end with it. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers to pass on, without those that are the connection's own, or named by its `connection` header. */
export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OF_THE_CONNECTION.has(name) && !named.has(name)) passed[name] = value;
  }
  return passed;
}

/** The headers of a request to pass on, and whether it has a body: without a length one is framed anew. */
export function requestHeaders(headers: IncomingHttpHeaders): { headers: OutgoingHttpHeaders; hasBody: boolean } {
  const passed = passedOn(headers);
  if (headers["transfer-encoding"] !== undefined) {
    delete passed["content-length"];
    passed["transfer-encoding"] = "chunked";
  }
  const hasBody = passed["transfer-encoding"] !== undefined || passed["content-length"] !== undefined;
  return { headers: passed, hasBody };
}
