import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MockModel, startMockModel } from "../mock-model/server.ts";
import { looks } from "../support/planner-fixture.ts";
import { FOUND, ORDERS, READS, STORY } from "../support/sample-story.ts";
import { EXAMPLES, relay } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";

let server: MockModel;
beforeAll(async () => {
  server = await startMockModel();
});
afterAll(async () => {
  await server.close();
});

const ISSUE = join(EXAMPLES, "issue.md");
const env = () => ({
  RELAY_MODEL: "openai-compatible/m",
  RELAY_MODEL_BASE_URL: server.url("openai-compatible"),
});

test("relay spec with a model: it plans, asks for the go-ahead, and writes", async () => {
  const desk = await newSetUpDesk();
  server.script(STORY, { forever: true });
  const ended = await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--yes", "--json"], { env: env() });
  expect(ended.err).not.toMatch(/^relay: /m);
  expect(JSON.parse(ended.out)).toMatchObject({ spec_ref: { backend: "local" } });
  const [ordering, first] = server.requests;
  expect(JSON.stringify(ordering?.body)).toContain("order_files");
  // The planner was told the issue, the rules, and where the code index would look first.
  const asked = JSON.stringify(first?.body);
  expect(asked).toContain(
    readFileSync(ISSUE, "utf8")
      .match(/^title: (.+)$/m)?.[1]
      ?.slice(0, 20),
  );
  expect(asked).toMatch(/the model placed it first: It compares \([^)]+\); /);
  expect(asked).toContain("submit_actions");
  const log = await relay(desk, ["log", "57", "--json"]);
  expect(log.out.match(/"stage":\s*"rerank"/g)).toHaveLength(1);
});

test.each([
  ["", true],
  ["src/export/**", false],
])("a model sees what it looked for, unless the configuration protects it (%j)", async (protect, seen) => {
  const desk = await newSetUpDesk();
  server.script([ORDERS, looks(), READS, FOUND, FOUND, { kind: "status", status: 400, message: "enough" }], {
    forever: true,
  });
  const protecting = { ...env(), RELAY_EXPLORE_PROTECT: protect };
  await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--yes"], { env: protecting });
  expect(JSON.stringify(server.requests.map(({ body }) => body)).includes("exported.reduce(")).toBe(seen);
});

test("a model without an address, or without a key, is one sentence that names the variable", async () => {
  const desk = await newSetUpDesk();
  const none = await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--model", "openai-compatible/m"]);
  expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/^relay: [^\n]*RELAY_MODEL_BASE_URL[^\n]*\n$/) });
  const keyless = { ANTHROPIC_API_KEY: "" };
  const ended = await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--model", "anthropic/x"], {
    env: keyless,
  });
  expect(ended.err).toMatch(/ANTHROPIC_API_KEY/);
  expect(ended.code).not.toBe(0);
});

test("a model that fails leaves the issue as it was; with the rules as the fallback they go on, and say so", async () => {
  const desk = await newSetUpDesk();
  server.script([{ kind: "status", status: 400, message: "no such model" }], { forever: true });
  const failed = await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--yes"], { env: env() });
  expect(failed.code).not.toBe(0);
  expect(failed.err).toMatch(/^relay: [^\n]+\n$/m);
  const withRules = { ...env(), RELAY_MODEL_FALLBACK: "offline", RELAY_MODEL_SPEC: "offline" };
  const ended = await relay(desk, ["spec", ISSUE, "--repo", desk.repository, "--yes", "--json"], { env: withRules });
  expect(JSON.parse(ended.out)).toMatchObject({ spec_ref: { backend: "local" } });
  const log = await relay(desk, ["log", "57", "--json"]);
  expect(log.out).toContain("planned by the rules");
});
