import { AwsClient } from "aws4fetch";
import { bucketPlace } from "./bucket-name.ts";
import { RelayError, messageOf, systemCode, type ErrorCode } from "../../lib/errors.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** How an S3-compatible server is reached; `endpoint` is null for AWS. */
export interface BucketAccess {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
  region: string;
  endpoint: string | null;
}

/** A bucket below a prefix. Objects are created once and never changed. Keys are relative to the prefix. */
export interface Bucket {
  /** `too_large` for an object over `limit` bytes; null without one. */
  read(key: string, limit: number): Promise<{ bytes: Buffer; at: Date } | null>;
  /** Creates an object whole, or not at all; false if there is one already, or somebody else is just creating it. */
  create(key: string, content: string): Promise<boolean>;
  /** All keys that begin with `start`. */
  list(start: string): Promise<string[]>;
  remove(key: string): Promise<void>;
}

interface Options {
  /** `s3://BUCKET/PREFIX` */
  name: string;
  access: BucketAccess;
  sleep: (ms: number) => Promise<void>;
  /** For one request with its answer, in milliseconds. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

const TIMEOUT_MS = 30_000;
/** Pauses between the tries of a request that may be repeated. */
const PAUSES_MS = [500, 2_000];
const MOST_LISTED_BYTES = 4 * 1024 * 1024;
/** 409: another create of the same object is under way (AWS). */
const TAKEN = new Set([409, 412]);

/**
 * A bucket of an S3-compatible server. Only creates carry a condition, `If-None-Match: *`, which all servers that know
 * conditions decide alike. A create whose answer was lost is settled by reading the object back (R-ACT-5).
 */
export function openBucket({ name, access, sleep, timeoutMs = TIMEOUT_MS, fetch: send = fetch }: Options): Bucket {
  const { bucket, prefix } = bucketPlace(name);
  const base = baseOf(bucket, access);
  const { accessKeyId, secretAccessKey, sessionToken, region } = access;
  // It only signs: its own `fetch` would repeat what the server may have carried out.
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    service: "s3",
    region,
  });

  /** Sends one request once; answers outside of `fine` are thrown. */
  async function call(
    method: string,
    url: string,
    { limit, fine = [], ...init }: { limit: number; fine?: number[]; headers?: Record<string, string>; body?: string },
  ): Promise<Answer> {
    const doing = `${method} ${decodeURIComponent(new URL(url).pathname)}`;
    try {
      const request = await signer.sign(url, { method, ...init });
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await send(request, { redirect: "manual", signal });
      const bytes = await upTo(response, limit, doing);
      const { status, headers } = response;
      if (response.ok || fine.includes(status)) return { status, headers, bytes };
      throw refused(name, doing, { status, headers, bytes }, region);
    } catch (error) {
      throw broken(name, doing, error, timeoutMs);
    }
  }

  const addressOf = (key: string) => `${base}/${[...prefix, ...key.split("/")].map(encodeURIComponent).join("/")}`;

  async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
    for (const pause of PAUSES_MS) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof RelayError && error.retryable)) throw error;
        await sleep(error.retryAfterMs ?? pause);
      }
    }
    return await attempt();
  }

  const readOnce: Bucket["read"] = async (key, limit) => {
    const { status, headers, bytes } = await call("GET", addressOf(key), { limit, fine: [404] });
    if (status === 404) {
      if (codeIn(bytes) === "NoSuchBucket") throw noBucket(name);
      return null;
    }
    const at = new Date(headers.get("last-modified") ?? 0);
    return { bytes, at: Number.isNaN(at.getTime()) ? new Date(0) : at };
  };

  async function createOnce(key: string, content: string): Promise<boolean> {
    const headers = {
      "if-none-match": "*",
      "content-type": "text/markdown; charset=utf-8",
      "x-amz-content-sha256": sha256Of(content),
    };
    try {
      const fine = [...TAKEN];
      const { status } = await call("PUT", addressOf(key), { limit: MOST_LISTED_BYTES, fine, headers, body: content });
      return !TAKEN.has(status);
    } catch (error) {
      if (!(error instanceof RelayError && error.retryable)) throw error;
      const there = await readOnce(key, Buffer.byteLength(content)).catch((cause: unknown) => {
        if (cause instanceof RelayError && cause.code === "too_large") return { bytes: Buffer.alloc(0) };
        throw cause;
      });
      if (there === null) throw error;
      return there.bytes.equals(Buffer.from(content));
    }
  }

  return {
    read: async (key, limit) => await patiently(async () => await readOnce(key, limit)),
    create: async (key, content) => await patiently(async () => await createOnce(key, content)),
    list: async (start) => {
      const keys: string[] = [];
      const above = prefix.map((part) => `${part}/`).join("");
      let next: string | null = null;
      do {
        const query = new URLSearchParams({ "list-type": "2", prefix: above + start });
        if (next !== null) query.set("continuation-token", next);
        // A space would be signed as %20 and sent as +.
        const url = `${base}/?${query.toString().replaceAll("+", "%20")}`;
        const { bytes } = await patiently(async () => await call("GET", url, { limit: MOST_LISTED_BYTES }));
        const page = pageIn(bytes);
        keys.push(...page.keys.filter((key) => key.startsWith(above)).map((key) => key.slice(above.length)));
        next = page.next;
      } while (next !== null);
      return keys;
    },
    remove: async (key) => {
      await patiently(async () => await call("DELETE", addressOf(key), { limit: MOST_LISTED_BYTES, fine: [404] }));
    },
  };
}

/** By path at other servers, and where dots in the name would not fit the certificate. */
function baseOf(bucket: string, { endpoint, region }: BucketAccess): string {
  if (endpoint !== null) return `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  return bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

async function upTo({ body, ok }: Response, limit: number, doing: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const most = ok ? limit : 64 * 1024;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > most && !ok) break;
    if (size > most) throw new RelayError("too_large", `the answer to ${doing} has more than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const CONTINUED = /<NextContinuationToken>([^<]{1,2000})<\/NextContinuationToken>/;

/** Keys of specs have no characters that XML would escape. */
function pageIn(bytes: Buffer): { keys: string[]; next: string | null } {
  const text = bytes.toString("utf8");
  if (!text.includes("<ListBucketResult")) throw new RelayError("unavailable", "the bucket's list cannot be read");
  const keys = [...text.matchAll(/<Key>([^<]{1,1024})<\/Key>/g)].map(([, key = ""]) => key);
  const token = CONTINUED.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? null;
  return { keys, next: text.includes("<IsTruncated>true</IsTruncated>") ? token : null };
}

/** S3's name for what is wrong. */
function codeIn(bytes: Buffer): string | null {
  return /<Code>(\w{1,60})<\/Code>/.exec(bytes.toString("utf8"))?.[1] ?? null;
}

function noBucket(name: string): RelayError {
  return new RelayError("config", `there is no bucket for ${name}; create it, or set spec_store to another one`);
}

const REGION_REFUSALS = new Set(["AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect"]);

function refused(name: string, doing: string, { status, headers, bytes }: Answer, region: string): RelayError {
  const code = codeIn(bytes);
  const what = `${name} answered ${doing} with ${status}${code === null ? "" : ` (${code})`}`;
  const isElsewhere = (status >= 300 && status < 400) || REGION_REFUSALS.has(code ?? "");
  if (code === "NoSuchBucket") return noBucket(name);
  if (isElsewhere) {
    const right = headers.get("x-amz-bucket-region") ?? "its region";
    return new RelayError("config", `${what}: it is not in ${region}; set AWS_REGION to ${right}`, { status });
  }
  if (code === "RequestTimeTooSkewed") {
    return new RelayError("config", `${what}; set the clock of this machine right`, { status });
  }
  if (status === 401 || status === 403) {
    const mend = "let these keys list the bucket and get, put and delete objects in it, and check AWS_ACCESS_KEY_ID";
    return new RelayError("forbidden", `${what}; ${mend}`, { status });
  }
  const after = Number(headers.get("retry-after"));
  const retryAfterMs = after > 0 && after <= 60 ? { retryAfterMs: after * 1_000 } : {};
  const known: ErrorCode = status === 429 ? "rate_limited" : status >= 500 ? "unavailable" : "invalid";
  const mend = known === "invalid" ? "check AWS_ENDPOINT_URL" : "try again later";
  return new RelayError(known, `${what}; ${mend}`, { status, ...retryAfterMs });
}

/** A request without a whole answer. */
function broken(name: string, doing: string, error: unknown, timeoutMs: number): RelayError {
  if (error instanceof RelayError) return error;
  const what = `${doing} at ${name}`;
  if (error instanceof Error && error.name === "TimeoutError") {
    return new RelayError("timeout", `${what} was not answered within ${timeoutMs} ms; try again later`);
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const reason = messageOf(cause) || (systemCode(cause) ?? "no reason given");
  return new RelayError(
    "unavailable",
    `${what} got no whole answer (${reason}); check the network and AWS_ENDPOINT_URL`,
    {
      cause: error,
    },
  );
}
