import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Life, BOT, openLife, report } from "../../../test/support/relay.ts";
import { exec } from "../../lib/exec.ts";
import { silentLog } from "../../lib/log.ts";
import { groundingIn } from "../../specification/code.ts";
import { listCycles } from "../../storage/cycles.ts";
import { type CycleRecord, cycleRecordSchema } from "./cycle-record.ts";
import { fileRecords } from "./recordings.ts";
import { replayCycle } from "./replay-cycle.ts";

/** An issue that has gone all the way to its spec. */
async function finished(life: Life) {
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  await life.settled(address);
  await life.deliver(await life.people.comment(address, "mia", "go ahead with the spec"));
  const issue = await life.settled(address);
  const numbers = await life.records.list(issue.id);
  const all = await Promise.all(numbers.map((number) => life.records.read(issue.id, number)));
  return { issue, numbers, records: all };
}

function codeOf(life: Life) {
  const { code } = life;
  const spending = { onCall: async () => {}, restUsd: async () => await Promise.resolve(null) };
  return { code: groundingIn(code), rules: life.plannerFor(code, spending) };
}

/** A finding as records had it before findings had numbers: in drafts its id alone. */
function without(finding: object): unknown {
  const { number: _, ...rest } = { number: 0, ...finding };
  return "id" in rest && "removed" in rest ? rest.id : rest;
}

const byModel = (record: CycleRecord): CycleRecord => ({ ...record, planner: "anthropic/m" });

test("a cycle that was planned on another machine is no failure of the record, and the log says why it is not kept", async () => {
  const life = await openLife();
  const { issue } = await finished(life);
  const said: unknown[] = [];
  const log = {
    ...silentLog,
    info: (...words: unknown[]) => void said.push(words[1]),
    warn: () => void said.push("a warning"),
  };
  const [cycle] = await listCycles(life.db, issue.id);
  if (cycle === undefined) throw new Error("there is no cycle");
  await fileRecords(join(life.home, "elsewhere"), { log }).addDrafts(cycle, []);
  expect(said).toEqual(["the cycle was not recorded here, so it cannot be replayed here"]);
});

describe("a kept cycle", () => {
  test("holds what was seen, what was answered, how that was judged, and the drafts of specs", async () => {
    const life = await openLife();
    const { issue, numbers, records } = await finished(life);
    expect(numbers).toEqual((await listCycles(life.db, issue.id)).map((cycle) => cycle.number));
    expect(records[0]?.plannings[0]).toMatchObject({
      context: { issue: { title: "Wrong total in the cart", openedAt: issue.openedAt } },
      answers: [{ problems: [] }],
    });
    expect(records.at(-1)?.drafts[0]?.markdown).toContain("Wrong total");
    expect((await stat(join(life.home, "cycles", issue.id, "1.json.gz"))).mode & 0o077).toBe(0);
  });

  test("is erased with its issue; one that is not there is told by its number", async () => {
    const life = await openLife();
    const { issue } = await finished(life);
    await life.records.remove(issue.id);
    expect(await life.records.list(issue.id)).toEqual([]);
    await expect(life.records.read(issue.id, 1)).rejects.toMatchObject({ code: "not_found" });
  });

  test("of many the newest fifty stay, and a broken one is told as such", async () => {
    const life = await openLife();
    const { issue, records } = await finished(life);
    const home = await mkdtemp(join(tmpdir(), "relay-records-"));
    onTestFinished(async () => await rm(home, { recursive: true, force: true }));
    const kept = fileRecords(home, { log: silentLog });
    const [cycle] = await listCycles(life.db, issue.id);
    const planning = records[0]?.plannings[0];
    if (cycle === undefined || planning === undefined) throw new Error("nothing was kept");
    for (let number = 1; number <= 53; number += 1) await kept.addPlanning({ ...cycle, number }, "c", planning);
    expect(await kept.list(issue.id)).toEqual(Array.from({ length: 50 }, (_, index) => index + 4));
    await writeFile(join(home, "cycles", issue.id, "9.json.gz"), "not packed");
    await expect(kept.read(issue.id, 9)).rejects.toMatchObject({ code: "invalid" });
    expect(await readdir(home)).toEqual(["cycles"]);
  });

  test("that cannot be written keeps nothing from being done", async () => {
    const life = await openLife(() => ({ records: fileRecords("/dev/null/relay", { log: silentLog }) }));
    const address = await report(life);
    await life.deliver(await life.people.assign(address, "mia", BOT));
    expect((await life.settled(address)).state).toBe("clarifying");
  });
});

describe("a replay", () => {
  test("of the same Relay on the same code finds no difference, by rules and by recorded answers", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const code = codeOf(life);
    for (const record of records) {
      expect(await replayCycle(record, code)).toMatchObject({ answers: "rules", code: true, differences: [] });
      expect(await replayCycle(byModel(record), code)).toMatchObject({ answers: "recorded", differences: [] });
      expect((await replayCycle(record, null)).differences).toEqual([]);
    }
  });

  test("tells what the context, the planner and the validator now make of it", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const [first] = records;
    const planning = first?.plannings[0];
    if (first === undefined || planning === undefined) throw new Error("nothing was kept");
    const problem = { index: 0, rule: "of_old", detail: "is no rule any more" };
    const answers = [{ submitted: { actions: [], reasoning: "other rules" }, problems: [problem] }];
    const old = { ...first, plannings: [{ ...planning, prompt: "in other words", answers }] };
    const byRules = await replayCycle(old, codeOf(life));
    expect(byRules.differences.map((one) => one.what)).toEqual(["prompt", "answer", "verdict"]);
    const recorded = await replayCycle(byModel(old), null);
    expect(recorded.differences).toMatchObject([
      { planning: 1, what: "prompt" },
      { what: "verdict", position: 1, before: [problem], after: [] },
    ]);
  });

  test("tells an answer that was taken and is now refused", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const [first] = records;
    const planning = first?.plannings[0];
    if (first === undefined || planning === undefined) throw new Error("nothing was kept");
    const batch = { actions: [{ type: "post_comment" as const, data: { content: "" } }], reasoning: "" };
    const old = { ...first, plannings: [{ ...planning, answers: [{ submitted: batch, problems: [] }] }] };
    const { differences } = await replayCycle(byModel(old), null);
    expect(differences).toMatchObject([{ what: "verdict", position: 1, before: [] }]);
    expect(differences[0]?.after).not.toEqual([]);
  });

  test("tells answers that would no longer be needed, as an earlier one is now taken", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const [first] = records;
    const planning = first?.plannings[0];
    const taken = planning?.answers[0];
    if (first === undefined || planning === undefined || taken === undefined) throw new Error("nothing was kept");
    const refused = { ...taken, problems: [{ index: 0, rule: "of_old", detail: "is no rule any more" }] };
    const old = { ...first, plannings: [{ ...planning, answers: [refused, taken] }] };
    const { differences } = await replayCycle(byModel(old), null);
    expect(differences.map((one) => [one.what, one.position])).toEqual([
      ["verdict", 1],
      ["answers_left", 2],
    ]);
  });

  test("of earlier Relays counts findings by their place in the list, as it did then", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const last = cycleRecordSchema.parse(records.at(-1));
    const unnumbered = JSON.parse(JSON.stringify(last), (key, value: unknown) =>
      key === "findings" && Array.isArray(value) ? value.map((one: object) => without(one)) : value,
    );
    const [draft] = cycleRecordSchema.parse(unnumbered).drafts;
    expect(draft?.numbers.findings.map(({ number }) => number)).toEqual([1]);
    expect(draft).toEqual(last.drafts[0]);
    expect(cycleRecordSchema.parse(unnumbered).plannings).toEqual(last.plannings);
  });

  test("judges drafts of specs against the code as it was", async () => {
    const life = await openLife();
    const { records } = await finished(life);
    const last = records.at(-1);
    const draft = last?.drafts[0];
    if (last === undefined || draft === undefined) throw new Error("nothing was kept");
    const markdown = draft.markdown.replace("## Evidence", "See `src/gone.ts:1`.\n\n## Evidence");
    const changed = { ...last, drafts: [{ ...draft, markdown }] };
    const { differences } = await replayCycle(changed, codeOf(life));
    expect(differences).toMatchObject([{ what: "spec_verdict", position: 1, before: draft.errors }]);
  });

  test("changes nothing in the tracker, the database or the repository", async () => {
    const life = await openLife();
    const { issue, records } = await finished(life);
    const before = [await life.said(issue), await life.stored(issue)];
    const folder = life.code.root;
    for (const record of records) await replayCycle(record, codeOf(life));
    expect([await life.said(issue), await life.stored(issue)]).toEqual(before);
    expect((await exec("git", ["-C", folder, "status", "--porcelain"])).stdout.toString()).toBe("");
  });
});
