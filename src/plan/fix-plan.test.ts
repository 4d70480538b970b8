import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../test/support/indexed-repository.ts";
import { type Varied, NOW, clock, planInput } from "../../test/support/plan-input.ts";
import { type FixPlan, fixPlanSchema } from "../domain/plan.ts";
import { type FixPlanDeps, fixPlan } from "./fix-plan.ts";

async function planned(given: unknown, deps: Partial<FixPlanDeps> = {}): Promise<FixPlan> {
  const { answer } = await fixPlan(given, { clock, ...deps });
  if (!answer.success) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

async function errorOf(given: unknown, deps: Partial<FixPlanDeps> = {}) {
  const { answer } = await fixPlan(given, { clock, ...deps });
  if (answer.success) throw new Error("this was planned");
  return answer.error;
}

const API: Varied = {
  issue: {
    number: 43,
    title: "Update API endpoint",
    body: "The routes of `listUsers` moved; src/api/routes.ts:10-12.",
  },
  triage: {
    issue_number: 43,
    classification: "BUG",
    risk: "MEDIUM",
    affected_files: ["src/api/routes.ts", "src/api/handlers.ts", "src/types/api.ts"],
    auto_fix_decision: "HUMAN_REVIEW_REQUIRED",
  },
  repository: { file_tree: ["src/api/routes.ts", "src/api/handlers.ts", "src/types/api.ts", "src/api/routes.test.ts"] },
};

describe("the contract's scenarios", () => {
  test("a typo in a README is three steps in one file, and nobody has to look", async () => {
    expect(await planned(planInput())).toEqual({
      issue_number: 42,
      branch_name: "docs/42-fix-typo-readme-installation-section",
      plan_steps: [
        { order: 1, description: expect.stringContaining("line 15"), command: null, files_involved: ["README.md"] },
        {
          order: 2,
          description: expect.stringMatching(/'teh' with 'the'/),
          command: null,
          files_involved: ["README.md"],
        },
        { order: 3, description: expect.any(String), command: "npm run lint", files_involved: ["README.md"] },
      ],
      file_changes: [
        {
          path: "README.md",
          operation: "MODIFY",
          change_summary: expect.stringContaining("teh"),
          line_range: [15, 15],
        },
      ],
      validation_commands: ["npm run lint"],
      human_check_reason: null,
      estimated_duration: 2,
      timestamp: NOW.toISOString(),
    });
  });

  test("a change in three files is five to eight steps, fully checked, and a person must look", async () => {
    const plan = await planned(planInput(API));
    expect(plan.branch_name).toBe("fix/43-update-api-endpoint");
    expect(plan.plan_steps.length).toBeGreaterThanOrEqual(5);
    expect(plan.plan_steps.length).toBeLessThanOrEqual(8);
    expect(plan.file_changes.map(({ operation }) => operation)).toEqual(["MODIFY", "MODIFY", "MODIFY"]);
    expect(plan.file_changes[0]?.line_range).toEqual([10, 12]);
    expect(plan.validation_commands).toEqual(["npm run lint", "npm run type-check", "npm run build"]);
    expect(plan.human_check_reason).toMatch(/3 files.*src\/api\/routes.ts/);
    expect(plan.plan_steps.some(({ files_involved }) => files_involved.includes("src/api/routes.test.ts"))).toBe(true);
    expect(plan.estimated_duration).toBe(15);
  });

  test("a large restructuring is complex: half an hour at least, and a person should look", async () => {
    const plan = await planned(planInput({ triage: { classification: "CHORE", estimated_complexity: "COMPLEX" } }));
    expect(plan.human_check_reason).toMatch(/^Complex implementation/);
    expect(plan.estimated_duration).toBeGreaterThanOrEqual(30);
  });

  test("HIGH risk is planned, and tells what it touches", async () => {
    const triage = { risk: "HIGH", security_flags: ["keyword: password (passwords and credentials)"] };
    const plan = await planned(planInput({ triage: { ...triage, auto_fix_decision: "HUMAN_REVIEW_REQUIRED" } }));
    expect(plan.human_check_reason).toMatch(/^HIGH risk.*password/);
    expect(plan.validation_commands).toEqual(["npm run lint", "npm run build"]);
  });

  test("more than five files need a look, whatever the risk", async () => {
    const files = Array.from({ length: 40 }, (_, at) => `src/part${at}/index.ts`);
    const plan = await planned(planInput({ triage: { affected_files: files }, repository: { file_tree: files } }));
    expect(plan.file_changes).toHaveLength(40);
    expect(plan.human_check_reason).toMatch(/^Large scope: 40 files/);
    expect(plan.plan_steps.length).toBeLessThanOrEqual(10);
    expect(new Set(plan.plan_steps.flatMap(({ files_involved }) => files_involved))).toEqual(new Set(files));
  });
});

describe("files", () => {
  test("a file that the issue asks to make is created, one that it asks to delete is deleted, without lines", async () => {
    const issue = { title: "Split the docs", body: "Create docs/usage.md. Delete `docs/old.md`. Line 3 is wrong." };
    const repository = { file_tree: ["README.md", "docs/old.md"] };
    const triage = { affected_files: ["docs/usage.md", "docs/old.md"] };
    const { file_changes } = await planned(planInput({ issue, repository, triage }));
    expect(file_changes).toMatchObject([
      { path: "docs/usage.md", operation: "CREATE", line_range: null },
      { path: "docs/old.md", operation: "DELETE", line_range: null },
    ]);
  });

  test("“update created_at” creates nothing", async () => {
    const issue = { title: "Update created_at when a row is created", body: "It is created but removed later." };
    const { file_changes } = await planned(planInput({ issue, triage: { affected_files: ["src/app/create-app.ts"] } }));
    expect(file_changes).toMatchObject([{ path: "src/app/create-app.ts", operation: "MODIFY" }]);
  });

  test("a path is taken as the tree writes it, and once", async () => {
    const { file_changes } = await planned(planInput({ triage: { affected_files: ["./README.md", "README.md"] } }));
    expect(file_changes.map(({ path }) => path)).toEqual(["README.md"]);
  });
});

describe("a spec", () => {
  const spec = {
    path: "relay_specs/issue_1/spec.md",
    sha256: "0".repeat(64),
    tasks: [
      {
        number: "2",
        title: "Show the total",
        touchPoints: [{ path: "src/app/create-app.ts", isNew: false }],
        doneWhen: "it is shown",
        blockedBy: "Task 1",
      },
      {
        number: "1",
        title: "Add the sum",
        touchPoints: [{ path: "src/sum.ts", isNew: true }],
        doneWhen: "-",
        blockedBy: [],
      },
    ],
  };

  test("gives steps and changes, in an order that what blocks comes first", async () => {
    const plan = await planned(planInput({}, { spec }));
    expect(plan.plan_steps.map(({ description }) => description)).toEqual([
      "Read the spec, then `src/app/create-app.ts`",
      "Add the sum.",
      "Show the total. Done when: it is shown.",
      expect.stringContaining("npm run lint"),
      expect.stringContaining("npm run type-check"),
    ]);
    expect(plan.file_changes).toMatchObject([
      { path: "src/app/create-app.ts", operation: "MODIFY" },
      { path: "src/sum.ts", operation: "CREATE" },
    ]);
  });

  test("of many tasks is ten steps at most, and none is lost", async () => {
    const tasks = Array.from({ length: 23 }, (_, at) => ({
      title: `Part ${at}`,
      touchPoints: [{ path: "README.md", isNew: false }],
      doneWhen: "",
      blockedBy: at === 0 ? "" : String(at),
    }));
    const plan = await planned(planInput({}, { spec: { ...spec, tasks } }));
    expect(plan.plan_steps.length).toBeLessThanOrEqual(10);
    const all = plan.plan_steps.map(({ description }) => description).join("\n");
    for (const { title } of tasks) expect(all).toContain(`${title}.`);
  });

  test("may name folders, which are no changes", async () => {
    const touchPoints = [
      { path: "src/", isNew: false },
      { path: "README.md", isNew: false },
    ];
    const plan = await planned(planInput({}, { spec: { ...spec, tasks: [{ ...spec.tasks[1], touchPoints }] } }));
    expect(plan.file_changes.map(({ path }) => path)).toEqual(["README.md"]);
  });

  test("by which nothing is to be built names no file and no check, and says so", async () => {
    const tasks = [
      { title: "Build nothing: close the issue", touchPoints: [], changesNothing: true, doneWhen: "", blockedBy: "" },
    ];
    const plan = await planned(planInput({ triage: { risk: "MEDIUM" } }, { spec: { ...spec, tasks } }));
    expect(fixPlanSchema.parse(plan)).toMatchObject({
      nothing_to_build: true,
      plan_steps: [{ order: 1, description: "Build nothing: close the issue.", command: null, files_involved: [] }],
      file_changes: [],
      validation_commands: [],
    });
    expect((await planned(planInput({}, { spec }))).nothing_to_build).toBeUndefined();
  });

  test("by which people are asked first has no step for that, and needs a person", async () => {
    const ask = {
      title: "Ask @max whether anything is to be built",
      touchPoints: [],
      changesNothing: true,
      doneWhen: "",
      blockedBy: "",
    };
    const plan = await planned(planInput({}, { spec: { ...spec, tasks: [ask, ...spec.tasks] } }));
    expect(plan.human_check_reason).toBe("Before anything is built: Ask @max whether anything is to be built.");
    expect(JSON.stringify(plan.plan_steps)).not.toContain("@max");
    expect(plan.file_changes).not.toEqual([]);
  });

  test("whose touch point is gone is not planned from", async () => {
    const tasks = [{ ...spec.tasks[0], touchPoints: [{ path: "src/gone.ts", isNew: false }], blockedBy: "" }];
    expect(await errorOf(planInput({}, { spec: { ...spec, tasks } }))).toMatchObject({
      code: "FILE_NOT_FOUND",
      details: { missing: ["src/gone.ts"] },
    });
  });
});

describe("errors", () => {
  test("a file that nobody has and nobody asked to make", async () => {
    expect(await errorOf(planInput({ triage: { affected_files: ["README.md", "src/nope.ts"] } }))).toEqual({
      code: "FILE_NOT_FOUND",
      message: expect.stringContaining("src/nope.ts"),
      details: { missing: ["src/nope.ts"] },
      recoverable: true,
    });
  });

  test("no file and no spec: a person must plan", async () => {
    expect(await errorOf(planInput({ triage: { affected_files: [] } }))).toMatchObject({
      code: "PLANNING_FAILED",
      recoverable: false,
    });
  });

  test("a question is no work order, unless something is wished for beside it", async () => {
    const asks = { title: "Which version does the README name?", body: "I could not find it." };
    expect(await errorOf(planInput({ issue: asks }))).toMatchObject({
      code: "PLANNING_FAILED",
      message: expect.stringContaining("asks a question"),
    });
    const wishes = { ...asks, body: `${asks.body} It should stand at the top.` };
    expect((await planned(planInput({ issue: wishes }))).plan_steps.length).toBeGreaterThan(0);
  });

  test("a branch that exists gets a number; only where none is free it is an error", async () => {
    const taken = "docs/42-fix-typo-readme-installation-section";
    expect((await planned(planInput({}, { existing_branches: [taken] }))).branch_name).toBe(`${taken}-2`);
    const isSecond = (name: string) => name.endsWith("-2");
    const plan = await planned(planInput({}, { existing_branches: [taken] }), { branchExists: isSecond });
    expect(plan.branch_name).toBe(`${taken}-3`);
    expect((await errorOf(planInput(), { branchExists: () => true })).code).toBe("BRANCH_EXISTS");
  });

  test.each([
    ["issue.number", planInput({ issue: { number: -1 } })],
    ["issue.title", planInput({ issue: { title: undefined } })],
    ["issue.author.login", planInput({ issue: { author: {} } })],
    ["issue.created_at", planInput({ issue: { created_at: "yesterday" } })],
    ["triage_result.risk", planInput({ triage: { risk: "CRITICAL" } })],
    ["triage_result.classification", planInput({ triage: { classification: "TASK" } })],
    ["triage_result.affected_files", planInput({ triage: { affected_files: "README.md" } })],
    ["triage_result.issue_number", planInput({ triage: { issue_number: 7 } })],
    ["repository_context.file_tree", planInput({ repository: { file_tree: null } })],
    ["conventions.lint_command", planInput({ conventions: { lint_command: undefined } })],
    ["conventions.branch_prefix.DOCS", planInput({ conventions: { branch_prefix: { DOCS: 1 } } })],
    ["input", null],
    ["input", []],
    ["issue", {}],
  ])("what does not fit the contract is refused by the name of its field: %s", async (field, given) => {
    const error = await errorOf(given);
    expect(error).toMatchObject({ code: "INVALID_INPUT", recoverable: true });
    expect(error.details?.["fields"]).toEqual(expect.arrayContaining([{ field, problem: expect.any(String) }]));
  });
});

describe("with the code at hand", () => {
  let code: IndexedRepository | undefined;
  beforeAll(async () => {
    const lines = ["import { x } from './x';", "", "export function totalOf(rows) {", "  return rows.length;", "}", ""];
    code = await indexedRepository([
      {
        files: [
          { path: "src/total.ts", content: lines.join("\n") },
          { path: "README.md", content: "# Title\n\nText.\n" },
        ],
      },
    ]);
  });
  afterAll(async () => await code?.remove());

  const input = (body: string, affected: string) =>
    planInput({
      issue: { title: "The total is wrong", body },
      triage: { classification: "BUG", affected_files: [affected] },
      repository: { file_tree: ["README.md", "src/total.ts"] },
    });

  test("the steps name the symbol, and its lines are those of the file", async () => {
    const plan = await planned(input("`totalOf` counts the rows instead of adding them.", "src/total.ts"), {
      index: code?.index ?? null,
    });
    expect(plan.file_changes).toMatchObject([{ line_range: [3, 5] }]);
    expect(plan.plan_steps[0]?.description).toContain("`totalOf`");
  });

  test("the line that a task of the spec cites comes before a heading that shares words with the issue", async () => {
    const touchPoints = [
      { path: "src/total.ts", isNew: false },
      { path: "README.md", isNew: false },
    ];
    const title = "Describe it at `README.md:3`, and confirm `totalOf` (`src/total.ts:4`)";
    const spec = {
      path: "spec.md",
      sha256: "0".repeat(64),
      tasks: [{ title, touchPoints, doneWhen: "", blockedBy: "" }],
    };
    const given = { ...input("The title of the readme says nothing of rows.", "README.md"), spec };
    const { file_changes } = await planned(given, { index: code?.index ?? null });
    expect(file_changes).toMatchObject([{ line_range: [3, 5] }, { line_range: [3, 3] }]);
  });

  test("verified places, and lines that a task names, come before words (R-FIX-9)", async () => {
    const task = { number: "1", title: "Add the rows", doneWhen: "-", blockedBy: [] };
    const rangeOf = async (path: string, places: object[]) => {
      const spec = {
        path: "spec.md",
        sha256: "x",
        tasks: [{ ...task, touchPoints: [{ path, isNew: false }] }],
        places,
      };
      const given = input("See src/total.ts:1.", "src/total.ts");
      const plan = await planned({ ...given, spec }, { index: code?.index ?? null });
      expect(plan.file_changes[0]?.change_summary).toContain("`totalOf`");
      return plan.file_changes[0]?.line_range;
    };
    // The symbol around a single line.
    expect(await rangeOf("src/total.ts", [{ path: "src/total.ts", start: 4, end: 4 }])).toEqual([3, 5]);
    const known = [
      { path: "src/total.ts", start: 90, end: 91 },
      { path: "src/total.ts", start: 3, end: 4 },
    ];
    expect(await rangeOf("src/total.ts", known)).toEqual([3, 4]);
    expect(await rangeOf("src/total.ts:4-5", known)).toEqual([4, 5]);
  });

  test("lines that the file does not have are none", async () => {
    const plan = await planned(input("Line 15 has 'teh' instead of 'the'", "README.md"), {
      index: code?.index ?? null,
    });
    expect(plan.file_changes[0]?.line_range).toBeNull();
  });
});

test("a tree of 200,000 files and a body of a megabyte are planned like any other", async () => {
  const file_tree = Array.from({ length: 200_000 }, (_, at) => `packages/p${at % 500}/src/module${at}.ts`);
  const body = "A long log line with `code` and src/app/create-app.ts:3 in it.\n".repeat(20_000);
  const plan = await planned(
    planInput({ issue: { body }, repository: { file_tree }, triage: { affected_files: file_tree.slice(0, 3) } }),
  );
  expect(plan.file_changes).toHaveLength(3);
});
