import { expect, onTestFinished, test } from "vitest";
import { startMockModel } from "../mock-model/server.ts";
import { githubPlace } from "./hosted-github.ts";
import { PATIENT, openServing } from "./serving-fixture.ts";

test("a server that is told to stop ends, though a model never answers, and calls nothing of that a failure", async () => {
  const model = await startMockModel();
  onTestFinished(async () => await model.close());
  model.script([{ kind: "hang" }], { forever: true });
  const place = await githubPlace();
  const serving = await openServing(place);
  serving.env["RELAY_MODEL"] = "openai-compatible/slow";
  serving.env["RELAY_MODEL_BASE_URL"] = model.url("openai-compatible");
  const served = await serving.start("web,planner");
  place.assign("ruthg", "The export is wrong", "It says EXPORT_TOTAL_MISMATCH.");
  await expect.poll(() => model.requests.length, PATIENT).toBeGreaterThan(0);
  expect(await served.signal("SIGTERM")).toBe(0);
  expect(served.said.err).toContain('"jobs":1,"msg":"jobs had no more time; the next process takes them again"');
  expect(served.said.err).not.toMatch(/job failed|job engine|Cannot use a pool/);
}, 180_000);
