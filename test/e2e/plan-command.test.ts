import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fixPlanSchema, triageResultSchema } from "../../src/domain/plan.ts";
import { startMockModel } from "../mock-model/server.ts";
import { planInput, triageInput } from "../support/plan-input.ts";
import { EXAMPLES, newDesk, relay } from "./cli-harness.ts";

test("the two contracts are JSON in and JSON out, from a file or from standard input", async () => {
  const desk = await newDesk();
  const input = JSON.stringify(triageInput());
  const triaged = await relay(desk, ["triage", "--input", "-"], { input });
  expect(triaged).toMatchObject({ code: 0, err: "" });
  const triage = triageResultSchema.parse(JSON.parse(triaged.out).data);
  const file = join(desk.folder, "plan.json");
  await writeFile(file, JSON.stringify({ ...planInput(), triage_result: triage }));
  const planned = await relay(desk, ["plan", "--input", file, "--json"]);
  expect(planned).toMatchObject({ code: 0, err: "" });
  expect(fixPlanSchema.parse(JSON.parse(planned.out).data)).toMatchObject({ validation_commands: ["npm run lint"] });
});

test("a failed answer is on standard output too, and the exit code says so", async () => {
  const desk = await newDesk();
  for (const [args, input, code] of [
    [["plan", "--input", "-"], "{", "INVALID_INPUT"],
    [["triage", "--input", "-"], "[]", "INVALID_INPUT"],
    [["plan", "--input", "-"], JSON.stringify(planInput({ triage: { affected_files: ["x.md"] } })), "FILE_NOT_FOUND"],
  ] as const) {
    const ended = await relay(desk, args, { input });
    expect(ended).toMatchObject({ code: 1, err: "" });
    expect(JSON.parse(ended.out)).toMatchObject({ success: false, error: { code } });
  }
});

test("an input that cannot be read is wrong usage", async () => {
  const desk = await newDesk();
  expect(await relay(desk, ["plan", "--input", "nope.json"])).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("nope.json"),
  });
  expect(await relay(desk, ["plan"])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--input") });
});

test("an issue is planned from its file and the repository alone, for people or as JSON", async () => {
  const desk = await newDesk();
  const args = ["plan", join(EXAMPLES, "issue.md"), "--repo", desk.repository];
  const forPeople = await relay(desk, args);
  expect(forPeople).toMatchObject({ code: 0, err: "" });
  expect(forPeople.out).toMatch(/Steps\n {2}1\. /);
  const asJson = await relay(desk, [...args, "--json"]);
  const plan = fixPlanSchema.parse(JSON.parse(asJson.out).data);
  for (const { description } of plan.plan_steps) expect(forPeople.out).toContain(description);
});

test("a model that is configured writes the steps, and nothing is stored", async () => {
  const desk = await newDesk();
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  const step = (description: string) => ({ description, command: null, files_involved: ["README.md"] });
  const submitted = { plan_steps: [step("Find it"), step("Change it"), step("Look again")], changes: [] };
  server.script([{ kind: "answer", calls: [{ tool: "submit_plan", input: JSON.stringify(submitted) }] }]);
  const env = {
    RELAY_MODEL_BASE_URL: server.url("openai-compatible"),
    RELAY_MODEL_API_KEY: "sk-test-0123456789abcdefghij",
  };
  const input = JSON.stringify(planInput());
  const args = ["plan", "--input", "-", "--model", "openai-compatible/planner"];
  const planned = await relay(desk, args, { input, env });
  expect(planned).toMatchObject({ code: 0, err: "" });
  const plan = fixPlanSchema.parse(JSON.parse(planned.out).data);
  expect(plan.plan_steps.map(({ description }) => description)).toEqual(["Find it", "Change it", "Look again"]);
  expect(await readdir(desk.home)).toEqual([]);
});
