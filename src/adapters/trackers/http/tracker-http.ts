import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { currentPriority, withPriority } from "../../../lib/priority.ts";
import { inSpan, noteInSpan } from "../../../lib/trace.ts";
import { addressOf } from "./address.ts";
import { type LostAccess, brokenCall, movedError, refusalOf } from "./failure.ts";
import { type TrackerHttp, type TrackerRequest, type TrackerResponse, REQUEST_TIMEOUT_MS } from "./http.ts";
import { KeptAnswers, mayHideNextPage } from "./kept-answers.ts";
import { limitsOf } from "./limits.ts";
import { routeOf } from "./route.ts";
import type { Quotas } from "./quota.ts";
import { errorMessageIn } from "./error-message.ts";
import { nextPage } from "./link.ts";

export interface TrackerHttpOptions {
  /** Of the API, with its path: `https://api.github.com`, `https://gitlab.example/api/v4`. */
  baseUrl: string;
  /** Its name in errors: `GitHub`. */
  name: string;
  /** Headers with the credentials; with `refresh`, newer ones, if there are any, after a rejection. */
  authorization: (refresh: boolean) => Promise<Record<string, string>>;
  quotas: Quotas;
  clock: Clock;
  /** Defaults for every call, such as `accept` and the version of the API; a call's own headers override them. */
  headers?: Record<string, string>;
  /** For one call with its response, in milliseconds. */
  timeoutMs?: number;
  maxBytes?: number;
  /** Whether a refusal is for missing access, by what it says: other things are forbidden to everybody. */
  lostAccess?: (refusal: { status: number; said: string; headers: Headers }) => LostAccess | null;
  /** Shared by all credentials of a process, to bound the memory. */
  kept?: KeptAnswers;
  fetch?: typeof fetch;
}

const USER_AGENT = "relay/0.1";
const MAX_BYTES = 10 * 1024 * 1024;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The HTTP client for all calls to one tracker with one set of credentials (R-ACT-5). See `TrackerHttp`. */
export function createTrackerHttp(options: TrackerHttpOptions): TrackerHttp {
  const gate = new Gate(options);
  return async (request) => await gate.call(request);
}

type Outcome =
  | { kind: "answered"; response: TrackerResponse }
  | { kind: "moved"; to: URL; error: RelayError }
  | { kind: "unauthorized"; error: RelayError };

class Gate {
  readonly #options: TrackerHttpOptions;
  readonly #kept: KeptAnswers;

  constructor(options: TrackerHttpOptions) {
    this.#options = options;
    this.#kept = options.kept ?? new KeptAnswers();
  }

  async call(request: TrackerRequest): Promise<TrackerResponse> {
    let url = addressOf(this.#options.baseUrl, request.path, request.query);
    let credentials = await this.#credentials(false);
    let isRefreshed = false;
    let redirects = 0;
    for (;;) {
      const outcome = await this.#exchange(request, url, credentials);
      if (outcome.kind === "answered") return outcome.response;
      if (outcome.kind === "moved") {
        redirects += 1;
        if (redirects > MOST_REDIRECTS) throw outcome.error;
        url = outcome.to;
      } else {
        if (isRefreshed) throw outcome.error;
        const newer = await this.#credentials(true);
        // Trackers may lock out a client that keeps sending the same wrong token.
        if (isDeepStrictEqual(newer, credentials)) throw outcome.error;
        credentials = newer;
        isRefreshed = true;
      }
    }
  }

  /** The credentials may serve a more urgent caller than the first one. */
  async #credentials(refresh: boolean): Promise<Record<string, string>> {
    return await withPriority("direct", async () => await this.#options.authorization(refresh));
  }

  /** Sends the request once, and returns the outcome. */
  async #exchange(request: TrackerRequest, url: URL, credentials: Record<string, string>): Promise<Outcome> {
    const { quotas, clock, timeoutMs = REQUEST_TIMEOUT_MS, maxBytes = MAX_BYTES } = this.#options;
    const call = `${this.#options.name}: ${request.method} ${url.pathname.slice(0, 200)}`;
    const secrets = secretsIn(credentials);
    const headers = this.#headers(request, credentials, call);
    const key = request.method === "GET" ? `${request.quota}\n${headers.get("accept")}\n${url.href}` : null;
    const kept = key === null ? undefined : this.#kept.find(key);
    if (kept !== undefined && !headers.has("if-none-match")) headers.set("if-none-match", kept.etag);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const kind = request.kind ?? (request.method === "GET" ? "read" : "write");
    await quotas.admit(request.quota, kind, currentPriority());
    const sending = { url, method: request.method, headers, body, call, secrets, timeoutMs };
    const answer = await send(this.#options.fetch ?? fetch, { ...sending, maxBytes: request.maxBytes ?? maxBytes });
    const said = answer.status >= 400 ? errorMessageIn(answer.text, secrets) : "";
    const limits = limitsOf({ ...answer, said, quota: request.quota }, clock.now());
    await quotas.observe(request.quota, limits.news);
    const lost = this.#options.lostAccess?.({ ...answer, said }) ?? null;
    const error = refusalOf(call, { status: answer.status, said, limits, lost });
    if (answer.status === 401) return { kind: "unauthorized", error };
    if (REDIRECTS.has(answer.status)) return redirectOf(request, url, answer, call);
    if (answer.status === 304 && headers.get("if-none-match") === kept?.etag) {
      return { kind: "answered", response: responseOf(request, url, confirmed(kept, answer), call) };
    }
    const isAsked = request.headers?.["if-none-match"] !== undefined;
    if (answer.status === 304 && isAsked) return { kind: "answered", response: responseOf(request, url, answer, call) };
    if (answer.status < 200 || answer.status > 299) throw error;
    const response = responseOf(request, url, answer, call);
    if (key !== null) this.#keep(key, url, answer, response);
    return { kind: "answered", response };
  }

  #headers(request: TrackerRequest, credentials: Record<string, string>, call: string): Headers {
    const given = { accept: "application/json", ...this.#options.headers, ...request.headers, ...credentials };
    try {
      const headers = new Headers(given);
      headers.set("user-agent", USER_AGENT);
      if (request.body !== undefined) headers.set("content-type", "application/json");
      return headers;
    } catch {
      // The cause would show the value, which may be a token.
      throw new RelayError(
        "config",
        `${call} cannot be sent: a header, such as the token, holds a line break or worse`,
      );
    }
  }

  #keep(key: string, url: URL, answer: Answer, { body, next }: TrackerResponse): void {
    const etag = answer.headers.get("etag");
    if (etag === null || answer.status !== 200 || mayHideNextPage(body, next, url)) this.#kept.forget(key);
    else this.#kept.keep(key, { ...answer, etag });
  }
}

/** Redirects that had no effect and keep the method: GitHub sends them for a renamed repository. */
const UNCHANGED = new Set([307, 308]);

/** Only within the origin, since credentials go nowhere else; writes only for a status that rules out an effect. */
function redirectOf(request: TrackerRequest, url: URL, { status, headers }: Answer, call: string): Outcome {
  const to = URL.parse(headers.get("location") ?? "", url.href);
  const error = movedError(call, status, to);
  if (!(request.method === "GET" || UNCHANGED.has(status)) || to === null || to.origin !== url.origin) throw error;
  to.hash = "";
  return { kind: "moved", to, error };
}

/** The values of headers with credentials, with and without their scheme. */
function secretsIn(credentials: Record<string, string>): string[] {
  return Object.values(credentials).flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
}

/**
 * The cached response with the newer headers: page links and totals change without the body. Content headers of the 304
 * are ignored, since they describe its own empty body.
 */
function confirmed(kept: Answer, answer: Answer): Answer {
  const headers = new Headers(kept.headers);
  for (const [name, value] of answer.headers) if (!name.startsWith("content-")) headers.set(name, value);
  return { status: kept.status, headers, text: kept.text };
}

/** A successful response, parsed; throws `unavailable` if it is unreadable. */
function responseOf(
  request: TrackerRequest,
  url: URL,
  { status, headers, text }: Answer,
  call: string,
): TrackerResponse {
  const body = contentOf(text, { status, headers }, request.as, call);
  return { status, headers, body, next: nextPage(headers.get("link"), url) };
}

/** A response with its body. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

interface Sending {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
  /** Method and path, for errors. */
  call: string;
  /** Secrets to redact in errors. */
  secrets: readonly string[];
  /** For request and response together, in milliseconds. */
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Sends one request, once, and reads the response whatever its status. Throws `timeout`, `unavailable` for a network
 * failure, and `too_large`. Does not follow redirects.
 */
async function send(fetch: typeof globalThis.fetch, sending: Sending): Promise<Answer> {
  const { url, method } = sending;
  const route = routeOf(url.pathname);
  const attributes = { "http.request.method": method, "url.template": route, "server.address": url.hostname };
  return await inSpan(`${method} ${route}`, { kind: "client", attributes }, async () => {
    const answer = await sendNow(fetch, sending);
    noteInSpan({ "http.response.status_code": answer.status });
    if (answer.status >= 400) noteInSpan({ "error.type": String(answer.status) });
    return answer;
  });
}

async function sendNow(fetch: typeof globalThis.fetch, sending: Sending): Promise<Answer> {
  const { url, method, headers, body, call, maxBytes, timeoutMs } = sending;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, body, redirect: "manual", signal });
    const text = response.ok ? await wholeText(response, maxBytes, call) : await failureText(response);
    return { status: response.status, headers: response.headers, text };
  } catch (cause) {
    throw brokenCall(call, cause, sending);
  }
}

/** At most this much of an error response is read. */
const FAILURE_BYTES = 64 * 1024;

/** The text of a response; throws `too_large` over `maxBytes`, counted after decompression. */
async function wholeText(response: Response, maxBytes: number, call: string): Promise<string> {
  const { text, whole } = await readUpTo(response, maxBytes);
  if (whole) return text;
  throw new RelayError("too_large", `${call} was answered with more than ${maxBytes} bytes; ask for less at a time`, {
    status: response.status,
  });
}

/** The beginning of an error's text; an incomplete one is enough, since the status is known. */
async function failureText(response: Response): Promise<string> {
  return (await readUpTo(response, FAILURE_BYTES).catch(() => ({ text: "" }))).text;
}

async function readUpTo(response: Response, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  if (response.body === null) return { text: "", whole: true };
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), whole: true };
    const room = maxBytes - bytes;
    bytes += value.byteLength;
    text += decoder.decode(value.subarray(0, room), { stream: true });
    if (value.byteLength > room) {
      await reader.cancel().catch(() => {});
      return { text, whole: false };
    }
  }
}

/** The body of a response: JSON if its type says so, otherwise text; null if empty. */
function contentOf(
  text: string,
  { headers, status }: Pick<Response, "headers" | "status">,
  as: "text" | undefined,
  call: string,
): unknown {
  if (as === "text") return text;
  if (text === "") return null;
  if (!isJson(headers.get("content-type"))) return text;
  try {
    const content: unknown = JSON.parse(text);
    return content;
  } catch (cause) {
    throw new RelayError("unavailable", `${call} was answered with JSON that cannot be read; try again later`, {
      cause,
      status,
    });
  }
}

/** GitHub sends files with types like `application/vnd.github.raw+json`, whatever their content. */
function isJson(type: string | null): boolean {
  return type !== null && /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type) && !/\.(?:raw|diff|patch)\b/i.test(type);
}
