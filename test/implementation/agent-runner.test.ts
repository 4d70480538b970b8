import { expect, test } from "vitest";
import { configWithoutFile } from "../../src/config/config.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { openAgentRunner } from "../../src/app/agent-runner.ts";
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
