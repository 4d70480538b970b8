import { afterAll, beforeAll, expect, test } from "vitest";
import { OPEN, actor, openRun, orderOf, play } from "../../../test/support/run-fixture.ts";
import { workspaceStage, type WorkspaceStage } from "../../../test/support/workspace-fixture.ts";
import type { ModelFailure } from "../../adapters/models/model.ts";
import { failureOf } from "../../adapters/models/failure.ts";
import type { IterationFacts } from "../../domain/work.ts";
import type { NetworkSeen } from "./context.ts";
import { networkTrouble } from "./network-trouble.ts";

let stage: WorkspaceStage;
beforeAll(() => {
  stage = workspaceStage({ "total.txt": "5\n" });
});
afterAll(() => stage.close());

const REFUSED: NetworkSeen = { ...OPEN, wasRefused: () => true };
const CLOSED: NetworkSeen = { ...OPEN, isOpen: false };
const MISSED: NetworkSeen = { ...OPEN, unreached: () => ["registry.example does not answer at port 443"] };

test("an outage of the network is told from a set-up that fails by itself, or that may not reach a host", () => {
  const why = (output: string, network: NetworkSeen, before = 0) =>
    networkTrouble({ command: "npm ci", output }, network, before)?.why ?? null;
  const passing = [
    "npm error code EAI_AGAIN",
    "npm error network request to https://registry.example failed, reason: getaddrinfo ENOTFOUND registry.example",
    "npm error 503 Service Unavailable - GET https://registry.example/left-pad",
    "fatal: unable to access 'https://git.example/': Could not resolve host: git.example",
    "fatal: unable to access 'https://git.example/': The requested URL returned error: 502",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: Read timed out.",
    'go: example.org/x@v1: Get "https://proxy.example/": dial tcp: lookup proxy.example: no such host',
    "E: Failed to fetch http://deb.example/x.deb  Temporary failure in name resolution",
    "error: failed to download from `https://index.example/a` ... Connection reset by peer",
  ];
  expect(passing.filter((output) => why(output, OPEN) === null)).toEqual([]);
  expect(passing.filter((output) => why(output, REFUSED) !== null || why(output, CLOSED) !== null)).toEqual([]);
  const staying = [
    "npm error 404 Not Found - GET https://registry.example/lft-pad",
    "npm error code ERESOLVE",
    "error TS2304: Cannot find name 'x' (500 files)",
    "ERROR: No matching distribution found for lft-pad",
    "",
  ];
  expect(staying.filter((output) => why(output, OPEN) !== null)).toEqual([]);
  expect(why("", MISSED)).toBe("npm ci failed: registry.example does not answer at port 443");
  expect(why("", MISSED, 1)).toBeNull();
});

test("a set-up that meets an outage is no end of the run, before the work and in the proof (R-WORK-15)", async () => {
  const { workspace, subjects } = await openRun(stage);
  const agent = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    await write(".relay-task/done.md", "Done.");
  });
  const setUp = (passes: string) => ({
    setup: [`${passes} || { echo "npm error code EAI_AGAIN"; exit 1; }`],
    tests: [],
  });
  const first = await play(orderOf({ commands: { ...setUp("false"), checks: ["true"] } }), workspace, agent);
  expect(first.result).toMatchObject({ kind: "outage", trouble: { of: "network" } });
  expect([agent.tasks.length, first.facts]).toEqual([0, []]);
  // The run's own tree is not the clean checkout.
  const inRun = setUp(`test "$PWD" = "${workspace.directory}"`);
  const order = orderOf({ commands: { ...inRun, checks: ["true"] } });
  const cut = await play(order, workspace, agent);
  expect(cut.result).toMatchObject({ kind: "outage" });
  expect(cut.facts.map(({ number, proof }) => [number, proof])).toEqual([
    [0, undefined],
    [1, undefined],
  ]);
  const commands = { ...setUp("true"), checks: ["true"] };
  const { result } = await play(orderOf({ commands }), workspace, agent, { earlier: cut.facts });
  expect(result.kind).toBe("done");
  expect([agent.tasks.length, subjects().length]).toEqual([1, 1]);
});

const overloaded = failureOf(
  { statusCode: 529, responseHeaders: { "retry-after": "40" } },
  { model: "anthropic/m", key: null, began: false, now: new Date() },
);
const refusedKey = failureOf({ statusCode: 401 }, { model: "anthropic/m", key: null, began: false, now: new Date() });

/** A gateway whose last call ended so. */
const gatewayWith = (last: ModelFailure | "answered" | "none") => ({
  allow: () => {},
  last: () => last,
  read: async () =>
    await Promise.resolve({
      calls: 0,
      usage: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false },
      costUsd: null,
    }),
});

test("what Relay's gateway saw of the model decides, however the agent ends (R-WORK-15)", async () => {
  const { workspace } = await openRun(stage);
  const spent: IterationFacts[] = [];
  const ended = async (ending: "finished" | "failed" | "timeout", last: Parameters<typeof gatewayWith>[0]) => {
    const by = ending === "failed" ? { kind: ending, detail: "", usable: true, passing: true } : { kind: ending };
    const agent = actor(async () => await Promise.resolve({ ending: by }));
    const limits = { iterations: 1, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null };
    const gateway = gatewayWith(last);
    const onInterrupted = async (facts: IterationFacts) => {
      spent.push(facts);
      await Promise.resolve();
    };
    const { result } = await play(orderOf(), workspace, agent, { gateway, limits, onInterrupted });
    return result.kind === "outage" ? result.trouble : result.kind;
  };
  const trouble = { of: "model", why: "anthropic/m is overloaded (529)", retryAfterMs: 40_000 };
  expect(await ended("failed", overloaded)).toEqual(trouble);
  expect(await ended("finished", overloaded)).toEqual(trouble);
  expect(await ended("timeout", overloaded)).toEqual(trouble);
  expect(await ended("failed", "none")).toMatchObject({ why: "actor does not get through to its model" });
  expect(spent.map(({ usd }) => usd)).toEqual([0.1, 0.1, 0.1, 0.1]);
  // Its words tell of an outage; its calls were answered, or refused for good.
  expect(await ended("failed", "answered")).toBe("limit");
  expect(await ended("failed", refusedKey)).toBe("limit");
  expect(await ended("finished", "none")).toBe("limit");
});

test("an agent that noted that it is done, or has a question, has ended its work before the outage", async () => {
  const { workspace } = await openRun(stage);
  const asks = actor(async ({ write }) => {
    await write(".relay-task/question.md", "Net or gross?");
    return { ending: { kind: "failed", detail: "", usable: true } };
  });
  const { result } = await play(orderOf(), workspace, asks, { gateway: gatewayWith(overloaded) });
  expect(result).toMatchObject({ kind: "question" });
});
