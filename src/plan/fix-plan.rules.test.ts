import { array, assert, asyncProperty, boolean, constantFrom, integer, record, string, subarray } from "fast-check";
import { expect, test } from "vitest";
import { clock, planInput } from "../../test/plan-input.ts";
import { mutatedJson } from "../../test/mutated-json.ts";
import { BRANCH_NAME, CLASSIFICATIONS, EFFORTS, PLAN_ERRORS, RISKS, fixPlanSchema } from "../domain/plan.ts";
import { fixPlan } from "./fix-plan.ts";

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
const text = array(words, { maxLength: 30 }).map((each) => each.join(" "));
const inputs = record({
  title: text,
  body: text,
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
          issue: { title: given.title, body: given.body },
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
      if (!answer.success) {
        expect(["PLANNING_FAILED", "FILE_NOT_FOUND"]).toContain(answer.error.code);
        return;
      }
      const plan = fixPlanSchema.parse(answer.data);
      expect(plan.branch_name).toMatch(BRANCH_NAME);
      expect(plan.plan_steps.map(({ order }) => order)).toEqual(plan.plan_steps.map((_, at) => at + 1));
      expect(plan.plan_steps.length).toBeGreaterThanOrEqual(3);
      expect(plan.plan_steps.length).toBeLessThanOrEqual(10);
      for (const { path, operation, line_range } of plan.file_changes) {
        expect(TREE.includes(path)).toBe(operation !== "CREATE");
        if (operation !== "MODIFY") expect(line_range).toBeNull();
        if (line_range !== null) expect(line_range[0]).toBeLessThanOrEqual(line_range[1]);
      }
      expect(new Set(plan.file_changes.map(({ path }) => path)).size).toBe(plan.file_changes.length);
      const commands = [...plan.validation_commands, ...plan.plan_steps.flatMap(({ command }) => command ?? [])];
      for (const command of commands) expect(command).not.toContain("test");
      for (const { command } of plan.plan_steps) expect([null, ...plan.validation_commands]).toContain(command);
      const mustLook = given.risk !== "LOW" || plan.file_changes.length > 5;
      expect(plan.human_check_reason !== null).toBe(mustLook || plan.estimated_duration === 30);
      expect([2, 5, 15, 30]).toContain(plan.estimated_duration);
    }),
    { numRuns: 300 },
  );
});

test("whatever comes in, the answer is a plan or an error of the contract", async () => {
  await assert(
    asyncProperty(mutatedJson(planInput()), async (given) => {
      const { answer } = await fixPlan(given, { clock });
      if (answer.success) fixPlanSchema.parse(answer.data);
      else expect(PLAN_ERRORS).toContain(answer.error.code);
    }),
    { numRuns: 300 },
  );
});
