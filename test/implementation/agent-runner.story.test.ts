import { expect, test } from "vitest";
import { configWithoutFile } from "../../src/config/config.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { openAgentRunner, tokensOf } from "../../src/app/worker/agent-runner.ts";
import { agreed, agentOf, openWorking } from "../support/working-relay.ts";

test("an agent without its key is not started: the issue tells which variable to set", async () => {
  const agent = agentOf();
  const life = await openWorking(agent);
  const issue = await agreed(life);
  const { work, ...rest } = configWithoutFile({});
  const config = { ...rest, home: life.work.home, work: { ...work, agent: "claude", sandbox: "none" } as const };
  const runner = await openAgentRunner(config, life.work, {});
  await runner?.executeTask((await life.taskOf(issue)).id);
  const stored = await life.existing(issue);
  expect(stored.state).toBe("failed");
  const [run] = await listRuns(life.db, stored.id);
  expect(run).toMatchObject({ status: "failed", agent: "claude", usd: 0 });
  for (const name of ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "docs/agents.md"])
    expect(run?.detail).toContain(name);
});

test("without a coding agent there is nobody to carry anything out", async () => {
  const { work } = await openWorking(agentOf());
  expect(await openAgentRunner(configWithoutFile({}), work, {})).toBeNull();
});

test.each([
  [{}, "anthropic/claude-known", 2_000_000],
  [{ usd: 1 }, "anthropic/claude-known", 200_000],
  [{ usd: "off" as const }, "anthropic/claude-known", 20_000_000],
  [{}, "anthropic/other", 20_000_000],
  [{}, null, 20_000_000],
  [{ tokens: 5_000 }, "anthropic/claude-known", 5_000],
  [{ tokens: "off" as const }, "anthropic/claude-known", null],
])("the tokens of a task without a known price: %j with %s may use %s", (work, model, most) => {
  const prices = { models: [{ model: "anthropic/claude-known", input: 5, output: 25 }] };
  const [provider = "", name = ""] = (model ?? "").split("/");
  const bounds = configWithoutFile({}).work;
  expect(tokensOf({ ...bounds, ...work }, model === null ? null : { provider, name }, prices)).toBe(most);
});
