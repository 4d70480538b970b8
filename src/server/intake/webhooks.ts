import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ToldProject } from "../../app/trackers/served-projects.ts";
import type { TrackerEvent } from "../../domain/event.ts";
import type { Provider } from "../../domain/issue.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { inSpan, linkSpan, noteInSpan } from "../../lib/trace.ts";
import type { Push, WebhookReader } from "../../adapters/trackers/webhook.ts";
import { withTimeout } from "../timeout.ts";
import type { WebLimits } from "../limits.ts";
import type { DeliveryResult, Metrics } from "../metrics.ts";
import { type ReadBody, bodyReader } from "./read-body.ts";

/** A received delivery: all its events or none. */
export interface IncomingDelivery {
  provider: Provider;
  deliveryId: string;
  contentKey: string;
  events: [TrackerEvent, ...TrackerEvent[]];
}

export interface WebhookDeps {
  readers: readonly WebhookReader[];
  /** When it returns, the delivery is safe; when it throws, nothing was stored (R-IN-2). */
  receive: (delivery: IncomingDelivery) => Promise<{ kind: "stored" | "repeated" }>;
  /** Retries what waits for access to this account's repositories. */
  accessGiven: (provider: Provider, account: string) => Promise<void>;
  /** Has the specs checked that cite what a push changed. */
  pushed: (provider: Provider, push: Push) => Promise<void>;
  /** Whether Relay works in a project; nothing of others is stored. */
  serves: (provider: Provider, project: ToldProject) => Promise<boolean>;
  metrics: Pick<Metrics, "delivery">;
  limits: WebLimits;
  log: Log;
}

export type NodeContext = Context<{ Bindings: HttpBindings }>;

interface Answer {
  result: DeliveryResult;
  status: 200 | 202 | 400 | 401 | 404 | 413 | 415 | 503;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The body was not read to its end: the connection closes. */
  isUnread?: true;
}

/** `Retry-After` for trackers that redeliver, in seconds. */
const RETRY_AFTER = "10";

/** `POST /webhooks/PROVIDER`: verifies the signature, parses, stores, then responds (R-IN-1, R-IN-2). */
export function webhookRoute(deps: WebhookDeps): (provider: Provider, c: NodeContext) => Promise<Response> {
  const readBody = bodyReader(deps.limits);
  const missing = new Set<string>();
  return async (provider, c) => {
    const reader = deps.readers.find((one) => one.provider === provider);
    if (reader === undefined) {
      if (!missing.has(provider)) deps.log.warn({ provider }, withoutSecret(provider));
      missing.add(provider);
      return await closingWith(
        c,
        { status: 404, body: { error: `webhooks of ${provider} are not set up here` } },
        deps,
      );
    }
    const start = performance.now();
    const answer = await answerTo(c, reader, readBody, deps);
    deps.metrics.delivery(provider, answer.result, (performance.now() - start) / 1000);
    const { status, body, headers } = answer;
    return answer.isUnread ? await closingWith(c, answer, deps) : c.json(body, status, headers);
  };
}

/**
 * Ends the connection of a call whose body is not read further. If it ended at once, a caller that is still sending
 * would see a broken connection instead of the answer; so the last chunk waits a moment.
 */
async function closingWith(
  c: NodeContext,
  { status, body, headers }: Omit<Answer, "result">,
  { limits }: Pick<WebhookDeps, "limits">,
): Promise<Response> {
  // What came with the headers is there after this turn of the event loop.
  await nextTurn();
  if (c.env.incoming.complete) return c.json(body, status, { ...headers, connection: "close" });
  const text = new TextEncoder().encode(JSON.stringify(body));
  let timer: NodeJS.Timeout | undefined;
  const slowly = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(text);
      timer = setTimeout(() => controller.close(), limits.lingerMs);
    },
    cancel: () => clearTimeout(timer),
  });
  const type = { "content-type": "application/json", "content-length": String(text.length) };
  return c.body(slowly, status, { ...headers, ...type, connection: "close" });
}

function withoutSecret(provider: string): string {
  return `a webhook call came in, but there is no secret to check it with; set ${provider.toUpperCase()}_WEBHOOK_SECRET`;
}

async function answerTo(c: NodeContext, reader: WebhookReader, readBody: ReadBody, deps: WebhookDeps): Promise<Answer> {
  // Unsigned calls are only counted.
  if (!reader.mayBeSigned(c.req.raw.headers)) return { ...UNSIGNED, isUnread: true };
  const encoding = c.req.header("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    return { result: "refused", status: 415, body: { error: "compressed bodies are not taken" }, isUnread: true };
  }
  const read = await readBody(c.env.incoming);
  switch (read.kind) {
    case "too_large": {
      const error = `the body is larger than ${deps.limits.bodyBytes} bytes`;
      return { result: "too_large", status: 413, body: { error }, isUnread: true };
    }
    case "busy":
      return { ...unavailable("too much is coming in at once; deliver it again"), isUnread: true };
    case "cut":
      return { result: "malformed", status: 400, body: { error: "the body is not complete" } };
    case "read":
      return await answerToCall({ headers: c.req.raw.headers, body: read.body }, reader, deps);
    default:
      return read satisfies never;
  }
}

const UNSIGNED: Answer = { result: "refused", status: 401, body: { error: "the signature is missing or wrong" } };

const LATER = { "retry-after": RETRY_AFTER };

async function answerToCall(
  call: { headers: Headers; body: Uint8Array },
  reader: WebhookReader,
  deps: WebhookDeps,
): Promise<Answer> {
  if (!(await reader.isSigned(call))) return UNSIGNED;
  const route = `/webhooks/${reader.provider}`;
  const attributes = { "http.request.method": "POST", "http.route": route, "relay.provider": reader.provider };
  return await inSpan(`POST ${route}`, { kind: "server", parent: null, attributes }, async () => {
    linkSpan(call.headers.get("traceparent"));
    const answer = await answerToSigned(call, reader, deps);
    const { status, result } = answer;
    noteInSpan({ "http.response.status_code": status, "relay.webhook.result": result });
    if (status >= 500) noteInSpan({ "error.type": String(status) });
    return answer;
  });
}

async function answerToSigned(
  call: { headers: Headers; body: Uint8Array },
  reader: WebhookReader,
  deps: WebhookDeps,
): Promise<Answer> {
  const reading = reader.read(call);
  switch (reading.kind) {
    case "malformed":
      deps.log.warn({ provider: reader.provider, problem: reading.problem }, "webhook call not understood");
      return { result: "malformed", status: 400, body: { error: reading.problem } };
    case "ignored":
      return { result: "ignored", status: 200, body: { ignored: reading.what } };
    case "access":
      return await sent({ access: reading.account }, deps.accessGiven(reader.provider, reading.account), deps);
    case "pushed": {
      const { push } = reading;
      return await ifServed(reader.provider, [push], deps, async () => {
        return await sent({ pushed: push.commit }, deps.pushed(reader.provider, push), deps);
      });
    }
    case "events":
      return await ifServed(reader.provider, reading.events, deps, async () => {
        return await takeIn({ provider: reader.provider, ...reading }, deps);
      });
    default:
      return reading satisfies never;
  }
}

const NOT_SERVED: Answer = {
  result: "ignored",
  status: 200,
  body: { ignored: "a repository that Relay does not work in" },
};

async function ifServed(
  provider: Provider,
  projects: readonly ToldProject[],
  { serves, limits, log }: WebhookDeps,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const each = Promise.all(projects.map(async (project) => await serves(provider, project)));
    if (!(await withTimeout(limits.receiveMs, "looking up the repository", each)).includes(true)) return NOT_SERVED;
  } catch (error) {
    log.error({ provider, error: messageOf(error) }, "delivery not stored");
    return unavailable("the delivery could not be stored; deliver it again");
  }
  return await work();
}

/** The answer to a call for which only a job is sent, and no delivery stored. */
async function sent(
  body: Record<string, string>,
  sending: Promise<void>,
  { limits, log }: WebhookDeps,
): Promise<Answer> {
  try {
    await withTimeout(limits.receiveMs, "storing the delivery", sending);
    return { result: "accepted", status: 202, body };
  } catch (error) {
    log.error({ ...body, error: messageOf(error) }, "delivery not stored");
    return unavailable("the delivery could not be stored; deliver it again");
  }
}

async function takeIn(
  { provider, deliveryId, contentKey, events }: IncomingDelivery,
  { receive, limits, log }: WebhookDeps,
): Promise<Answer> {
  try {
    const receiving = receive({ provider, deliveryId, contentKey, events });
    const { kind } = await withTimeout(limits.receiveMs, "storing the delivery", receiving);
    log.debug({ provider, delivery: deliveryId, events: events.map((event) => event.kind), kind }, "delivery taken in");
    return kind === "stored"
      ? { result: "accepted", status: 202, body: { delivery: deliveryId } }
      : { result: "repeated", status: 200, body: { delivery: deliveryId, repeated: true } };
  } catch (error) {
    log.error({ provider, delivery: deliveryId, error: messageOf(error) }, "delivery not stored");
    return unavailable("the delivery could not be stored; deliver it again");
  }
}

function unavailable(error: string): Answer {
  return { result: "failed", status: 503, body: { error }, headers: LATER };
}
