import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { cycleFacts } from "../../../test/support/cycle-facts.ts";
import { stateOf } from "../../../test/support/planner-fixture.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { judgeSubmission } from "../actions/submission.ts";
import { buildContext } from "../context.ts";
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
        .flatMap((one) => (one.type === "update_gaps" ? one.data.add.map((gap) => gap.topic) : []))
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
