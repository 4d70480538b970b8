import { expect, test } from "vitest";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import type { Action } from "../../src/domain/action.ts";
import { loadDossier } from "../../src/dossier/dossier.ts";
import { moment, openPlanning, say, setMode } from "../support/planning-relay.ts";
import { BOT, report } from "../support/relay.ts";

const ADDRESS = "https://specs.example.org/7/spec.md";

/** An issue with a spec, whose next cycles are planned by `script` where it has something. */
async function specified() {
  const script: Action[][] = [];
  const life = await openPlanning((deps) => ({
    plannerFor: (...given) => {
      const rules = deps.plannerFor(...given);
      const plan: typeof rules.plan = async (context, judge) => {
        const actions = script.shift();
        if (actions === undefined) return await rules.plan(context, judge);
        return { run: null, kind: "planned", batch: { actions, reasoning: "as scripted" } };
      };
      return { ...rules, plan };
    },
    specStore: { ...deps.specStore, address: async () => await Promise.resolve(ADDRESS) },
  }));
  setMode(life, "spec");
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead with the spec");
  await moment();
  const specNow = async () => (await storedSpec((await life.existing(issue)).spec, life.specStore))?.content ?? "";
  return { life, issue, script, specNow };
}

test("a spec that the planner writes changes only what somebody asked for (R-SPEC-12)", async () => {
  const { life, issue, script, specNow } = await specified();
  const before = await specNow();
  const [first = ""] = before.match(/^- .*$/m) ?? [];
  const reworded = before
    .replace(first, "- Something that nobody asked for")
    .replace(
      "## Implementation Plan",
      "## Goals / Non-goals\n\n- No currency symbols are printed\n\n## Implementation Plan",
    );
  script.push([
    { type: "update_spec", data: { content_markdown: reworded, reason: "no currency symbols", mode: "overwrite" } },
  ]);
  await say(life, issue, "mia", "No currency symbols may be printed, please add that to the spec.");
  const after = await specNow();
  expect(after).toContain("No currency symbols are printed");
  expect(after).toContain(first);
  expect(after).not.toContain("nobody asked for");
  const body = (text: string) => text.split(/^## (?:Goals|Implementation Plan)/m)[0]?.replace(/^\*\*Last.*$/m, "");
  expect(body(after)).toBe(body(before));
});

test("a number that a spec cites means the same finding in all versions, also when it is removed (R-SPEC-17)", async () => {
  const { life, issue, script, specNow } = await specified();
  const known = async () =>
    await loadDossier(life.db, await life.existing(issue), { code: life.code, tracker: life.tracker });
  const before = await specNow();
  const [first] = (await known()).findings;
  expect(before).toContain(`### Finding 1\n\n${first?.synthesis}\n`);
  const add = [{ synthesis: "Sums are made by reduce.", sources: [{ location: "src/cart.ts:2", snippet: "" }] }];
  script.push([
    { type: "update_findings", data: { add, remove: [first?.id ?? ""] } },
    {
      type: "update_spec",
      data: {
        content_markdown: before.replace(
          "## Implementation Plan",
          "## Notes\n\nSee Finding #2.\n\n## Implementation Plan",
        ),
        reason: "a note",
        mode: "overwrite",
      },
    },
  ]);
  await say(life, issue, "mia", "Please add a note that sums are made by reduce.");
  const after = await specNow();
  const day = new Date().toISOString().slice(0, 10);
  const entry = `### Finding 1\n\n~~${first?.synthesis}~~ Removed on ${day}: a later look at the code led elsewhere.\n`;
  expect(after).toContain(entry);
  expect(after).toContain("### Finding 2\n\nSums are made by reduce.\n");
  const { findings, removed } = await known();
  expect(findings.map(({ number }) => number)).toEqual([2]);
  expect(removed).toMatchObject([{ number: 1, synthesis: first?.synthesis, why: "replaced" }]);

  await life.orchestrator.importSpec((await life.existing(issue)).id, {
    text: async () => await Promise.resolve(`${before.trimEnd()}\n\n## Legal\n\nNobody minds.\n`),
    why: "imported",
    actor: "operator",
  });
  expect(await specNow()).toContain("Nobody minds.");
  expect(await specNow()).toContain(entry);
  expect(await specNow()).not.toContain("Imported evidence");
});

test("a question that a model words leads to the spec that stands, once (R-SPEC-18)", async () => {
  const { life, issue, script } = await specified();
  const ask = "Shall I take that into the spec?";
  script.push([{ type: "post_comment", data: { content: ask } }]);
  await say(life, issue, "mia", "Rounding has to be half up.");
  expect((await life.said(issue)).at(-1)).toMatch(
    /into the spec\?\n\n\[Spec\]\(https:\/\/specs\.example\.org\/7\/spec\.md\)/,
  );
});
