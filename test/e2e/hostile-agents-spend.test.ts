import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { costOf } from "../../src/adapters/models/prices.ts";
import { anthropicStream } from "../mock-model/anthropic.ts";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { bodyOf, serveOnLoopback } from "../support/loopback.ts";
import { carriedOutBy, MENDS } from "./hostile-agent-fixture.ts";

const PRICES = { models: [{ model: "anthropic/claude-sonnet-4-5", input: 3, output: 15 }] };
const KEY = "key-of-relays-own";

/** A model behind Relay's gateway, whose answers say that they used 1,200 tokens in and 100 out, compressed or not. */
async function modelBehindGateway() {
  const asked: string[] = [];
  const origin = await serveOnLoopback(async (request, response) => {
    await bodyOf(request);
    asked.push(`${request.method} ${request.url} ${String(request.headers["x-api-key"])}`);
    const stream = anthropicStream({ text: "Hello", usage: { input: 1_200, output: 100 } }, "m").join("");
    const packs = String(request.headers["accept-encoding"]).includes("gzip");
    response.writeHead(200, { "content-type": "text/event-stream", ...(packs ? { "content-encoding": "gzip" } : {}) });
    response.end(packs ? gzipSync(stream) : stream);
  });
  const settings = {
    model: { provider: "anthropic", name: "claude-sonnet-4-5" },
    models: [{ variable: "ANTHROPIC_BASE_URL", url: origin, headers: { "x-api-key": KEY }, provider: "anthropic" }],
    gateway: {
      models: [],
      requestsPerMinute: 1_000,
      priceOf: (model: string, usage: Parameters<typeof costOf>[2]) => costOf(PRICES, model, usage),
    },
  };
  return { asked, settings, host: new URL(origin).hostname };
}

const ASKS = `ask() { curl -sS -o /dev/null -w '%{http_code} ' "$@" -d '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[]}' "$ANTHROPIC_BASE_URL/v1/messages"; }`;
const called = z.object({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number().nullable() });

describe.skipIf(!HAS_BUBBLEWRAP)("an agent that spends (where bubblewrap works)", () => {
  test("and says nothing of it is counted by its answers, and so is any program that it starts", async () => {
    const { settings, asked } = await modelBehindGateway();
    const { state, iterations, log, life } = await carriedOutBy(
      `${MENDS}
      ${ASKS}
      ask; ask --compressed; sh -c "$(command -v curl) -sS -o /dev/null -d '{\\"model\\":\\"claude-sonnet-4-5\\"}' $ANTHROPIC_BASE_URL/v1/messages"`,
      { settings },
    );
    expect(state).toBe("in_review");
    expect(asked).toEqual(Array(3).fill(`POST /v1/messages ${KEY}`));
    const usd = (3_600 * 3 + 300 * 15) / 1e6;
    const spent = iterations.find(({ number }) => number === 1);
    expect(spent).toMatchObject({ priced: true, countedBy: "door", estimated: false });
    expect(spent?.usd).toBeCloseTo(usd, 9);
    expect(spent?.tokens).toMatchObject({ input: 3_600, output: 300 });
    expect(log.map(({ text }) => text)).toContain(
      "Counted by Relay at the model: 3 answers, 3600 tokens in, 300 out, $0.0153",
    );
    const calls = await life.db.query(
      called,
      "select input_tokens::int, output_tokens::int, cost_usd::float from llm_evals where kind = 'call' and stage = 'worker'",
      [],
    );
    expect(calls).toMatchObject([{ input_tokens: 3_600, output_tokens: 300 }]);
    expect(calls[0]?.cost_usd).toBeCloseTo(usd, 9);
  });

  test("more than it may is ended, with the true words", async () => {
    const { settings, asked } = await modelBehindGateway();
    const { state, iterations, said } = await carriedOutBy(`${ASKS}; while true; do ask; done`, {
      settings,
      limits: { usd: 0.02, iterations: 3 },
    });
    expect(asked).toHaveLength(4);
    expect(iterations.at(-1)?.agent).toMatchObject({
      ending: "limit",
      detail: "the $0.02 that this run may cost are used up",
    });
    expect(state).toBe("stuck");
    expect(said.at(-1)).toMatch(/\$|cost|budget|money/i);
  });

  test("by other calls, other models or the model's host itself gets nowhere, and is told of", async () => {
    const { settings, asked } = await modelBehindGateway();
    const script = `${MENDS}
      post() { curl -sS -d "$2" "$ANTHROPIC_BASE_URL$1"; }
      post /v1/files '{"model":"claude-sonnet-4-5"}'; post /v1/messages '{"model":"claude-opus-4-5"}'
      curl -sS -p -x "$HTTPS_PROXY" https://api.anthropic.example/ 2>&1; true`;
    const { log } = await carriedOutBy(script, { settings, hosts: ["api.anthropic.example"] });
    expect(asked).toEqual([]);
    const told = log.flatMap(({ kind, text }) => (kind === "problem" ? [text] : []));
    expect(told).toContain("POST /v1/files is no call that Relay lets through to a model's server");
    expect(told).toContain(
      "the model anthropic/claude-opus-4-5 is none of this run's (anthropic/claude-sonnet-4-5); work.models can name more",
    );
    expect(told).toContain("not let through to api.anthropic.example: it is not in work.network");
    // Without Relay's gateway, the agent gets the hosts that it needs.
    const direct = await carriedOutBy(script, { hosts: ["api.anthropic.example"] });
    expect(direct.log.map(({ text }) => text).join()).not.toContain("not let through to api.anthropic.example");
  });
});
