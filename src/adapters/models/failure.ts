import { z } from "zod";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import { type ErrorCode, messageOf, RelayError } from "../../lib/errors.ts";
import { NOT_A_MODEL } from "./http.ts";
import type { FailureKind, ModelFailure } from "./model.ts";

/** The fields of SDK errors, network errors and error parts of a stream; each has some of them. */
const thrownSchema = z.object({
  statusCode: z.number().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  isRetryable: z.boolean().optional().catch(undefined),
});

const BODY_READ = 8_000;
const MESSAGE_LIMIT = 400;
const CAUSES_READ = 5;

/**
 * Classifies whatever was thrown. Removes `key` from the message. `began` says whether an answer had started to stream;
 * `now` is for a Retry-After that is a date.
 */
export function failureOf(
  error: unknown,
  { model, key, began, now }: { model: string; key: string | null; began: boolean; now: Date },
): ModelFailure {
  const thrown = thrownSchema.safeParse(error).data;
  const status = thrown?.statusCode !== undefined && thrown.statusCode >= 300 ? thrown.statusCode : undefined;
  const body = (thrown?.responseBody ?? "").slice(0, BODY_READ);
  const message = wholeMessage(error);
  const said = `${message} ${thrown?.type ?? ""} ${thrown?.code ?? ""} ${body}`;
  const kind = status === undefined ? kindOfWords(said, thrown, began) : kindOfStatus(status, said);
  const retryAfterMs = retryAfter(thrown?.responseHeaders ?? {}, body, now);
  return failure(kind, model, {
    detail: key === null || key === "" ? message : message.replaceAll(key, "[key]"),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** The messages of an error and its causes: only the innermost one describes a broken connection. */
function wholeMessage(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at !== undefined && at !== null && messages.length < CAUSES_READ; at = causeOf(at)) {
    messages.push(typeof at === "object" && "message" in at ? String(at.message) : messageOf(at));
  }
  return [...new Set(messages)].join(": ");
}

function causeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined;
}

/** Describes a failure in one sentence with the fix; removes anything that looks like a key. */
export function failure(
  kind: FailureKind,
  model: string,
  { detail, ...rest }: { detail: string; status?: number; retryAfterMs?: number },
): ModelFailure {
  const clean = removeSecrets(detail.slice(0, MESSAGE_LIMIT * 4))
    .text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .slice(0, MESSAGE_LIMIT)
    .trim();
  const status = rest.status === undefined ? "" : ` (${rest.status})`;
  const brief = `${model} ${SENTENCES[kind].what}${status}`;
  const message = `${brief}: ${clean}; ${SENTENCES[kind].fix}`;
  return { kind, message, brief, retryable: SENTENCES[kind].retryable, ...rest };
}

const SENTENCES: Record<FailureKind, { what: string; fix: string; retryable: boolean }> = {
  auth: { what: "refused the key", fix: "check the provider's key and what it may use", retryable: false },
  no_credit: { what: "wants payment", fix: "check the account's credit and plan", retryable: false },
  not_found: { what: "was not found", fix: "check the model's name and the base URL", retryable: false },
  bad_request: {
    what: "refused the request",
    fix: "check that the server speaks the provider's protocol",
    retryable: false,
  },
  no_tools: { what: "cannot call tools", fix: "use a model that can", retryable: false },
  too_long: { what: "cannot take so long a prompt", fix: "use a model with a larger context", retryable: false },
  rate_limited: { what: "is rate limited", fix: "wait, or raise the account's limits", retryable: true },
  overloaded: { what: "is overloaded", fix: "try again later", retryable: true },
  server_error: { what: "failed on the server's side", fix: "try again later", retryable: true },
  unreachable: { what: "cannot be reached", fix: "check the network and the base URL", retryable: true },
  timeout: {
    what: "did not answer in time",
    fix: "try again later, or allow more time with models.timeouts",
    retryable: true,
  },
  cut_short: { what: "broke off in mid-answer", fix: "try again later", retryable: true },
  invalid_answer: {
    what: "gave an answer that cannot be used",
    fix: "use a model that is better at calling tools",
    retryable: false,
  },
};

const TOO_LONG =
  /prompt is too long|context.{0,20}(?:length|window|size)|maximum context|too many (?:input )?tokens|input token count|exceeds? .{0,40}token/i;
const NO_CREDIT = /insufficient_quota|credit balance|billing_hard_limit|insufficient (?:credits|balance|funds)/i;

const NO_TOOLS =
  /does not support (?:tools|tool (?:use|calls?|calling)|function calling)|tool (?:use|calls?|calling) (?:is|are) not supported|support tool use/i;

function kindOfStatus(status: number, said: string): FailureKind {
  if (status === 402 || (status >= 400 && status < 500 && NO_CREDIT.test(said))) return "no_credit";
  if (status === 401 || status === 403 || (status === 400 && /api.key not valid/i.test(said))) return "auth";
  if (status >= 400 && status < 500 && NO_TOOLS.test(said)) return "no_tools";
  if (status === 404 || status === 405 || status < 400) return "not_found";
  if (status === 413 || (status < 500 && status !== 429 && TOO_LONG.test(said))) return "too_long";
  if (status === 408 || status === 504) return "timeout";
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529) return "overloaded";
  return status >= 500 ? "server_error" : "bad_request";
}

/** For errors within a stream that began with 200, and for those of the network. */
function kindOfWords(said: string, thrown: z.infer<typeof thrownSchema> | undefined, began: boolean): FailureKind {
  if (said.includes(NOT_A_MODEL)) return "not_found";
  if (/overloaded|unavailable/i.test(said)) return "overloaded";
  if (/rate.?limit|resource_exhausted/i.test(said)) return "rate_limited";
  if (TOO_LONG.test(said)) return "too_long";
  if (/api_error|server_error|internal/i.test(said)) return "server_error";
  if (thrown?.name === "AI_LoadAPIKeyError" || /authentication_error|permission_error/.test(said)) return "auth";
  if (/invalid_request/.test(said)) return "bad_request";
  if (began && (thrown?.isRetryable === true || isBrokenConnection(said))) return "cut_short";
  if (thrown?.name === "AI_InvalidResponseDataError" && /without a finish reason/.test(said)) return "cut_short";
  if (thrown?.isRetryable === true || isBrokenConnection(said)) return "unreachable";
  return "invalid_answer";
}

function isBrokenConnection(said: string): boolean {
  return /terminated|fetch failed|socket|other side closed|premature|aborted|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR/i.test(
    said,
  );
}

/** Milliseconds that the provider asks to wait, or null; some send them in the body. */
function retryAfter(headers: Record<string, string>, body: string, now: Date): number | null {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const header = headers["retry-after"] ?? /"retryDelay":\s{0,4}"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(body)?.[1];
  if (header === undefined) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : Math.ceil(seconds * 1_000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

const CODES: Record<FailureKind, ErrorCode> = {
  auth: "config",
  no_credit: "config",
  not_found: "config",
  bad_request: "config",
  no_tools: "config",
  too_long: "too_large",
  rate_limited: "rate_limited",
  overloaded: "unavailable",
  server_error: "unavailable",
  unreachable: "unavailable",
  timeout: "timeout",
  cut_short: "unavailable",
  invalid_answer: "invalid",
};

/** A model's failure as an error, for people and for retries. */
export function errorOfFailure({ kind, message, brief: _brief, ...about }: ModelFailure): RelayError {
  return new RelayError(CODES[kind], message, about);
}
