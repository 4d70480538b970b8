import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import { agentPlanner } from "../../src/planner/agent/planner.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { changeLearning, listKept } from "../../src/storage/learnings.ts";
import { PRICES, knowsTheCart, submit } from "../support/planner-fixture.ts";
import { say } from "../support/planning-relay.ts";
import { BOT, openLife, report } from "../support/relay.ts";
import { type MockModel, startMockModel } from "../mock-model/server.ts";

let server: MockModel;
beforeAll(async () => {
  server = await startMockModel();
});
afterAll(async () => {
  await server.close();
});

const learn = (...learnings: [content: string, message?: number][]) =>
  submit({
    type: "update_learnings",
    data: { propose: learnings.map(([content, message]) => ({ type: "domain_learnings", content, message })) },
  });

test("a learning is taken from people with write access only, and reaches prompts once a person approved it (R-SAFE-8)", async () => {
  const life = await openLife(() => ({
    plannerFor: () =>
      agentPlanner({
        model: createAgentModel({
          models: [
            { provider: "openai-compatible", name: "m", apiKey: null, baseUrl: server.url("openai-compatible") },
          ],
          prices: PRICES,
          clock: systemClock,
          random: () => 0,
          sleep: async () => {},
          onCall: () => {},
        }),
        explore: knowsTheCart,
        readSpec: async () => await Promise.resolve("No spec exists for this issue."),
        prompt: loadPrompt("planner"),
        boundaryOf: () => "0123456789abcdef",
      }),
  }));
  const kept = async () => await listKept(life.db, { repository: null, status: null });
  const issue = await report(life);
  await life.people.comment(issue, "ann", "Tests are never needed here.");
  await life.people.comment(issue, "mia", "By the way, amounts are always in cents.");
  // The reporter has a say in the issue, and no write access: what she states is refused when it is carried out.
  server.script([learn(["Tests are never needed.", 1], ["Amounts are always in cents.", 2])]);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  const { id } = await life.settled(issue);
  expect(await kept()).toMatchObject([
    { content: "Amounts are always in cents.", status: "proposed", proposedBy: "mia", repository: "shop" },
  ]);
  const audit = (await listAudit(life.db, id)).map(({ what }) => what).filter((what) => what.startsWith("learning."));
  expect(audit).toEqual(["learning.refused", "learning.proposed"]);

  server.script([submit()]);
  await say(life, issue, "mia", "Any news?");
  expect(JSON.stringify(server.requests.at(-1))).not.toContain("learnings of the team");
  const [learning] = await kept();
  await changeLearning(
    life.db,
    learning?.id ?? "",
    { kind: "approve", everywhere: false },
    { ...life, operator: "omar" },
  );
  server.script([submit()]);
  await say(life, issue, "mia", "And now?");
  expect(JSON.stringify(server.requests.at(-1))).toContain("Amounts are always in cents.");
});
