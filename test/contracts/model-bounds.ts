import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentRequest } from "../../src/adapters/models/model.ts";
import { agentTool } from "../../src/adapters/models/tool.ts";
import { type Stage, call, done, failureOf } from "./model-fixture.ts";

type Turns = AgentRequest["turns"];

const look = (n: number) => call("weather", { city: `City ${n}` });

/** What ends a run that would go on. */
export function describeBounds(stage: Stage): void {
  const { run, calls } = stage;
  describe("within its limits", () => {
    const endless = Array.from({ length: 40 }, (_, n) => look(n));

    test.each([
      [{ steps: 3 }, "steps", 3],
      [{ inputTokens: 250 }, "input_tokens", 3],
      [{ outputTokens: 30 }, "output_tokens", 2],
      [{ costUsd: 0.003 }, "cost", 2],
    ] as const)("%j ends the run", async (limits, limit, made) => {
      expect(await run(endless, { limits })).toMatchObject({ kind: "limit", limit, calls: made });
    });

    test("time ends the run, also in the midst of a call", async () => {
      const outcome = await run([{ kind: "hang" }], { limits: { ms: 2_000 } });
      expect(outcome).toMatchObject({ kind: "limit", limit: "time" });
      expect(calls.map((each) => each.status)).toEqual(["aborted"]);
      await expect.poll(() => stage.server.open()).toBe(0);
    });

    test("time ends the run, also in the midst of a tool that takes no notice", async () => {
      const stuck = agentTool({
        name: "weather",
        description: "Stuck.",
        input: z.object({}),
        execute: async () => await new Promise<string>(() => {}),
      });
      const outcome = await run([call("weather", {})], { tools: [stuck], limits: { ms: 2_000 } });
      expect(outcome).toMatchObject({ kind: "limit", limit: "time" });
    });

    test("a prompt over its limit is not sent", async () => {
      const turns: Turns = [{ role: "user", content: "rain <|endoftext|> ".repeat(5_000) }];
      const outcome = await run([done], { turns, limits: { promptTokens: 10_000 } });
      expect(failureOf(outcome)).toMatchObject({ kind: "too_long", retryable: false });
      expect(stage.server.requests).toEqual([]);
    });

    test("the context of the model holds as well, with room for the answer", async () => {
      const models = [stage.connection("small")] as const;
      const turns: Turns = [{ role: "user", content: "rain ".repeat(10_000) }];
      expect(failureOf(await run([done], { turns }, { models })).message).toMatch(
        /more than 3616 tokens and was not sent/,
      );
    });

    test("the caller can end it at any time, in a call, a tool or a wait", async () => {
      const stop = new AbortController();
      const stuck = agentTool({
        name: "weather",
        description: "Stuck.",
        input: z.object({}),
        execute: async () => {
          stop.abort();
          return await new Promise<string>(() => {});
        },
      });
      expect(await run([call("weather", {})], { tools: [stuck], signal: stop.signal })).toMatchObject({
        kind: "aborted",
        calls: 1,
      });
      const before = await run([done], { signal: AbortSignal.abort() });
      expect(before.kind).toBe("aborted");
      const waiting = new AbortController();
      const outcome = await run(
        [{ kind: "status", status: 529 }, done],
        { signal: waiting.signal },
        {
          sleep: async (_, signal) => {
            waiting.abort();
            signal?.throwIfAborted();
          },
        },
      );
      expect(outcome).toMatchObject({ kind: "aborted", calls: 1 });
    });
  });
}
