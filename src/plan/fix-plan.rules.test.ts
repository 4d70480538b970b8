import { array, assert, asyncProperty, boolean, constantFrom, integer, record, string, subarray } from "fast-check";
import { expect, test } from "vitest";
import { clock, planInput } from "../../test/support/plan-input.ts";
import { mutatedJson } from "../../test/support/mutated-json.ts";
import {
  type Answer,
  type FixPlan,
  type Risk,
  BRANCH_NAME,
  CLASSIFICATIONS,
  EFFORTS,
  PLAN_ERRORS,
  RISKS,
  fixPlanSchema,
} from "../domain/plan.ts";
import { fixPlan } from "./fix-plan.ts";
import { triesOf } from "../../test/support/tries.ts";

const TREE = [
  "README.md",
  "src/a.ts",
  "src/b.vue",
  "src/a.test.ts",
  "lib/c.py",
  "docs/d.md",
  ".github/workflows/ci.yml",
  "package.json",
];
const words = constantFrom(
  "create",
  "delete",
  "remove",
  "add",
  "src/a.ts",
  "src/new.ts",
  "docs/new.md",
  "`src/b.vue`",
  "not",
  "line 4",
  "src/a.ts:2-9",
  "fix",
  "the",
  "crash",
  "吗",
  "ошибка",
  "<!-- x -->",
  "\n\n",
  "-",
  "test",
  "npm test",
  "should be removed",
  "#",
  "```",
);
const CRITERIA = "\n\n## Acceptance criteria\n\n- [ ] totals are shown\n- [ ] empty lists work\n";
const text = array(words, { maxLength: 30 }).map((each) => each.join(" "));
const inputs = record({
  title: text,
  body: text,
  criteria: boolean(),
  classification: constantFrom(...CLASSIFICATIONS),
  risk: constantFrom(...RISKS),
  affected: subarray([...TREE, "src/new.ts", "gone.md"]),
  effort: constantFrom(...EFFORTS, null),
  lint: constantFrom("npm run lint", "make testlint", "", "eslint ."),
  withSpec: boolean(),
  tasks: integer({ min: 0, max: 15 }),
  prefix: string({ maxLength: 6 }),
});

test("whatever is planned keeps every rule of the contract", async () => {
  await assert(
    asyncProperty(inputs, async (given) => {
      const tasks = Array.from({ length: given.tasks }, (_, at) => ({
        title: given.title || "Work",
        touchPoints: [{ path: TREE[at % TREE.length] ?? "README.md", isNew: at % 3 === 0 }],
        doneWhen: given.body,
        blockedBy: String((at * 7) % 5),
      }));
      const input = planInput(
        {
          issue: { title: given.title, body: given.criteria ? `${given.body}${CRITERIA}` : given.body },
          triage: {
            classification: given.classification,
            risk: given.risk,
            affected_files: given.affected,
            estimated_complexity: given.effort,
          },
          repository: { file_tree: TREE },
          conventions: { lint_command: given.lint, branch_prefix: { BUG: given.prefix, DOCS: given.prefix } },
        },
        given.withSpec ? { spec: { path: "spec.md", sha256: "x", tasks } } : {},
      );
      const { answer } = await fixPlan(input, { clock });
      expect(brokenRules(answer, { risk: given.risk, isLarge: given.withSpec && given.tasks > 5 })).toEqual([]);
    }),
    { numRuns: triesOf(300) },
  );
});

test("whatever comes in, the answer is a plan or an error of the contract", async () => {
  await assert(
    asyncProperty(mutatedJson(planInput()), async (given) => {
      const { answer } = await fixPlan(given, { clock });
      const isOfContract = answer.success
        ? fixPlanSchema.safeParse(answer.data).success
        : PLAN_ERRORS.includes(answer.error.code) && answer.error.message !== "";
      expect(isOfContract).toBe(true);
    }),
    { numRuns: triesOf(300) },
  );
});

/** The rules of the contract that an answer breaks. */
function brokenRules(answer: Answer<FixPlan>, { risk, isLarge: isLong }: { risk: Risk; isLarge: boolean }): string[] {
  if (!answer.success) {
    return ["PLANNING_FAILED", "FILE_NOT_FOUND"].includes(answer.error.code) ? [] : [answer.error.code];
  }
  const plan = fixPlanSchema.parse(answer.data);
  const { plan_steps: steps, file_changes: changes, validation_commands: checks } = plan;
  const isLarge = isLong || changes.length > 5;
  const mayRun = new Set([null, ...checks]);
  const mustLook = risk !== "LOW" || changes.length > 5 || plan.estimated_duration === 30;
  const rules: Record<string, boolean> = {
    "branch name": BRANCH_NAME.test(plan.branch_name),
    "order of steps": steps.every(({ order }, at) => order === at + 1),
    "number of steps": steps.length >= 3 && steps.length <= (isLarge ? 10 : 7),
    "paths in the tree": changes.every(({ path, operation }) => TREE.includes(path) === (operation !== "CREATE")),
    "no path twice": new Set(changes.map(({ path }) => path)).size === changes.length,
    "lines of changed files only": changes.every((each) => each.operation === "MODIFY" || each.line_range === null),
    "lines in order": changes.every(({ line_range: lines }) => lines === null || lines[0] <= lines[1]),
    "no tests": checks.every((command) => !command.includes("test")),
    "commands of the conventions": steps.every(({ command }) => mayRun.has(command)),
    "a person looks": (plan.human_check_reason !== null) === mustLook,
    minutes: [2, 5, 15, 30].includes(plan.estimated_duration),
  };
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
}
