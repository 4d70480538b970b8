import { type IncomingMessage, type ServerResponse, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { ModelRoute } from "../sandbox.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";

/** Headers in which a program may send a key of its own: never forwarded. */
const KEYS = ["api-key", "authorization", "cookie", "x-api-key", "x-goog-api-key"];

/** The path to a model server, by its number: `/TOKEN/0/v1/messages`. */
export function modelPath(token: string, index: number): string {
  return `/${token}/${index}`;
}

/**
 * Forwards a request to the model server that its path names, and adds the key, which no program sees (R-WORK-5).
 * Answers 404 for a path without a route, and 403 for one that leads out of it.
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

const OWN_SCHEMES = new Set(["http:", "https:"]);
/** No legitimate path is encoded more often than this. */
const MOST_DECODINGS = 4;

/**
 * The URL of a model server for a program's path; null where the path would leave the route's URL, also for a server that
 * decodes it once more.
 */
export function addressWithin(base: string, rest: string): URL | null {
  const root = new URL(base);
  const prefix = root.pathname.replace(/\/+$/, "");
  const [path = ""] = rest.split(/[?#]/, 1);
  if (!OWN_SCHEMES.has(root.protocol) || leadsUp(path)) return null;
  const address = new URL(root);
  address.pathname = prefix + path;
  address.search = rest.slice(path.length).replace(/#.*$/, "");
  const within = address.origin === root.origin && (prefix === "" || address.pathname.startsWith(`${prefix}/`));
  return within || address.pathname === prefix ? address : null;
}

function leadsUp(path: string): boolean {
  let seen = path;
  for (let round = 0; round < MOST_DECODINGS; round += 1) {
    if (seen.split(/[/\\]/).some((segment) => segment === ".." || segment === ".")) return true;
    const decoded = decode(seen);
    if (decoded === seen) return false;
    if (decoded === null) return true;
    seen = decoded;
  }
  return true;
}

/** Null for a malformed encoding, which no server accepts either. */
function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
