import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixPlanSchema, triageResultSchema } from "../src/domain/plan.ts";
import { planInput, triageInput } from "./plan-input.ts";
import { EXAMPLES, newDesk, relay } from "./relay-command.ts";

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
