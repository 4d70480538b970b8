import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type MockModel, type Turn, startMockModel } from "../mock-model/server.ts";
import { parseIssueFile } from "../../src/adapters/trackers/issue-file/parse.ts";
import { triageInput } from "../support/plan-input.ts";
import { type Desk, EXAMPLES, newDesk, relay } from "./cli-harness.ts";

let server: MockModel;
beforeAll(async () => {
  server = await startMockModel();
});
afterAll(async () => {
  await server.close();
});

const env = () => ({
  RELAY_MODEL: "openai-compatible/m",
  RELAY_MODEL_BASE_URL: server.url("openai-compatible"),
});
const REFUSED: Turn = { kind: "status", status: 400, message: "no such model" };
const ISSUE = join(EXAMPLES, "issue.md");

const answerSchema = z.looseObject({
  files: z.array(z.looseObject({ path: z.string(), reasons: z.array(z.string()), offline_rank: z.int().nullish() })),
  model: z.looseObject({}).optional(),
  notice: z.string().optional(),
});

async function exploring(desk: Desk, args: string[], script: Turn[], given: Record<string, string> = env()) {
  server.script(script);
  const ended = await relay(desk, ["explore", "--repo", "quillbill", "--issue", ISSUE, "--json", ...args], {
    env: given,
  });
  expect(ended.code).toBe(0);
  return { ...answerSchema.parse(JSON.parse(ended.out)), err: ended.err };
}

/** The number of a file in the last prompt. */
function numberOf(path: string): number {
  const prompt = JSON.stringify(server.requests[0]?.body);
  return Number(new RegExp(`\\\\n(\\d+)\\. ${path}\\\\n`).exec(prompt)?.[1]);
}

const orders = (number: number, why?: string): Turn => ({
  kind: "answer",
  calls: [{ tool: "order_files", input: JSON.stringify({ files: [{ number, why }] }) }],
});

test("relay explore --model asks once, shows whose order it is, and keeps the answer; without the option it asks nobody", async () => {
  const desk = await newDesk();
  const plain = await exploring(desk, [], []);
  expect(server.requests).toHaveLength(0);
  expect(plain).not.toHaveProperty("model");
  const last = plain.files.findLast(({ path }) => path.startsWith("src/"))?.path ?? "";

  const refused = await exploring(desk, ["--model"], [REFUSED]);
  expect(server.requests).toHaveLength(1);
  expect(refused.files.map(({ path }) => path)).toEqual(plain.files.map(({ path }) => path));
  expect(refused.err).toMatch(/^relay: the files are in the order of the search, not of a model: [^\n]+\n$/);
  expect(refused.err).toContain(refused.notice ?? "nothing");
  const number = numberOf(last);

  const ordered = await exploring(desk, ["--model"], [orders(number, "It adds up.")]);
  expect(ordered.err).toBe("");
  const place = plain.files.findIndex(({ path }) => path === last) + 1;
  expect(ordered.files[0]).toMatchObject({ path: last, offline_rank: place });
  expect(ordered.files[0]?.reasons[0]).toMatch(/^the model placed it first: It adds up \(\d+\w\w without it\)$/);
  expect(ordered.model).toEqual({
    id: "openai-compatible/m",
    tokens: { input: 100, output: 20 },
    cost: null,
    cached: false,
  });

  const again = await exploring(desk, ["--model"], []);
  expect(server.requests).toHaveLength(0);
  expect(again.files).toEqual(ordered.files);
  expect(again.model).toMatchObject({ cost: 0, cached: true });
  const text = await relay(desk, ["explore", "--repo", "quillbill", "--issue", ISSUE, "--model"], { env: env() });
  expect(text.out).toContain("asked openai-compatible/m for the order (kept from before, at no cost)");
  expect((await readdir(desk.home)).filter((name) => name.startsWith("postgres"))).toEqual([]);
});

test("a kept order that is damaged is asked for again; another model is asked for itself", async () => {
  const desk = await newDesk();
  await exploring(desk, ["--model"], [REFUSED]);
  const number = numberOf("src/export/reconcile.js");
  await exploring(desk, ["--model"], [orders(number)]);
  const folder = join(desk.home, "orders");
  const kept = (await readdir(folder)).find((name) => name.endsWith(".json")) ?? "";
  expect(await readFile(join(folder, kept), "utf8")).toContain("order_files");
  await writeFile(join(folder, kept), "{");
  const again = await exploring(desk, ["--model"], [orders(number)]);
  expect(again.model).toMatchObject({ cached: false });
  const other = await exploring(desk, ["--model", "openai-compatible/other"], [orders(number)]);
  expect(other.model).toMatchObject({ id: "openai-compatible/other", cached: false });
});

test.each([
  ["no model", {}, [], /no model is configured/],
  ["no address", { RELAY_MODEL: "openai-compatible/m" }, [], /RELAY_MODEL_BASE_URL/],
  ["no key", { RELAY_MODEL: "anthropic/x", ANTHROPIC_API_KEY: "" }, [], /ANTHROPIC_API_KEY/],
  ["a role that is offline", { RELAY_MODEL: "anthropic/x", RELAY_MODEL_RERANK: "offline" }, [], /no model/],
  ["the name offline", { RELAY_MODEL: "anthropic/x" }, ["offline"], /no model/],
])("with %s the search's order stands, and one sentence says why", async (_, given, name, why) => {
  const desk = await newDesk();
  const answer = await exploring(desk, ["--model", ...name], [], given);
  expect(answer.files.length).toBeGreaterThan(3);
  expect(answer.notice).toMatch(why);
});

test("the option may stand before the query; a name that is no model is told as such", async () => {
  const desk = await newDesk();
  server.script([REFUSED]);
  const before = await relay(
    desk,
    ["explore", "--repo", "quillbill", "--json", "--model", "export total", "mismatch"],
    {
      env: env(),
    },
  );
  expect(before.code).toBe(0);
  expect(JSON.stringify(server.requests[0]?.body)).toContain("export total mismatch");
  const wrong = await relay(desk, ["explore", "export", "--repo", "quillbill", "--model", "antropic/claude"]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/^relay: there is no model [^\n]+\n$/) });
});

test("relay triage with a model shows it the code in that order, asks for it once, and goes on without it", async () => {
  const desk = await newDesk();
  const plain = await exploring(desk, [], []);
  const [, second = { path: "" }] = plain.files;
  const { title, body } = parseIssueFile(await readFile(ISSUE), "issue.md");
  const input = JSON.stringify(triageInput({ issue: { title, body } }));
  const args = ["triage", "--input", "-", "--repo", desk.repository, "--model", "openai-compatible/m"];
  const submitted = { classification: "BUG", risk: "LOW", affected_files: [], estimated_complexity: "SIMPLE" };
  const judged: Turn = {
    kind: "answer",
    calls: [{ tool: "submit_triage", input: JSON.stringify({ ...submitted, reasoning: "It adds up wrongly." }) }],
  };
  server.script([REFUSED, judged]);
  const refused = await relay(desk, args, { env: env(), input });
  expect(refused).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^relay: the files are in the order of the search, not of a model: [^\n]+\n$/),
  });
  server.script([orders(numberOf(second.path), "It adds up."), judged]);
  const ordered = await relay(desk, args, { env: env(), input });
  expect(ordered).toMatchObject({ code: 0, err: "" });
  const asked = JSON.stringify(server.requests[1]?.body);
  const [shown = ""] = /<<<search [^\n]*/.exec(asked) ?? [];
  expect(shown).toMatch(/^<<<search \w+\\n[^\\]+ \(source\): the model placed it first: It adds up \(/);
  server.script([judged]);
  expect(await relay(desk, args, { env: env(), input })).toMatchObject({ code: 0, err: "" });
  expect(server.requests).toHaveLength(1);
});
