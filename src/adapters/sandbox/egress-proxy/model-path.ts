import { type IncomingMessage, type ServerResponse, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { ModelRoute } from "../sandbox.ts";
import { countAnswer, readableEncodings } from "./count-answer.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";

/** Headers in which a program may send a key of its own: never forwarded. */
const KEYS = ["api-key", "authorization", "cookie", "x-api-key", "x-goog-api-key"];

/** The path to a model server, by its number: `/TOKEN/0/v1/messages`. */
export function modelPath(token: string, index: number): string {
  return `/${token}/${index}`;
}

/** Headers by which some servers take a request for another one. */
const OVERRIDES = [
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
  "content-encoding",
];
/** Parameters in which a program may send a key of its own. */
const KEY_PARAMETERS = ["key", "access_token", "oauth_token"];

/** Bytes of requests that are held at a time: all of them, and one. */
const MOST_HELD = 192 * 1024 * 1024;
const MOST_BODY = 64 * 1024 * 1024;

export interface ModelPaths {
  routes: readonly ModelRoute[];
  token: string;
  /** Bytes of requests that are held now. */
  held: { bytes: number };
}

/**
 * Forwards a request to the model server that its path names, if the gateway lets it through, and adds the key, which
 * no program sees (R-WORK-5, R-WORK-13). Answers 404 for a path without a route, and 403 for one that leads out of it.
 */
export async function passToModel(
  incoming: IncomingMessage,
  response: ServerResponse,
  { routes, token, held }: ModelPaths,
): Promise<void> {
  const [, given, index = "", rest = ""] = /^\/([^/?#]*)\/(\d{1,3})((?:[/?#].*)?)$/s.exec(incoming.url ?? "") ?? [];
  const route = given === token ? routes[Number(index)] : undefined;
  if (route === undefined) return answerText(response, 404, "there is nothing at this address");
  const address = addressWithin(route.url, rest);
  if (address === null) return answerText(response, 403, "this path leads out of the model server's address");
  const body = await heldBody(incoming, response, held);
  if (body === null) return answerText(response, 413, "this request, or all of them together, are too large");
  const path = address.pathname.slice(prefixOf(new URL(route.url)).length);
  const entry = route.enter({ method: incoming.method ?? "", path, body });
  if (entry.kind === "refused") {
    if (entry.status === 429) response.setHeader("retry-after", "5");
    return answerText(response, entry.status, entry.reason);
  }
  for (const name of KEY_PARAMETERS) address.searchParams.delete(name);
  const { headers } = requestHeaders(incoming.headers);
  const own = Object.keys(route.headers).map((each) => each.toLowerCase());
  for (const name of [...KEYS, ...OVERRIDES, ...own, "host", "transfer-encoding", "content-length"])
    delete headers[name];
  const request = address.protocol === "https:" ? requestHttps : requestHttp;
  const onward = request(address, {
    method: incoming.method,
    headers: {
      ...headers,
      ...(entry.body.length > 0 && { "content-length": entry.body.length }),
      "accept-encoding": readableEncodings(incoming.headers["accept-encoding"]),
      ...route.headers,
    },
    agent: false,
  });
  countAnswer(onward, response, entry.count);
  forward(response, { onward, body: entry.body, host: address.host });
}

/** The whole body of a request; null where there is no room for it. It counts as held until the request is over. */
async function heldBody(
  incoming: IncomingMessage,
  response: ServerResponse,
  held: ModelPaths["held"],
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on("close", () => {
    held.bytes -= length;
    length = 0;
  });
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    held.bytes += bytes.length;
    if (length > MOST_BODY || held.bytes > MOST_HELD) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const OWN_SCHEMES = new Set(["http:", "https:"]);
/** No legitimate path is encoded more often than this. */
const MOST_DECODINGS = 4;

/**
 * The URL of a model server for a program's path; null where the path would leave the route's URL, also for a server
 * that decodes it once more.
 */
export function addressWithin(base: string, rest: string): URL | null {
  const root = new URL(base);
  const prefix = prefixOf(root);
  const [path = ""] = rest.split(/[?#]/, 1);
  if (!OWN_SCHEMES.has(root.protocol) || leadsUp(path)) return null;
  const address = new URL(root);
  address.pathname = prefix + path;
  address.search = rest.slice(path.length).replace(/#.*$/, "");
  const within = address.origin === root.origin && (prefix === "" || address.pathname.startsWith(`${prefix}/`));
  return within || address.pathname === prefix ? address : null;
}

function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, "");
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
