import { request as requestHttp } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { ModelRoute } from "../sandbox.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";
import { addressWithin } from "./model-path.ts";

/** What a program may know for a key: it is never passed on. */
const KEYS = ["api-key", "authorization", "cookie", "x-api-key", "x-goog-api-key"];

/** The way to a model server, by its number: `/TOKEN/0/v1/messages`. */
export function modelPath(token: string, index: number): string {
  return `/${token}/${index}`;
}

/**
 * Passes a request on to the model server that its path names, with the key, which no program sees (R-WORK-5). Answers
 * 404 for a path of no route, and 403 for one that leads out of it.
 */
export function passToModel(
  incoming: IncomingMessage,
  response: ServerResponse,
  { routes, token }: { routes: readonly ModelRoute[]; token: string },
): void {
  const [, given, index = "", rest = ""] = /^\/([^/?#]*)\/(\d{1,3})((?:[/?#].*)?)$/s.exec(incoming.url ?? "") ?? [];
  const route = given === token ? routes[Number(index)] : undefined;
  if (route === undefined) {
    answerText(response, 404, "there is nothing at this address");
    return;
  }
  const address = addressWithin(route.url, rest);
  if (address === null) {
    answerText(response, 403, "this path leads out of the model server's address");
    return;
  }
  const { headers, hasBody } = requestHeaders(incoming.headers);
  for (const name of [...KEYS, "host", ...Object.keys(route.headers).map((each) => each.toLowerCase())]) {
    delete headers[name];
  }
  const request = address.protocol === "https:" ? requestHttps : requestHttp;
  const onward = request(address, {
    method: incoming.method,
    headers: { ...headers, ...route.headers },
    agent: false,
  });
  forward(incoming, response, { onward, hasBody, host: address.host });
}
