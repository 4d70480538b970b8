import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BucketAccess } from "../../src/adapters/spec-stores/bucket.ts";
import { serveOnLoopback } from "./loopback.ts";

/** What a server of buckets may do besides what is right. */
export interface BucketServer {
  access: BucketAccess;
  /** By key, with the bucket's name before it. */
  objects: Map<string, { bytes: Buffer; at: Date }>;
  /** Methods and targets of the requests that came. */
  seen: string[];
  /** Objects in one page of a list. */
  page: number;
  /** Takes any object in place of another, whatever the condition. */
  ignoresConditions: boolean;
  /** Answers instead where it returns true; called before (`in`) or after (`out`) the request took effect. */
  instead: (when: "in" | "out", request: IncomingMessage, response: ServerResponse) => boolean;
}

const KEYS = { accessKeyId: "RELAYTEST", secretAccessKey: "a/secret+of=tests" };

/** A server that speaks as much of S3 as spec stores use: signatures, conditional PUT, GET, DELETE, ListObjectsV2. */
export async function serveBucket(bucket: string, region = "eu-central-1"): Promise<BucketServer> {
  const server: BucketServer = {
    access: { ...KEYS, sessionToken: "a session", region, endpoint: "" },
    objects: new Map(),
    seen: [],
    page: 1_000,
    ignoresConditions: false,
    instead: () => false,
  };
  server.access.endpoint = await serveOnLoopback(async (request, response) => {
    server.seen.push(`${request.method} ${request.url}`);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const url = new URL(request.url ?? "/", "http://loopback");
    const place = decodeURIComponent(url.pathname).slice(1);
    const body = Buffer.concat(parts);
    const fault = faultIn(request, url, { body, region });
    if (fault !== null) return refuse(response, 403, fault);
    if (place.split("/")[0] !== bucket) return refuse(response, 404, "NoSuchBucket");
    if (server.instead("in", request, response)) return;
    const answer = carriedOut(server, request, { place, url, body });
    if (server.instead("out", request, response)) return;
    answer(response);
  });
  return server;
}

type Answer = (response: ServerResponse) => void;

function carriedOut(
  server: BucketServer,
  request: IncomingMessage,
  { place, url, body }: { place: string; url: URL; body: Buffer },
): Answer {
  const { objects } = server;
  const found = objects.get(place);
  switch (request.method) {
    case "PUT": {
      const isTaken = request.headers["if-none-match"] === "*" && found !== undefined;
      if (isTaken && !server.ignoresConditions) return (to) => refuse(to, 412, "PreconditionFailed");
      objects.set(place, { bytes: body, at: new Date() });
      return (to) => to.writeHead(200).end();
    }
    case "GET":
      if (url.searchParams.get("list-type") === "2") return (to) => to.end(listed(server, place, url.searchParams));
      if (found === undefined) return (to) => refuse(to, 404, "NoSuchKey");
      return (to) => to.writeHead(200, { "last-modified": found.at.toUTCString() }).end(found.bytes);
    case "DELETE":
      objects.delete(place);
      return (to) => to.writeHead(204).end();
    default:
      return (to) => refuse(to, 405, "MethodNotAllowed");
  }
}

function listed({ objects, page }: BucketServer, place: string, query: URLSearchParams): string {
  const bucket = `${place.split("/")[0]}/`;
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()]
    .map((key) => key.slice(bucket.length))
    .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
    .toSorted();
  const shown = keys.slice(0, page);
  const next = keys.length > page ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  const contents = shown.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
  const isMore = `<IsTruncated>${next !== ""}</IsTruncated>`;
  return `<?xml version="1.0"?><ListBucketResult>${isMore}${next}${contents}</ListBucketResult>`;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}

/** What is wrong with the signature (version 4) of a request; null if it is right. */
function faultIn(
  { method = "", headers }: IncomingMessage,
  url: URL,
  { body, region }: { body: Buffer; region: string },
): string | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/([^/]+)\/s3\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, scope = "", where, names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  if (id !== KEYS.accessKeyId) return "InvalidAccessKeyId";
  if (where !== region) return "AuthorizationHeaderMalformed";
  const hash = String(headers["x-amz-content-sha256"] ?? "");
  if (hash !== "UNSIGNED-PAYLOAD" && hash !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const signed = names.split(";");
  const must = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  if (headers["if-none-match"] !== undefined) must.push("if-none-match");
  if (!must.every((name) => signed.includes(name))) return "AccessDenied";
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).toSorted();
  const path = decodeURIComponent(url.pathname).split("/").map(escaped).join("/");
  const lines = signed.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`).join("");
  const canonical = [method, path, query.join("&"), lines, names, hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  let key: Buffer | string = `AWS4${KEYS.secretAccessKey}`;
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(text).digest("hex") === signature ? null : "SignatureDoesNotMatch";
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
