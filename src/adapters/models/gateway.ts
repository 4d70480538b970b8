import { fits } from "./prices.ts";
import { type Counting, type Outcome, answerCount } from "./answer-count.ts";
import { chatAttributes, chatName, usageAttributes } from "./gen-ai.ts";
import { failureOf } from "./failure.ts";
import type { ModelFailure } from "./model.ts";
import type { ModelProvider } from "./providers/provider.ts";
import { providerOf } from "./providers/registry.ts";
import { NO_USAGE, type Usage, type UsageTotal, NOTHING_USED, addUsage } from "./usage.ts";
import { type Clock, sleep } from "../../lib/clock.ts";
import { cut, isRecord } from "../../lib/text.ts";
import { beginSpan, currentTrace } from "../../lib/trace.ts";

/** What a run may ask of models, and what that costs (R-WORK-13). */
export interface GatewaySettings {
  /** `provider/name`; one `*` stands for any rest. Null for every model with a known price. */
  models: readonly string[] | null;
  requestsPerMinute: number;
  /** US dollars for the tokens of one call; null where the model's price is not known. */
  priceOf: (model: string, usage: Usage) => number | null;
}

/** A request to a model's server, before it is sent: `path` is what follows the server's address. */
export interface GatewayRequest {
  method: string;
  path: string;
  /** Empty without one. */
  body: Buffer;
}

/** The gateway's decision: what to send, and where to count the answer; or why not. */
export type Entry =
  | { kind: "passed"; body: Buffer; count: Counting }
  | { kind: "refused"; status: 400 | 402 | 403 | 429; reason: string };

const MINUTE_MS = 60_000;
/** Milliseconds for the end of calls whose program is gone. */
const SETTLE_MS = 2_000;
const MOST_REFUSALS = 100;
const LONGEST_NAME = 100;
/** For estimates: tokens of a picture, and characters to a token. */
const PICTURE_TOKENS = 1_600;
const TOKEN_CHARACTERS = 4;
/** A picture or a file in a body. */
const DATA = /[A-Za-z0-9+/=_-]{4000,}/g;

/** The gateway to the models of one run: lets listed calls through, and counts what they use (R-WORK-13). */
export class ModelGateway {
  readonly #settings: GatewaySettings;
  readonly #clock: Clock;
  /** US dollars so far, of calls with a known price, and of the prompts that are being answered. */
  #usd = 0;
  #held = 0;
  #open = 0;
  /** Tokens so far, of calls to models without a known price. */
  #unpriced = 0;
  #bound = { usd: Infinity, unpriced: Infinity, usedUp: () => {} };
  #unread: UsageTotal = NOTHING_USED;
  #known = 0;
  #times: number[] = [];
  #last: ModelFailure | "answered" | "none" = "none";
  /** The trace of the current allowance: requests come from programs, outside of it. */
  #trace: string | null = null;
  readonly #refused = new Set<string>();

  constructor(settings: GatewaySettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * From now on, calls may use this many US dollars, and calls to models without a known price this many tokens, in and
   * out; null for any. `usedUp` is called once they did.
   */
  allow({ usd, tokens }: { usd: number | null; tokens: number | null }, usedUp: () => void): void {
    this.#last = "none";
    this.#trace = currentTrace();
    this.#bound = {
      usd: usd === null ? Infinity : this.#usd + usd,
      unpriced: tokens === null ? Infinity : this.#unpriced + tokens,
      usedUp,
    };
  }

  /** What was used since the last call of this, once the calls of programs that are gone have ended. */
  async read(): Promise<UsageTotal> {
    for (let waited = 0; this.#open > 0 && waited < SETTLE_MS; waited += 10) await sleep(10);
    const used = this.#unread;
    const costUsd = used.costUsd ?? (this.#known > 0 ? this.#known : null);
    this.#unread = NOTHING_USED;
    this.#known = 0;
    return { ...used, costUsd };
  }

  /** How the last paid call since `allow` ended: by a failure, with an answer, or there was none (R-WORK-15). */
  last(): ModelFailure | "answered" | "none" {
    return this.#last;
  }

  /** What was refused, in sentences, each once. */
  refused(): readonly string[] {
    return [...this.#refused];
  }

  /** Judges a request to a provider; counts the answer to one that passes. */
  enter(provider: string, request: GatewayRequest): Entry {
    const entry = this.#judge(provider, request);
    if (entry.kind === "refused" && this.#refused.size < MOST_REFUSALS) this.#refused.add(entry.reason);
    return entry;
  }

  #judge(provider: string, { method, path, body }: GatewayRequest): Entry {
    const known = providerOf(provider);
    const { gateway } = known;
    const call = gateway.calls.find((each) => each.method === method && each.path.test(path));
    if (call === undefined) {
      return refusal(403, `${shown(method)} ${shown(path)} is no call that Relay lets through to a model's server`);
    }
    const asked = method === "POST" ? parsed(body) : {};
    if (asked === null) return refusal(400, "the body of a request to a model's server is no JSON object");
    const name = method === "POST" ? (call.path.exec(path)?.groups?.["model"] ?? asked["model"]) : null;
    if (name !== null && (typeof name !== "string" || !this.#mayUse(`${provider}/${name}`))) {
      return refusal(403, this.#modelReason(typeof name === "string" ? `${provider}/${name}` : "without a name"));
    }
    const wants = gateway.refuses(asked);
    if (wants !== null) return refusal(403, `a request to a model's server is refused, since ${wants}`);
    if (!this.#isInTime()) {
      return refusal(
        429,
        `this run asks its model more than ${this.#settings.requestsPerMinute} times a minute (work.requests_per_minute)`,
      );
    }
    // The parsed body is sent, as it was judged: servers differ in which of two equal keys they read.
    const sent = method === "POST" ? Buffer.from(JSON.stringify(asked)) : Buffer.alloc(0);
    if (!call.paid || name === null) return { kind: "passed", body: sent, count: answerCount(known, () => {}) };
    return this.#pass(`${provider}/${name}`, sent, known);
  }

  /** Passes a call that costs money, if there is any left. */
  #pass(model: string, body: Buffer, provider: ModelProvider): Entry {
    if (this.#usd >= this.#bound.usd) {
      return refusal(402, "the money that this run may cost is used up");
    }
    if (this.#unpriced >= this.#bound.unpriced && this.#settings.priceOf(model, NO_USAGE) === null) {
      return refusal(402, "the tokens that this run may use of models without a known price are used up (work.tokens)");
    }
    const prompt = estimateOf(body);
    const holds = this.#settings.priceOf(model, { ...NO_USAGE, input: prompt }) ?? 0;
    if (this.#held > 0 && this.#usd + this.#held + holds > this.#bound.usd) {
      return refusal(429, "the rest of this run's budget is held by requests that are being answered");
    }
    this.#held += holds;
    this.#open += 1;
    const called = { provider: provider.name, name: shown(model.slice(provider.name.length + 1)) };
    const attributes = { ...chatAttributes(called), "relay.stage": "worker" };
    const end = beginSpan(chatName(called), { kind: "client", parent: this.#trace, attributes });
    const count = answerCount(provider, (counted, outcome) => {
      this.#note(model, outcome);
      this.#held = Math.max(0, this.#held - holds);
      this.#open -= 1;
      const failed = outcome.kind === "answered" ? {} : { "error.type": outcome.kind };
      if (counted === null) return end(failed);
      const { known, written } = counted;
      const estimated = known.input === undefined || known.output === undefined;
      const usage = { ...NO_USAGE, input: prompt, output: written, ...known, estimated };
      end({ ...usageAttributes(usage, this.#settings.priceOf(model, usage)), ...failed });
      this.#add(model, usage);
    });
    return { kind: "passed", body, count };
  }

  #note(model: string, outcome: Outcome): void {
    if (outcome.kind === "answered") this.#last = "answered";
    if (outcome.kind !== "failed") return;
    const { error, began } = outcome;
    this.#last = failureOf(error, { model, key: null, began, now: this.#clock.now() });
  }

  #add(model: string, usage: Usage): void {
    const usd = this.#settings.priceOf(model, usage);
    const { calls, usage: before, costUsd } = this.#unread;
    this.#unread = {
      calls: calls + 1,
      usage: addUsage(before, usage),
      costUsd: usd === null || costUsd === null ? null : costUsd + usd,
    };
    this.#known += usd ?? 0;
    this.#usd += usd ?? 0;
    if (usd === null) this.#unpriced += usage.input + usage.output;
    if (this.#usd >= this.#bound.usd || this.#unpriced >= this.#bound.unpriced) this.#bound.usedUp();
  }

  #mayUse(model: string): boolean {
    const { models, priceOf } = this.#settings;
    if (models === null) return priceOf(model, NO_USAGE) !== null;
    return models.some((pattern) => fits(pattern, model));
  }

  #modelReason(model: string): string {
    const { models } = this.#settings;
    const asked = `the model ${shown(model)}`;
    return models === null
      ? `${asked} has no known price, so Relay lets it through only where models.worker or work.models names it`
      : `${asked} is none of this run's (${models.join(", ")}); work.models can name more`;
  }

  #isInTime(): boolean {
    const now = this.#clock.now().getTime();
    this.#times = this.#times.filter((time) => time > now - MINUTE_MS && time <= now);
    if (this.#times.length >= this.#settings.requestsPerMinute) return false;
    this.#times.push(now);
    return true;
  }
}

function refusal(status: 400 | 402 | 403 | 429, reason: string): Entry {
  return { kind: "refused", status, reason };
}

/** Tokens of a request, roughly. */
function estimateOf(body: Buffer): number {
  const text = body.toString("latin1");
  const data = text.match(DATA) ?? [];
  const rest = data.reduce((left, each) => left - each.length, text.length);
  return Math.ceil(rest / TOKEN_CHARACTERS) + data.length * PICTURE_TOKENS;
}

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A program's text, as it is shown to people. */
function shown(text: string): string {
  return cut(text.replaceAll(/[^\w.:*/@+-]/g, "?"), LONGEST_NAME, "");
}
