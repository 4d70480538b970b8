import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { EXAMPLES, newDesk, relay, specArgs } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";

const evaluated = z.object({
  model: z.string(),
  summary: z.object({
    cases: z.number(),
    failed: z.number(),
    specs: z.number(),
    citation_validity: z.number().nullable(),
    cost_usd: z.number(),
  }),
  cases: z.array(z.object({ id: z.string(), kind: z.string() })),
});

test("eval plays the example set by rules, leaves nothing behind, and touches nothing of the user's", async () => {
  const desk = await newDesk();
  const before = await readdir(desk.home);
  const ended = await relay(desk, ["eval", join(EXAMPLES, "eval/cases.jsonl"), "--model", "offline", "--json"], {
    env: { TMPDIR: desk.folder },
  });
  expect(ended).toMatchObject({ code: 0, err: "" });
  const result = evaluated.parse(JSON.parse(ended.out));
  expect(result).toMatchObject({ model: "offline", summary: { failed: 0, citation_validity: 1, cost_usd: 0 } });
  expect(result.summary.specs).toBe(result.summary.cases);
  expect(await readdir(desk.home)).toEqual(before);
  expect((await readdir(desk.folder)).filter((name) => name.startsWith("relay-eval-"))).toEqual([]);
});

test("a case that cannot be played is told, and the others go on", async () => {
  const desk = await newDesk();
  const one = { issue: join(EXAMPLES, "issues/settings-docs.en.md"), repo: desk.repository };
  const cases = [
    { id: "gone", ...one, repo: join(tmpdir(), "there-is-no-such-repository") },
    { id: "no-ref", ...one, ref: "no-such-branch" },
    { id: "fine", ...one, gold_files: ["docs/configuration.md"] },
  ];
  const file = join(desk.folder, "cases.jsonl");
  await writeFile(file, cases.map((each) => JSON.stringify(each)).join("\n"));
  const ended = await relay(desk, ["eval", file]);
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/^gone: could not be played: cannot copy the repository/m);
  expect(ended.out).toMatch(/^no-ref: could not be played: .*no-such-branch/m);
  expect(ended.out).toMatch(/^fine: 0 asked, .*files 1\/1/m);
  expect(ended.out).toMatch(/^cases +3, 2 could not be played$/m);
});

test("replay finds nothing different in what this Relay did, and forget erases what it needs", async () => {
  const desk = await newSetUpDesk();
  expect((await relay(desk, specArgs(desk))).code).toBe(0);
  const same = await relay(desk, ["replay", "57"]);
  expect(same).toMatchObject({ code: 0, err: "" });
  expect(same.out).toMatch(/^cycle 1 \(rules, run again\): the same\n/);
  const one = await relay(desk, ["replay", "57", "--cycle", "2", "--json"]);
  expect(JSON.parse(one.out)).toMatchObject({ cycles: [{ number: 2, answers: "rules", code: true, differences: [] }] });
  expect(await relay(desk, ["replay", "57", "--cycle", "99"])).toMatchObject({ code: 2 });
  expect(await relay(desk, ["replay", "57", "--cycle", "x"])).toMatchObject({ code: 2 });
  expect((await relay(desk, ["forget", "57", "--yes"])).code).toBe(0);
  expect(await readdir(join(desk.home, "cycles"))).toEqual([]);
});
