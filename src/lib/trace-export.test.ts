import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveOnLoopback } from "../../test/support/loopback.ts";
import { attributesOf, startTraceSink, wayTo } from "../../test/support/trace-sink.ts";
import { githubCall, listeningLog, startWeb } from "../../test/support/web-server.ts";
import { RelayError, Postponed } from "./errors.ts";
import { type TraceSettings, exportTraces } from "./trace-export.ts";
import { beginSpan, currentTrace, inSpan, isInTrace, noteInSpan, traceFields } from "./trace.ts";

const SETTINGS: TraceSettings = {
  sampler: "parentbased_always_on",
  samplerArgument: undefined,
  timeoutMs: 2_000,
  protocol: undefined,
};

/** Sends spans there until the test is over. */
function open(url: string, settings: Partial<TraceSettings> = {}) {
  const before = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = url;
  const { log, lines } = listeningLog();
  const { close } = exportTraces({ ...SETTINGS, ...settings }, log);
  if (before === undefined) delete process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  else process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = before;
  onTestFinished(close);
  return { close, lines };
}

const nothing = async () => await Promise.resolve();

describe("spans", () => {
  test("that work begins within others, also elsewhere and later, make one trace", async () => {
    const sink = await startTraceSink();
    const { close } = open(sink.url);
    const stored = await inSpan("first", {}, async () => {
      await inSpan("second", { attributes: { a: "b" } }, async () => await Promise.resolve(noteInSpan({ c: 1 })));
      return currentTrace();
    });
    expect(currentTrace()).toBeNull();
    await inSpan("third", { parent: stored, kind: "consumer" }, async () => {
      expect(isInTrace(stored ?? "")).toBe(true);
      expect(traceFields()).toEqual({
        trace_id: stored?.slice(3, 35),
        span_id: expect.stringMatching(/^[\da-f]{16}$/),
      });
      await Promise.resolve();
    });
    beginSpan("fourth", { parent: stored })({ d: true });
    await inSpan("another", { parent: null, links: [stored ?? "", "nonsense"] }, nothing);
    await close();
    expect(sink.spans.map((span) => wayTo(span, sink.spans))).toEqual([
      ["first", "second"],
      ["first"],
      ["first", "third"],
      ["first", "fourth"],
      ["another"],
    ]);
    expect(sink.spans.map((span) => span.links.map(({ traceId }) => traceId))).toEqual([
      [],
      [],
      [],
      [],
      [stored?.slice(3, 35)],
    ]);
    expect(sink.spans.map(attributesOf)).toMatchObject([{ a: "b", c: "1" }, {}, {}, { d: "true" }, {}]);
  });

  test("tell a failure by its code, not by its words; work that makes way has not failed", async () => {
    const sink = await startTraceSink();
    const { close } = open(sink.url);
    const thrown = [
      new RelayError("forbidden", "acme says: keep out"),
      new TypeError("acme says: keep out"),
      new Postponed("acme says: later", { retryAfterMs: 1 }),
    ];
    for (const error of thrown) {
      await expect(inSpan("work", {}, async () => await Promise.reject(error))).rejects.toBe(error);
    }
    await close();
    expect(sink.spans.map((span) => [attributesOf(span), span.status?.code ?? 0])).toEqual([
      [{ "error.type": "forbidden" }, 2],
      [{ "error.type": "TypeError" }, 2],
      [{ "relay.set_aside": "true" }, 0],
    ]);
    expect(sink.bodies.join("")).not.toContain("acme");
  });

  test("are sampled as the variables say", async () => {
    const sink = await startTraceSink();
    for (const [sampler, samplerArgument] of [
      ["always_off", ""],
      ["traceidratio", "0"],
      ["parentbased_traceidratio", "1"],
    ] as const) {
      const { close } = open(sink.url, { sampler, samplerArgument });
      await inSpan(sampler, {}, nothing);
      await close();
    }
    expect(sink.spans.map(({ name }) => name)).toEqual(["parentbased_traceidratio"]);
    const { lines } = open(sink.url, { sampler: "jaeger_remote", protocol: "grpc" });
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "traces are sent as http/json; the collector has to take that"],
      ["warn", "OTEL_TRACES_SAMPLER is none that Relay knows; everything is sampled"],
    ]);
  });
});

describe("a collector that", () => {
  /** More than one batch. */
  const work = async () => {
    for (let n = 0; n < 1_200; n += 1) await inSpan("work", {}, nothing);
  };
  const toldOnce = [{ level: "warn", message: "traces do not reach the collector; Relay goes on without" }];

  test("is not there stops nothing, and is told of once", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    const address = closed.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => closed.close(resolve));
    const { close, lines } = open(`http://127.0.0.1:${port}`, { timeoutMs: 200 });
    await work();
    await close();
    expect(lines).toMatchObject(toldOnce);
  });

  test("never answers keeps neither work nor the end waiting", async () => {
    const url = await serveOnLoopback(() => {});
    const { close, lines } = open(url, { timeoutMs: 200 });
    await work();
    await close();
    expect(lines).toMatchObject(toldOnce);
  });

  test("refuses is told of once", async () => {
    const url = await serveOnLoopback((_, response) => void response.writeHead(403).end("no"));
    const { close, lines } = open(url);
    await work();
    await close();
    expect(lines).toMatchObject(toldOnce);
  });
});

describe("a webhook call", () => {
  const FOREIGN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  test("begins a trace of its own, whatever span it says that it comes from; the two are linked", async () => {
    const sink = await startTraceSink();
    const { close } = open(sink.url);
    const { address } = await startWeb();
    const call = githubCall();
    await fetch(`${address}/webhooks/github`, { ...call, headers: { ...call.headers, traceparent: FOREIGN } });
    await close();
    expect(sink.spans).toMatchObject([
      { name: "POST /webhooks/github", kind: 2, links: [{ traceId: FOREIGN.slice(3, 35) }] },
    ]);
    expect(sink.spans[0]?.parentSpanId ?? "").toBe("");
    expect(sink.spans[0]?.traceId).not.toBe(FOREIGN.slice(3, 35));
    expect(attributesOf(sink.spans[0] ?? fail())).toMatchObject({
      "http.response.status_code": "202",
      "relay.webhook.result": "accepted",
    });
  });

  test("without a signature leaves no span (R-IN-1)", async () => {
    const sink = await startTraceSink();
    const { close } = open(sink.url);
    const { address } = await startWeb();
    const call = githubCall();
    const headers = { ...call.headers, "x-hub-signature-256": "sha256=00" };
    expect((await fetch(`${address}/webhooks/github`, { ...call, headers })).status).toBe(401);
    await close();
    expect(sink.spans).toEqual([]);
  });
});

function fail(): never {
  throw new Error("there is no such span");
}
