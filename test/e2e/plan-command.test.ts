import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseSpec } from "../../src/domain/spec-document/parse.ts";
import { fixPlanSchema, triageResultSchema } from "../../src/domain/plan.ts";
import { startMockModel } from "../mock-model/server.ts";
import { planInput, triageInput } from "../support/plan-input.ts";
import { EXAMPLES, newDesk, relay, specArgs } from "./cli-harness.ts";

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
  expect(forPeople).toMatchObject({ code: 0, err: expect.stringContaining("no spec of this issue yet") });
  expect(forPeople.out).toMatch(/Steps\n {2}1\. /);
  const asJson = await relay(desk, [...args, "--json"]);
  const plan = fixPlanSchema.parse(JSON.parse(asJson.out).data);
  for (const { description } of plan.plan_steps) expect(forPeople.out).toContain(description);
  expect(await readdir(desk.home)).toEqual(["index"]);
});

test("an issue that has a spec is planned from its tasks and their places, also from a folder below", async () => {
  const desk = await newDesk();
  const { out } = await relay(desk, specArgs(desk));
  const { path } = JSON.parse(out).spec_ref;
  const planned = await relay(desk, [
    "plan",
    join(EXAMPLES, "issue.md"),
    "--repo",
    join(desk.repository, "src"),
    "--json",
  ]);
  expect(planned).toMatchObject({ code: 0, err: expect.stringContaining(`from the spec ${path}`) });
  const { plan_steps, file_changes } = fixPlanSchema.parse(JSON.parse(planned.out).data);
  const { tasks } = parseSpec(await readFile(join(desk.folder, path), "utf8"));
  expect(file_changes.map((change) => change.path).toSorted()).toEqual(
    [...new Set(tasks.flatMap(({ touchPoints }) => touchPoints.map((point) => point.path)))].toSorted(),
  );
  expect(file_changes.some(({ line_range }) => line_range !== null)).toBe(true);
  // A plan is read where no path of the spec store can be opened.
  expect(plan_steps[0]?.description).toMatch(/^Read the spec, then /);
});

test("without a spec, the thread counts: a comment names the file", async () => {
  const desk = await newDesk();
  const issue = join(desk.folder, "issue.md");
  const filesOf = async (comments: string) => {
    const front = '---\ntitle: "Something is odd with the amounts"\nmaintainers: [ann]\n---\n';
    await writeFile(issue, `${front}\nThey are wrong sometimes.\n${comments}`);
    const { out } = await relay(desk, ["plan", issue, "--repo", desk.repository, "--json"]);
    return fixPlanSchema.parse(JSON.parse(out).data).file_changes.map(({ path }) => path);
  };
  const comment = "\n## Comment by @ann at 2026-11-04T08:20:00Z\n\nIt is `dayNumber` in `src/time/calendar.js`.\n";
  expect(await filesOf("")).not.toContain("src/time/calendar.js");
  expect(await filesOf(comment)).toContain("src/time/calendar.js");
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
