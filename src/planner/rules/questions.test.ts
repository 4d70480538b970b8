import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Action } from "../../domain/action.ts";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { cycleFacts, gap, message } from "../../../test/support/cycle-facts.ts";
import { stateOf } from "../../../test/support/planner-fixture.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { judgeSubmission } from "../actions/submission.ts";
import { type CycleFacts, buildContext } from "../context.ts";
import { offlinePlanner } from "./planner.ts";

let repository: IndexedRepository;

beforeAll(async () => {
  const files = ["station", "forecast", "harbour"].map((name) => ({
    path: `src/tide/${name}.ts`,
    content: `export function ${name}Tide() {\n  return "tide of the ${name}";\n}\n`,
  }));
  repository = await indexedRepository([{ files }]);
});

afterAll(async () => await repository.remove());

const ISSUES = [
  { title: "Odd colours", body: "", labels: ["bug"] },
  { title: "Add tides", body: "We need tides for the station, forecast and harbour.", labels: ["enhancement"] },
  { title: "Clean up the tide of station, forecast and harbour", body: "It is a mess.", labels: ["chore"] },
  {
    title: "Extend `stationTide`",
    body: "`stationTide` in src/tide/station.ts for two days.",
    labels: ["enhancement"],
  },
  { title: "Slow tides", body: "The tides are slow.", labels: ["performance"] },
  { title: "Xylograph ignores quuxes", body: "`xylo(1)` prints 1. Expected: 2.", labels: ["bug"] },
];

test.each(WRITTEN_LANGUAGES)("what the rules ask passes the rules for questions: %s", async (language) => {
  const asked: string[] = [];
  for (const issue of ISSUES) {
    const base = cycleFacts();
    const facts = cycleFacts({ issue: { ...base.issue, ...issue, language } });
    const planner = offlinePlanner(repository.index.repository, async () => await Promise.resolve(repository.index));
    const planned = await planner.plan(buildContext(facts), (submitted) => judgeSubmission(submitted, stateOf(facts)));
    expect(planned.kind === "refused" ? { issue, problems: planned.problems } : null).toBeNull();
    const actions = planned.kind === "planned" ? planned.batch.actions : [];
    asked.push(
      ...actions
        .flatMap((one) => (one.type === "update_gaps" ? one.data.add.map((added) => added.topic) : []))
        .filter((topic) => topic !== undefined),
    );
  }
  expect([...new Set(asked)].toSorted()).toEqual([
    "acceptance",
    "actual",
    "compatibility",
    "expected",
    "reproduction",
    "scope",
  ]);
});

describe("an issue that only asks is no work order", () => {
  const plan = async (change: Partial<CycleFacts>) => {
    const base = cycleFacts(change);
    const facts = { ...base, issue: { ...base.issue, title: "Which colour has `stationTide`?", body: "", labels: [] } };
    const planner = offlinePlanner(repository.index.repository, async () => await Promise.resolve(repository.index));
    const planned = await planner.plan(buildContext(facts), (submitted) => judgeSubmission(submitted, stateOf(facts)));
    if (planned.kind !== "planned") throw new Error(JSON.stringify(planned));
    return planned.batch.actions;
  };
  const types = (actions: readonly Action[]) => actions.map(({ type }) => type);

  test("the code’s places are shown, and whether anything is to change is asked", async () => {
    const actions = await plan({});
    expect(actions.flatMap((one) => (one.type === "update_gaps" ? one.data.add : []))).toMatchObject([
      { severity: "blocking", question: expect.stringContaining("Is anything to be changed here") },
    ]);
    const [comment] = actions.flatMap((one) => (one.type === "post_comment" ? [one.data.content] : []));
    expect(comment).toContain("reads like a question");
    expect(comment).toContain("`src/tide/station.ts:");
  });

  const open = { ...gap(1, "open"), topic: "acceptance" as const, severity: "blocking" as const };
  const answered = async (content: string) =>
    types(await plan({ gaps: [open], messages: [message(2, content)], newMessages: [2] }));

  test("a no settles it, and no go-ahead is asked for", async () => {
    expect(await answered("1. No.")).toEqual(["update_findings", "update_gaps"]);
  });

  test("what somebody wants changed leads to the go-ahead", async () => {
    expect(await answered("1. Yes, it should be blue.")).toEqual(["update_findings", "update_gaps", "post_comment"]);
  });
});

test("what should happen is not asked of a reporter who proposes the fix", async () => {
  const { index } = repository;
  const asked = async (body: string) => {
    const facts = cycleFacts();
    const issue = { ...facts.issue, title: "`stationTide` gives odd names", body, labels: ["bug"] };
    const given = { ...facts, issue };
    const context = buildContext(given);
    const planner = offlinePlanner(index.repository, async () => await Promise.resolve(index));
    const planned = await planner.plan(context, (batch) => judgeSubmission(batch, stateOf(given)));
    return JSON.stringify(planned);
  };
  expect(await asked("The names of stations are wrong.")).toContain("What should happen instead?");
  const proposed = "The names of stations are wrong. The fix would be to call `harbourTide` there.";
  expect(await asked(proposed)).not.toContain("What should happen instead?");
});

test("where no code was found and nothing else is open, the place is asked for, so that a spec can be written", async () => {
  const { index } = repository;
  const base = cycleFacts();
  const issue = {
    ...base.issue,
    title: "Xylograph ignores quuxes",
    body: "`xylo(1)` prints 1. Expected: 2.",
    labels: [],
  };
  const given = { ...base, issue };
  const planner = offlinePlanner(index.repository, async () => await Promise.resolve(index));
  const planned = await planner.plan(buildContext(given), (batch) => judgeSubmission(batch, stateOf(given)));
  expect(JSON.stringify(planned)).toContain("Which file, function or page of the repository");
});

test("what those who decide discussed before is not asked: of a fault, only what its reporter can tell", async () => {
  const { index } = repository;
  const asked = async (title: string, label: string, discussion: string[]) => {
    const base = cycleFacts();
    const messages = discussion.map((content, at) => message(2 * at + 1, content));
    const issue = { ...base.issue, title, body: "", labels: [label] };
    const given = { ...base, issue, messages, newMessages: messages.map(({ seq }) => seq) };
    const planner = offlinePlanner(index.repository, async () => await Promise.resolve(index));
    const planned = await planner.plan(buildContext(given), (batch) => judgeSubmission(batch, stateOf(given)));
    if (planned.kind !== "planned") throw new Error(JSON.stringify(planned));
    return planned.batch.actions.flatMap((one) =>
      one.type === "update_gaps" ? one.data.add.map(({ question }) => question) : [],
    );
  };
  const decided = [
    "The tide of the harbour goes to a page of its own, in metres.",
    "Feet with `--feet`, no page then.",
  ];
  expect(await asked("Add tides of station and harbour", "enhancement", [])).not.toEqual([]);
  expect(await asked("Add tides of station and harbour", "enhancement", decided)).toEqual([]);
  expect(await asked("Odd colours", "bug", [])).toContainEqual(expect.stringContaining("What should happen instead"));
  const ofFault = await asked("Odd colours", "bug", decided);
  expect(ofFault).not.toContainEqual(expect.stringContaining("What should happen instead"));
  expect(ofFault).not.toEqual([]);
});
