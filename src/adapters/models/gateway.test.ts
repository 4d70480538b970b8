import { expect, test } from "vitest";
import { anthropicStream } from "../../../test/mock-model/anthropic.ts";
import { chatStream } from "../../../test/mock-model/chat.ts";
import { googleStream } from "../../../test/mock-model/google.ts";
import { responsesStream } from "../../../test/mock-model/responses.ts";
import { type GatewaySettings, type Entry, ModelGateway } from "./gateway.ts";
import { costOf } from "./prices.ts";

const PRICES = {
  models: [
    { model: "anthropic/claude-sonnet-4-5", input: 3, cached_read: 0.3, cache_write: 3.75, output: 15 },
    { model: "anthropic/claude-haiku-*", input: 1, output: 5 },
    { model: "openai/gpt-5", input: 1, cached_read: 0.1, output: 10 },
    { model: "google/gemini-2.5-pro", input: 1, output: 10 },
  ],
};

function gatewayOf(settings: Partial<GatewaySettings> = {}, now = { at: 0 }) {
  const gateway = new ModelGateway(
    {
      models: ["anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-*", "openai/gpt-5", "google/gemini-2.5-pro"],
      requestsPerMinute: 1_000,
      priceOf: (model, usage) => costOf(PRICES, model, usage),
      ...settings,
    },
    { now: () => new Date(now.at) },
  );
  const ask = (provider: string, path: string, body: unknown = {}, method = "POST"): Entry =>
    gateway.enter(provider, { method, path, body: Buffer.from(method === "GET" ? "" : JSON.stringify(body)) });
  return { gateway, ask };
}

const outcome = (entry: Entry): string => (entry.kind === "passed" ? "passed" : `${entry.status} ${entry.reason}`);

/** Gives a passed call an answer. */
function answer(entry: Entry, text: string | null, type = "text/event-stream", status = 200): void {
  if (entry.kind !== "passed") throw new Error(entry.reason);
  if (text !== null) {
    entry.count.begin(status, { "content-type": type });
    for (let at = 0; at < text.length; at += 7) entry.count.take(Buffer.from(text.slice(at, at + 7)));
  }
  entry.count.end(true);
}

const claude = { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "x".repeat(396) }] };
const gemini = "/v1beta/models/gemini-2.5-pro";

test("only the calls that an agent needs come through, for each provider", () => {
  const { ask } = gatewayOf();
  const gpt = { model: "gpt-5" };
  const passed = [
    ask("anthropic", "/v1/messages", claude),
    ask("anthropic", "/v1/messages/count_tokens", claude),
    ask("anthropic", "/v1/models", null, "GET"),
    ask("anthropic", "/v1/models/claude-x", null, "GET"),
    ask("openai", "/responses", gpt),
    ask("openai", "/v1/chat/completions", gpt),
    ask("openai", "/models", null, "GET"),
    ask("openai-compatible", "/models", null, "GET"),
    ask("google", `${gemini}:generateContent`),
    ask("google", `${gemini}:streamGenerateContent`),
    ask("google", `${gemini}:countTokens`),
    ask("google", "/v1beta/models", null, "GET"),
  ];
  expect(passed.map(outcome)).toEqual(passed.map(() => "passed"));
  const refused = [
    ask("anthropic", "/v1/files", claude),
    ask("anthropic", "/v1/messages/batches", claude),
    ask("anthropic", "/v1/organizations/api_keys", null, "GET"),
    ask("anthropic", "/v1/messages", null, "GET"),
    ask("anthropic", "/v1/messages/", claude),
    ask("anthropic", "//v1/messages", claude),
    ask("anthropic", "/v1/models/claude-x", claude, "DELETE"),
    ask("openai", "/files", gpt),
    ask("openai", "/responses/resp_1", null, "GET"),
    ask("openai", "/embeddings", gpt),
    ask("openai", "/v1/organization/admin_api_keys", null, "GET"),
    ask("google", "/upload/v1beta/files"),
    ask("google", `${gemini}:batchGenerateContent`),
    ask("google", "/v1beta/cachedContents"),
    ask("google", `${gemini}:generateContent/../x:generateContent`),
  ];
  expect(refused.map((entry) => outcome(entry).slice(0, 3))).toEqual(refused.map(() => "403"));
});

test("only the models of the run come through, in dated versions too, and what was refused is told once", () => {
  const { ask, gateway } = gatewayOf();
  const of = (model: unknown) => outcome(ask("anthropic", "/v1/messages", { ...claude, model }));
  expect(["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-haiku-4-5"].map(of)).toEqual(
    Array(3).fill("passed"),
  );
  expect(of("claude-opus-4-5")).toBe(
    "403 the model anthropic/claude-opus-4-5 is none of this run's (anthropic/claude-sonnet-4-5, anthropic/claude-haiku-*, openai/gpt-5, google/gemini-2.5-pro); work.models can name more",
  );
  expect(
    ["claude-sonnet-4-5-fast", "Claude-Sonnet-4-5", undefined, ["claude-sonnet-4-5"], ""].map((name) =>
      of(name).slice(0, 3),
    ),
  ).toEqual(Array(5).fill("403"));
  expect(outcome(ask("google", "/v1beta/models/gemini-9:generateContent")).slice(0, 3)).toBe("403");
  of("claude-opus-4-5");
  expect(gateway.refused().filter((line) => line.includes("opus"))).toHaveLength(1);
});

test("where nobody names a model, those with a known price come through", () => {
  const { ask } = gatewayOf({ models: null });
  expect(outcome(ask("openai", "/responses", { model: "gpt-5" }))).toBe("passed");
  expect(outcome(ask("openai", "/responses", { model: "gpt-99" }))).toMatch(/^403 .*no known price.*work\.models/);
});

test("what is judged is what is sent", () => {
  const { gateway } = gatewayOf();
  const body = Buffer.from('{"model":"claude-opus-4-5","mod\\u0065l":"claude-sonnet-4-5","n":1}');
  const entry = gateway.enter("anthropic", { method: "POST", path: "/v1/messages", body });
  expect(entry.kind === "passed" && entry.body.toString()).toBe('{"model":"claude-sonnet-4-5","n":1}');
  for (const text of ["", "[]", "null", "{", "model=x"]) {
    const refused = gateway.enter("anthropic", { method: "POST", path: "/v1/messages", body: Buffer.from(text) });
    expect(outcome(refused)).toBe("400 the body of a request to a model's server is no JSON object");
  }
});

test("the provider fetches nothing, calls nobody and answers nothing later for a program", () => {
  const { ask } = gatewayOf();
  const content = (block: unknown) => ({ ...claude, messages: [{ role: "user", content: [block] }] });
  const url = "https://evil.example/?data";
  const gpt = { model: "gpt-5" };
  const refused = [
    ask("anthropic", "/v1/messages", { ...claude, mcp_servers: [{ url }] }),
    ask("anthropic", "/v1/messages", { ...claude, tools: [{ type: "web_fetch_20250910" }] }),
    ask("anthropic", "/v1/messages", content({ type: "image", source: { type: "url", url } })),
    ask(
      "anthropic",
      "/v1/messages",
      content({ type: "tool_result", content: [{ type: "image", source: { type: "url", url } }] }),
    ),
    ask("anthropic", "/v1/messages", { ...claude, speed: "fast" }),
    ask("openai", "/responses", { ...gpt, tools: [{ type: "mcp", server_url: url }] }),
    ask("openai", "/responses", { ...gpt, tools: [{ type: "web_search" }] }),
    ask("openai", "/responses", {
      ...gpt,
      input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }],
    }),
    ask("openai", "/responses", { ...gpt, input: [{ content: [{ type: "input_file", file_url: url }] }] }),
    ask("openai", "/chat/completions", { ...gpt, messages: [{ content: [{ image_url: { url } }] }] }),
    ask("openai", "/responses", { ...gpt, background: true }),
    ask("openai", "/responses", { ...gpt, prompt: { id: "pmpt_1" } }),
    ask("openai", "/responses", { ...gpt, service_tier: "priority" }),
    ask("google", `${gemini}:generateContent`, { tools: [{ urlContext: {} }] }),
    ask("google", `${gemini}:generateContent`, { contents: [{ parts: [{ file_data: { file_uri: url } }] }] }),
  ];
  expect(refused.map((entry) => outcome(entry).slice(0, 3))).toEqual(refused.map(() => "403"));
  const passed = [
    ask("anthropic", "/v1/messages", content({ type: "tool_use", input: { type: "url", url, source: { url } } })),
    ask("anthropic", "/v1/messages", content({ type: "image", source: { type: "base64", data: "aGk=" } })),
    ask("anthropic", "/v1/messages", {
      ...claude,
      system: "be kind",
      tools: [{ name: "fetch", input_schema: { url } }],
    }),
    ask("openai", "/responses", {
      ...gpt,
      input: `see ${url}`,
      tools: [{ type: "web_search", external_web_access: false }],
    }),
    ask("openai", "/chat/completions", {
      ...gpt,
      messages: [{ content: [{ image_url: { url: "data:image/png;base64,aGk=" } }] }],
    }),
    ask("google", `${gemini}:generateContent`, {
      contents: [{ parts: [{ inlineData: { data: "aGk=" } }, { text: url }] }],
    }),
  ];
  expect(passed.map(outcome)).toEqual(passed.map(() => "passed"));
});

const USED = { text: "Done.", usage: { input: 1_000, cached: 400, written: 100, output: 200, reasoning: 50 } };

test("streams of all providers are counted by what they tell", async () => {
  const { gateway, ask } = gatewayOf();
  answer(ask("anthropic", "/v1/messages", claude), anthropicStream(USED, "claude-sonnet-4-5").join(""));
  expect(await gateway.read()).toEqual({
    calls: 1,
    usage: { input: 1_000, cachedInput: 400, cacheWrite: 100, output: 200, reasoning: 0, estimated: false },
    costUsd: (500 * 3 + 400 * 0.3 + 100 * 3.75 + 200 * 15) / 1e6,
  });
  const gpt = { input: 1_000, cachedInput: 400, cacheWrite: 0, output: 200, reasoning: 50, estimated: false };
  answer(ask("openai", "/responses", { model: "gpt-5" }), responsesStream(USED, "gpt-5").join(""));
  expect(await gateway.read()).toMatchObject({ calls: 1, usage: gpt, costUsd: (600 + 400 * 0.1 + 200 * 10) / 1e6 });
  answer(ask("openai", "/chat/completions", { model: "gpt-5" }), chatStream(USED, "gpt-5", true).join(""));
  expect((await gateway.read()).usage).toEqual(gpt);
  answer(ask("google", `${gemini}:streamGenerateContent`), googleStream(USED, "gemini-2.5-pro").join(""));
  expect((await gateway.read()).usage).toEqual(gpt);
  expect((await gateway.read()).calls).toBe(0);
});

test("answers in one piece are counted too, and lists of them", async () => {
  const { gateway, ask } = gatewayOf();
  const whole = { type: "message", usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 } };
  answer(ask("anthropic", "/v1/messages", claude), JSON.stringify(whole), "application/json");
  answer(
    ask("openai", "/responses", { model: "gpt-5" }),
    JSON.stringify({ usage: { input_tokens: 10, output_tokens: 7 } }),
    "application/json",
  );
  const list = [
    { usageMetadata: { promptTokenCount: 4 } },
    { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2 } },
  ];
  answer(ask("google", `${gemini}:streamGenerateContent`), JSON.stringify(list), "application/json");
  expect(await gateway.read()).toMatchObject({ calls: 3, usage: { input: 35, output: 21, estimated: false } });
});

test("an answer that breaks off, or tells no counts, is estimated; an error costs nothing", async () => {
  const { gateway, ask } = gatewayOf();
  const stream = anthropicStream({ text: "y".repeat(4_000), usage: { input: 1_000 } }, "m").join("");
  answer(ask("anthropic", "/v1/messages", claude), stream.slice(0, stream.indexOf("message_delta")));
  expect((await gateway.read()).usage).toMatchObject({ input: 1_000, output: 1_000, estimated: true });
  answer(
    ask("openai", "/chat/completions", { model: "gpt-5", input: "word ".repeat(800) }),
    chatStream({ text: "y".repeat(400) }, "m", false).join(""),
  );
  expect((await gateway.read()).usage).toMatchObject({ input: 1_007, output: 100, estimated: true });
  // The program left before any answer.
  answer(ask("anthropic", "/v1/messages", claude), null);
  expect((await gateway.read()).usage).toMatchObject({ input: 117, output: 0, estimated: true });
  answer(ask("anthropic", "/v1/messages", claude), JSON.stringify({ error: "overloaded" }), "application/json", 529);
  const unsent = ask("anthropic", "/v1/messages", claude);
  expect(unsent.kind).toBe("passed");
  (unsent.kind === "passed" ? unsent.count : null)?.end(false);
  expect((await gateway.read()).calls).toBe(0);
});

test("the money ends the run once, and what comes after it is refused", () => {
  const { gateway, ask } = gatewayOf();
  const told: string[] = [];
  gateway.allow({ usd: 0.01, tokens: null }, () => told.push("used up"));
  const costly = anthropicStream({ text: "x", usage: { input: 0, output: 500 } }, "m").join("");
  answer(ask("anthropic", "/v1/messages", claude), costly);
  expect(told).toEqual([]);
  answer(ask("anthropic", "/v1/messages", claude), costly);
  expect(told).toEqual(["used up"]);
  expect(outcome(ask("anthropic", "/v1/messages", claude))).toBe("402 the money that this run may cost is used up");
  expect(outcome(ask("anthropic", "/v1/messages/count_tokens", claude))).toBe("passed");
  gateway.allow({ usd: 0.01, tokens: null }, () => {});
  expect(outcome(ask("anthropic", "/v1/messages", claude))).toBe("passed");
  gateway.allow({ usd: 0, tokens: null }, () => {});
  expect(outcome(ask("anthropic", "/v1/messages", claude))).toMatch(/^402/);
});

test("tokens end a run whose model has no known price, and only those of such models count (R-WORK-13)", () => {
  const { gateway, ask } = gatewayOf({ priceOf: (model) => (model.includes("haiku") ? 0.001 : null) });
  const told: string[] = [];
  gateway.allow({ usd: 1, tokens: 1_000 }, () => told.push("used up"));
  const long = anthropicStream({ text: "x", usage: { input: 300, output: 300 } }, "m").join("");
  const cheap = { ...claude, model: "claude-haiku-4-5" };
  for (let n = 0; n < 3; n += 1) answer(ask("anthropic", "/v1/messages", cheap), long);
  answer(ask("anthropic", "/v1/messages", claude), long);
  expect(told).toEqual([]);
  answer(ask("anthropic", "/v1/messages", claude), long);
  expect(told).toEqual(["used up"]);
  expect(outcome(ask("anthropic", "/v1/messages", claude))).toMatch(/^402 the tokens .* \(work\.tokens\)$/);
  expect(outcome(ask("anthropic", "/v1/messages", cheap))).toBe("passed");
});

test("many requests at once cannot take more than there is", () => {
  const { gateway, ask } = gatewayOf();
  gateway.allow({ usd: 0.01, tokens: null }, () => {});
  const long = { ...claude, messages: [{ role: "user", content: "word ".repeat(2_000) }] };
  const entries = Array.from({ length: 10 }, () => ask("anthropic", "/v1/messages", long));
  expect(entries.map((entry) => outcome(entry).slice(0, 3))).toEqual(["pas", ...Array(9).fill("429")]);
  answer(entries[0] ?? ask("", ""), null);
  expect(outcome(ask("anthropic", "/v1/messages", claude))).toBe("passed");
});

test("requests in a minute are bounded", () => {
  const now = { at: 1_000_000 };
  const { ask } = gatewayOf({ requestsPerMinute: 3 }, now);
  const few = Array.from({ length: 4 }, () => outcome(ask("anthropic", "/v1/models", null, "GET")).slice(0, 3));
  expect(few).toEqual(["pas", "pas", "pas", "429"]);
  now.at += 61_000;
  expect(outcome(ask("anthropic", "/v1/models", null, "GET"))).toBe("passed");
});

test("the gateway knows how the last paid call ended, whatever the agent says of it (R-WORK-15)", () => {
  const { gateway, ask } = gatewayOf({}, { at: Date.UTC(2026, 0, 1) });
  const call = (end: (entry: Extract<Entry, { kind: "passed" }>) => void) => {
    const entry = ask("anthropic", "/v1/messages", claude);
    if (entry.kind === "passed") end(entry);
    const last = gateway.last();
    return typeof last === "string" ? last : `${last.retryable ? "passes" : "stays"}: ${last.brief}`;
  };
  const answers = (status: number, body: string, headers: Record<string, string> = {}) =>
    call(({ count }) => {
      count.begin(status, headers);
      count.take(Buffer.from(body));
      count.end(true);
    });
  const name = "anthropic/claude-sonnet-4-5";
  expect(gateway.last()).toBe("none");
  expect(answers(529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')).toBe(
    `passes: ${name} is overloaded (529)`,
  );
  expect(gateway.last()).toMatchObject({ message: expect.stringContaining("(529): Overloaded; ") });
  expect(answers(200, anthropicStream({ text: "hello" }, "m").join(""), { "content-type": "text/event-stream" })).toBe(
    "answered",
  );
  expect(answers(429, "slow down", { "retry-after": "40" })).toBe(`passes: ${name} is rate limited (429)`);
  expect(gateway.last()).toMatchObject({ retryAfterMs: 40_000 });
  expect(answers(502, "<html>Bad Gateway</html>")).toBe(`passes: ${name} failed on the server's side (502)`);
  expect(answers(429, '{"error":{"code":"insufficient_quota","message":"billing"}}')).toBe(
    `stays: ${name} wants payment (429)`,
  );
  expect(answers(401, "{}")).toBe(`stays: ${name} refused the key (401)`);
  const dns = Object.assign(new Error("getaddrinfo ENOTFOUND api.example"), { code: "ENOTFOUND" });
  expect(call(({ count }) => count.end(false, dns))).toBe(`passes: ${name} cannot be reached`);
  const broken = new Error("the connection was terminated");
  expect(
    call(({ count }) => {
      count.begin(200, { "content-type": "text/event-stream" });
      count.end(true, broken);
    }),
  ).toBe(`passes: ${name} broke off in mid-answer`);
  const inside = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  expect(answers(200, inside, { "content-type": "text/event-stream" })).toBe(`passes: ${name} is overloaded`);
  // The program left: that says nothing of the server.
  expect(call(({ count }) => count.end(true))).toBe(`passes: ${name} is overloaded`);
  ask("anthropic", "/v1/messages/count_tokens", claude);
  gateway.allow({ usd: null, tokens: null }, () => {});
  expect(gateway.last()).toBe("none");
});
