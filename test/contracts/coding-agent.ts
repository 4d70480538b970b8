import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CodingAgent } from "../../src/adapters/agents/agent.ts";
import type { AgentTokens } from "../../src/domain/work.ts";
import { type AgentStage, agentStage, TEST_KEY } from "../support/coding-agent-fixture.ts";

export interface TriedAgent {
  agent: CodingAgent;
  /** A folder with a program of the agent's name that does what the line `do: …` of its task says. */
  programs: string;
  /** Agents that speak in a form of their own, and so tell more than text. */
  tells: { tools: boolean; limits: boolean; tokens: AgentTokens | null; usd: boolean };
}

const seenSchema = z.object({ args: z.array(z.string()), environment: z.record(z.string(), z.string()) });
const environment = { OPENAI_API_KEY: TEST_KEY, GEMINI_API_KEY: TEST_KEY };

function seen(stage: AgentStage): z.infer<typeof seenSchema> {
  return seenSchema.parse(JSON.parse(readFileSync(join(stage.home, "seen.json"), "utf8")));
}

function written(stage: AgentStage): string {
  return readFileSync(join(stage.directory, "hello.txt"), "utf8");
}

function stageOf(is: TriedAgent): { stage: AgentStage; is: TriedAgent; run: AgentStage["run"] } {
  const stage = agentStage([is.programs]);
  return { stage, is, run: stage.run };
}

/** What every coding agent must do, however it is called and whatever it prints. */
export function describeCodingAgent(name: string, setUp: () => TriedAgent): void {
  describe(`${name} as a coding agent`, () => {
    test("changes the tree, and tells what it says and does", async () => {
      const { stage, run, is } = stageOf(setUp());
      const report = await run(is.agent, { prompt: "do: edit\n", environment });
      expect(report).toMatchObject({ ending: { kind: "finished" }, usd: is.tells.usd ? 0.25 : null });
      expect(report.summary).toMatch(/All is done\.$/);
      expect(report.tokens).toEqual(is.tells.tokens);
      expect(stage.changes()).toBe("?? hello.txt");
      const told = report.entries.map(({ kind, text }) => `${kind}: ${text}`);
      expect(told.some((line) => line.startsWith("said: I begin."))).toBe(true);
      expect(told.some((line) => /^tool: .*hello\.txt/.test(line))).toBe(is.tells.tools);
    });

    test("gets the whole of a task that is long and begins like an option", async () => {
      const { stage, run, is } = stageOf(setUp());
      const prompt = `--help\ndo: edit\n${"Ünïcode and {directory}. ".repeat(4_500)}\nThe end.`;
      await run(is.agent, { prompt, environment });
      expect(written(stage).endsWith("The end.")).toBe(true);
      expect(written(stage)).toContain(prompt.slice(2));
    });

    test("gives it a home of its own, which is gone afterwards, and no key among its arguments", async () => {
      const { stage, run, is } = stageOf(setUp());
      await run(is.agent, { prompt: "do: edit\n", environment });
      const { args, environment: given } = seen(stage);
      expect(given).toMatchObject(environment);
      expect(given["HOME"]).toMatch(new RegExp(`^${stage.home}/`));
      expect(args.join(" ")).not.toContain(TEST_KEY);
      expect(readdirSync(stage.home).filter((left) => left.startsWith("run-"))).toEqual([]);
    });

    test("that fails is worth another run, and no key is told", async () => {
      const { run, is } = stageOf(setUp());
      const report = await run(is.agent, { prompt: "do: fail\n", environment });
      expect(report.ending).toMatchObject({ kind: "failed", usable: true });
      expect(JSON.stringify(report.ending)).toContain("the server is overloaded");
      expect(JSON.stringify(report)).not.toContain(TEST_KEY);
    });

    test("whose key is refused is not run again", async () => {
      const { run, is } = stageOf(setUp());
      const report = await run(is.agent, { prompt: "do: be refused\n", environment });
      expect(report.ending).toMatchObject({ kind: "failed", usable: false });
    });

    test("that met a limit of its own says so, where it has one", async () => {
      const { run, is } = stageOf(setUp());
      const { ending } = await run(is.agent, { prompt: "do: meet its limit\n", environment });
      expect(ending.kind).toBe(is.tells.limits ? "limit" : "failed");
    });

    test("that says nothing more has finished", async () => {
      const { stage, run, is } = stageOf(setUp());
      expect((await run(is.agent, { prompt: "do: say nothing\n" })).ending).toEqual({ kind: "finished" });
      expect(stage.changes()).toBe("");
    });

    test("that was killed has failed", async () => {
      const { run, is } = stageOf(setUp());
      const { ending } = await run(is.agent, { prompt: "do: die\n" });
      expect(ending).toMatchObject({ kind: "failed", usable: true });
    });

    test("that hangs is stopped by whoever started it", async () => {
      const { run, is } = stageOf(setUp());
      const stop = new AbortController();
      const report = await run(is.agent, {
        prompt: "do: hang\n",
        signal: stop.signal,
        onEntry: () => stop.abort(),
      });
      expect(report.ending).toEqual({ kind: "stopped" });
    });

    test("that hangs is ended when its time is over", async () => {
      const { run, is } = stageOf(setUp());
      expect((await run(is.agent, { prompt: "do: hang\n", timeoutMs: 500 })).ending).toMatchObject({ kind: "timeout" });
    });

    test.each(["flood", "never end a line"])(
      "whose output would %s is ended, and little of it is kept",
      async (does) => {
        const { run, is } = stageOf(setUp());
        const report = await run(is.agent, { prompt: `do: ${does}\n`, mostOutputBytes: 3_000_000 });
        expect(report.ending).toEqual({ kind: "flooded" });
        expect(report.summary.length).toBeLessThanOrEqual(4_000);
        expect(report.entries.filter(({ text }) => text.length > 4_100)).toEqual([]);
        expect(report.entries.length).toBeLessThan(10_000);
      },
    );

    test("that prints what cannot be understood is listened to further", async () => {
      const { stage, run, is } = stageOf(setUp());
      const report = await run(is.agent, { prompt: "do: stammer\n" });
      expect(report.ending).toEqual({ kind: "finished" });
      expect(report.summary).toMatch(/All is done\.$/);
      expect(stage.changes()).toBe("?? hello.txt");
    });

    test("that is not installed is an error of the configuration", async () => {
      const { is } = stageOf(setUp());
      const elsewhere = agentStage([]);
      await expect(elsewhere.run(is.agent)).rejects.toMatchObject({ code: "config" });
    });
  });
}
