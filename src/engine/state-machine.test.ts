import { canReach } from "../../test/support/can-reach.ts";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type IssueState, ISSUE_STATES, LIFECYCLE_EVENTS } from "../domain/lifecycle.ts";
import { RelayError } from "../lib/errors.ts";
import { type Rule, MACHINE, OPEN, WAITS, debounceAfter, nextStep } from "./state-machine.ts";

/** The diagram of the requirements (R-LIFE-1), written out a second time on purpose. */
const REACHES: Record<IssueState, IssueState[]> = {
  pending_plan: ["planning"],
  planning: ["pending_plan", "clarifying", "awaiting_proceed", "specifying", "done"],
  clarifying: ["planning"],
  awaiting_proceed: ["planning"],
  specifying: ["pending_plan", "clarifying", "awaiting_proceed", "waiting_confirmation", "done"],
  waiting_confirmation: ["planning", "queued", "done"],
  queued: ["waiting_confirmation", "in_progress", "done"],
  in_progress: ["waiting_confirmation", "in_review", "stuck", "failed", "done"],
  in_review: ["queued", "done"],
  done: ["planning", "waiting_confirmation"],
  stuck: ["planning", "waiting_confirmation", "queued", "done"],
  failed: ["planning", "queued", "done"],
  paused: ["pending_plan"],
  closed: ["pending_plan", "in_review"],
};

describe.each(ISSUE_STATES)("from %s", (from) => {
  test.each(ISSUE_STATES.filter((to) => to !== from))("to %s", (to) => {
    const always = to === "closed" || (to === "paused" && from !== "closed");
    expect(canReach(from, to)).toBe(always || REACHES[from].includes(to));
  });
});

const issueIn = (state: IssueState, returnTo: IssueState | null = null) => ({ name: "local/shop#7", state, returnTo });

test("an event that must not happen in a state is an error that names both (R-LIFE-1)", () => {
  expect(() => nextStep(issueIn("done"), "run_started")).toThrow(
    new RelayError("illegal_transition", "run_started cannot happen to issue local/shop#7, which is done"),
  );
});

test.each(["paused", "closed"] as const)("%s returns to the state that was stored, and to no other", (from) => {
  const resumed = from === "paused" ? "resume_requested" : "issue_resumed";
  for (const stored of ISSUE_STATES.filter((state) => state !== "paused" && state !== "closed")) {
    expect(nextStep(issueIn(from, stored), resumed)).toMatchObject({ state: stored, returnTo: null });
  }
});

test("work that was cut off returns to the wait before it, a wait to itself", () => {
  expect(nextStep(issueIn("planning", "clarifying"), "pause_requested")).toMatchObject({ returnTo: "clarifying" });
  expect(nextStep(issueIn("specifying"), "pause_requested")).toMatchObject({ returnTo: "pending_plan" });
  expect(nextStep(issueIn("in_progress"), "budget_used_up")).toMatchObject({ returnTo: "queued" });
  expect(nextStep(issueIn("done"), "issue_closed")).toMatchObject({ returnTo: "done" });
});

test("a spec that was written waits for its plan, whatever comes between (R-LIFE-2)", () => {
  const written = nextStep(issueIn("planning", "awaiting_proceed"), "spec_written");
  expect(written).toMatchObject({ state: "specifying", returnTo: "specifying" });
  for (const event of ["nothing_asked", "cycle_failed"] as const) {
    expect(nextStep(issueIn("specifying", "specifying"), event)).toMatchObject({ state: "specifying" });
  }
  for (const event of ["issue_closed", "bot_unassigned", "pause_requested", "budget_used_up"] as const) {
    expect(nextStep(issueIn("specifying", "specifying"), event)).toMatchObject({ returnTo: "specifying" });
  }
  for (const away of ["paused", "closed"] as const) {
    expect(nextStep(issueIn(away, "clarifying"), "spec_written")).toMatchObject({
      state: away,
      returnTo: "specifying",
    });
  }
});

test("closing an issue cancels its task; it needs a new approval afterwards, also where it was paused (R-LIFE-2)", () => {
  for (const issue of [
    issueIn("queued"),
    issueIn("in_progress"),
    issueIn("stuck"),
    issueIn("paused", "queued"),
    issueIn("closed", "stuck"),
  ]) {
    for (const event of ["issue_closed", "bot_unassigned"] as const) {
      const step = nextStep(issue, event);
      expect(step).toMatchObject({ state: "closed", returnTo: "waiting_confirmation" });
      expect(step?.effects).toEqual(expect.arrayContaining(["cancel_task", "discard_plan", "end_debounce"]));
    }
  }
  expect(nextStep(issueIn("paused", "clarifying"), "issue_closed")).toMatchObject({ returnTo: "clarifying" });
});

test("what ends late changes nothing in an issue that people stopped meanwhile", () => {
  for (const event of [
    "plan_posted",
    "plan_failed",
    "plan_unneeded",
    "run_stuck",
    "run_failed",
    "run_unneeded",
  ] as const) {
    expect(nextStep(issueIn("closed", "queued"), event)).toBeNull();
    expect(nextStep(issueIn("paused", "queued"), event)).toBeNull();
  }
  expect(nextStep(issueIn("closed"), "pull_request_opened")).toBeNull();
  expect(nextStep(issueIn("paused", "queued"), "pull_request_opened")).toMatchObject({
    state: "paused",
    returnTo: "in_review",
  });
});

test("a cycle that nobody has questions after returns the issue to where it was", () => {
  const step = nextStep(issueIn("awaiting_proceed"), "cycle_started");
  expect(step).toMatchObject({ state: "planning", returnTo: "awaiting_proceed" });
  expect(nextStep(issueIn("planning", step?.returnTo), "nothing_asked")).toMatchObject({ state: "awaiting_proceed" });
});

test("no event happens in a state that nobody can come to, and each event happens somewhere", () => {
  const used = new Set(ISSUE_STATES.flatMap((state) => Object.keys(MACHINE[state])));
  expect(LIFECYCLE_EVENTS.filter((event) => !used.has(event))).toEqual([]);
});

test("a direct question skips the debounce, and an approval is looked for at once (R-LIFE-3, R-LIFE-10)", () => {
  expect(debounceAfter("clarifying", "quiet", 600_000)).toEqual({ ms: 600_000, checksNow: false });
  expect(debounceAfter("clarifying", "now", 600_000)).toEqual({ ms: 0, checksNow: false });
  expect(debounceAfter("waiting_confirmation", "quiet", 600_000)).toEqual({ ms: 600_000, checksNow: true });
});

/** The table as ARCHITECTURE.md shows it: events that do the same share a row; what is ignored is left out. */
function printed(): string {
  const does = (rule: Rule | undefined) => JSON.stringify([rule?.next, rule?.effects]);
  const rowsOf = (name: string, rules: readonly [string, Rule | undefined][]) => {
    const shown = rules.flatMap(([event, rule]) =>
      rule === undefined || rule.next === "ignore" ? [] : [{ event, rule }],
    );
    const alike = Map.groupBy(shown, ({ rule }) => `${rule.next} | ${(rule.effects ?? []).join(", ")}`);
    return [...alike].map(([outcome, events], at) => {
      return `| ${at === 0 ? name : ""} | ${events.map(({ event }) => event).join(", ")} | ${outcome} |`;
    });
  };
  const states = ISSUE_STATES.flatMap((state) => {
    const own = LIFECYCLE_EVENTS.filter((event) => does(MACHINE[state][event]) !== does(OPEN[event]));
    const rules = own.map((event): [string, Rule | undefined] => [event, MACHINE[state][event]]);
    return rowsOf(`**${state}** waits for ${WAITS[state].waitsFor}`, rules);
  });
  const open = LIFECYCLE_EVENTS.map((event): [string, Rule | undefined] => [event, OPEN[event]]);
  return [
    "| state | event | next | effects |",
    "|---|---|---|---|",
    ...rowsOf("*any but closed*", open),
    ...states,
  ].join("\n");
}

test("ARCHITECTURE.md shows the table as it is", async () => {
  const table = printed();
  const shown = await readFile(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  // The table to copy; a folder of its own, since others may test on this machine.
  if (!shown.includes(table))
    await writeFile(join(await mkdtemp(join(tmpdir(), "relay-state-table-")), "table.md"), table);
  expect(shown).toContain(table);
});
