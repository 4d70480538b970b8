import { describe, expect, test } from "vitest";
import type { Turn } from "../mock-model/server.ts";
import { type Stage, KEY, call, done, failureOf } from "./model-fixture.ts";

/** Servers that do not answer as they should, and who answers instead. */
export function describeTroubles(stage: Stage): void {
  const { run, calls, waits, connection } = stage;
  describe("with a server in trouble", () => {
    test("waits as long as a 429 asks, and goes on", async () => {
      const busy: Turn = { kind: "status", status: 429, headers: { "retry-after": "7" } };
      const outcome = await run([busy, done]);
      expect(outcome).toMatchObject({ kind: "finished", calls: 2 });
      expect(waits).toEqual([7_000]);
      expect(calls.map(({ status, attempt, step }) => [status, attempt, step])).toEqual([
        ["rate_limited", 1, 1],
        ["answered", 2, 1],
      ]);
    });

    test("does not wait longer than is sensible, and says how long it was asked to", async () => {
      const outcome = await run([{ kind: "status", status: 429, headers: { "retry-after": "3600" } }]);
      expect(failureOf(outcome)).toMatchObject({ kind: "rate_limited", retryable: true, retryAfterMs: 3_600_000 });
      expect(waits).toEqual([]);
    });

    test.each([
      [529, "overloaded"],
      [503, "overloaded"],
      [500, "server_error"],
    ] as const)("tries a %i again, with longer and longer waits, and then fails", async (status, kind) => {
      const outcome = await run(Array.from({ length: 9 }, () => ({ kind: "status", status })));
      expect(failureOf(outcome)).toMatchObject({ kind, status, retryable: true });
      expect(waits).toEqual([500, 1_000, 2_000]);
      expect(outcome).toMatchObject({ calls: 4, usage: { input: 0, output: 0 }, costUsd: 0 });
    });

    test.each([
      [400, "invalid field", "bad_request"],
      [400, "prompt is too long: 250000 tokens > 200000 maximum", "too_long"],
      [400, "Your credit balance is too low", "no_credit"],
      [400, "registry.ollama.ai/library/phi does not support tools", "no_tools"],
      [404, "No endpoints found that support tool use", "no_tools"],
      [401, "invalid x-api-key", "auth"],
      [403, "not allowed", "auth"],
      [404, "no such model", "not_found"],
      [413, "too large", "too_long"],
      [307, "over there", "not_found"],
    ] as const)("never tries a %i (%s) again", async (status, message, kind) => {
      const headers = status === 307 ? { location: `${stage.server.url(stage.provider)}/elsewhere` } : {};
      const outcome = await run([{ kind: "status", status, message, headers }, done]);
      expect(failureOf(outcome)).toMatchObject({ kind, status, retryable: false });
      expect(stage.server.requests).toHaveLength(1);
    });

    test("never says the key", async () => {
      const outcome = await run([{ kind: "status", status: 401, message: `Incorrect API key provided: ${KEY}` }]);
      expect(JSON.stringify([outcome, calls])).not.toContain(KEY);
      expect(JSON.stringify(stage.server.requests[0]?.headers)).toContain(KEY);
    });

    test("gives up a connection on which nothing comes, and tries again", async () => {
      const timeouts = { callMs: 20_000, silenceMs: 2_000 };
      const outcome = await run([{ kind: "hang" }, { kind: "stall", text: "It" }, done], {}, { timeouts });
      expect(outcome).toMatchObject({ kind: "finished", calls: 3 });
      expect(calls.map((each) => each.status)).toEqual(["timeout", "timeout", "answered"]);
    });

    test("gives up a call that takes too long as a whole", async () => {
      const timeouts = { callMs: 150, silenceMs: 20_000 };
      const retry = { attempts: 1, totalMs: 1, baseMs: 1, maxWaitMs: 1, maxRetryAfterMs: 1 };
      const outcome = await run([{ kind: "stall", text: "It" }], {}, { timeouts, retry });
      expect(failureOf(outcome)).toMatchObject({ kind: "timeout", retryable: true });
    });

    test.each(["cut", "unfinished"] as const)("counts an answer that is %s, and asks again", async (kind) => {
      const outcome = await run([{ kind, text: "It may rain in" }, done]);
      expect(outcome).toMatchObject({ kind: "finished", calls: 2 });
      expect(calls[0]).toMatchObject({ status: "cut_short", output: { text: "It may rain in" } });
      // Gemini tells its counts with every chunk.
      expect(calls[0]?.usage.estimated).toBe(stage.provider !== "google");
      expect(calls[0]?.usage.input).toBeGreaterThan(0);
      expect(calls[0]?.usage.output).toBeGreaterThan(0);
      expect(outcome.usage.input).toBe((calls[0]?.usage.input ?? 0) + (calls[1]?.usage.input ?? 0));
    });

    test("tries again when an answer ends in an error", async () => {
      const late: Turn = { kind: "late_error", text: "It may", message: "overloaded just now" };
      const outcome = await run([late, done]);
      expect(outcome).toMatchObject({ kind: "finished", calls: 2 });
      expect(calls[0]).toMatchObject({ status: "overloaded", output: { text: "It may" } });
      expect(calls[0]?.usage.output).toBeGreaterThan(0);
    });

    test("cannot reach a server that is not there", async () => {
      const nowhere = { ...connection(), baseUrl: "http://127.0.0.1:9" };
      const outcome = await run([], {}, { models: [nowhere] });
      expect(failureOf(outcome)).toMatchObject({ kind: "unreachable", retryable: true });
      expect(outcome).toMatchObject({ calls: 4, usage: { input: 0 } });
    });

    test.each(["data: {not json\n\n", "<html>hello</html>", 'data: {"surprise": true}\n\n', ""])(
      "fails on an answer that is no answer: %j",
      async (body) => {
        const outcome = await run(Array.from({ length: 9 }, () => ({ kind: "raw", body })));
        expect(["invalid_answer", "cut_short"]).toContain(failureOf(outcome).kind);
      },
    );
  });

  describe("with a fallback", () => {
    const overloaded: Turn[] = Array.from({ length: 4 }, () => ({ kind: "status", status: 529 }));

    test("goes on with the second model in the midst of a conversation, and says so", async () => {
      const looked: Turn = { ...call("weather", { city: "Bern" }), reasoning: "Bern is a city." };
      const models = [connection(), connection("second")] as const;
      const outcome = await run([looked, ...overloaded, done], {}, { models });
      expect(outcome).toMatchObject({
        kind: "finished",
        model: `${stage.provider}/second`,
        fellBackFrom: [{ model: `${stage.provider}/priced`, failure: { kind: "overloaded" } }],
        costUsd: null,
      });
      const body = JSON.stringify(stage.server.requests.at(-1)?.body);
      expect(body).toContain("It rains in Bern.");
      expect(body).not.toMatch(/signed-by-anthropic|sealed-by-openai/);
    });

    test("is not used for what it could not mend", async () => {
      const models = [connection(), connection("second")] as const;
      const outcome = await run([{ kind: "status", status: 401 }, done], {}, { models });
      expect(failureOf(outcome).kind).toBe("auth");
      expect(outcome.fellBackFrom).toEqual([]);
    });
  });
}
