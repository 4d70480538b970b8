import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** Hop-by-hop headers: they concern one connection only. */
const HOP_BY_HOP = new Set([
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

/** The end-to-end headers: without hop-by-hop ones, and those named by the `connection` header. */
export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) passed[name] = value;
  }
  return passed;
}

/** The headers to forward with a request, and whether it has a body: one without a length is sent chunked. */
export function requestHeaders(headers: IncomingHttpHeaders): { headers: OutgoingHttpHeaders; hasBody: boolean } {
  const passed = passedOn(headers);
  if (headers["transfer-encoding"] !== undefined) {
    delete passed["content-length"];
    passed["transfer-encoding"] = "chunked";
  }
  const hasBody = passed["transfer-encoding"] !== undefined || passed["content-length"] !== undefined;
  return { headers: passed, hasBody };
}
