import { expect, test } from "vitest";
import { clock, planInput } from "../../test/support/plan-input.ts";
import { phrases } from "../i18n/phrases.ts";
import { taskIn } from "./change-steps.ts";
import { fixPlan } from "./fix-plan.ts";

const tasks = [
  {
    number: "1",
    title: "Исправить опечатку",
    touchPoints: [{ path: "README.md", isNew: false }],
    doneWhen: "слово написано верно",
    blockedBy: "—",
  },
];
const input = () => ({ ...planInput(), spec: { path: "specs/spec.md", sha256: "0", tasks } });

test("steps that come from a spec speak the issue's language (R-PLAN-10)", async () => {
  const { answer } = await fixPlan(input(), { clock, language: "ru" });
  if (!answer.success) throw new Error(answer.error.message);
  const said = [
    ...answer.data.plan_steps.map(({ description }) => description),
    ...answer.data.file_changes.map(({ change_summary }) => change_summary),
  ];
  expect(said).toContain("Исправить опечатку. Готово, когда: слово написано верно.");
  expect(said.filter((text) => /[a-z]/i.test(text.replaceAll(/`[^`]*`/g, "")))).toEqual([]);
});

test("they are English where Relay does not write the language", async () => {
  const { answer } = await fixPlan(input(), { clock, language: "fi" });
  expect(answer).toMatchObject({
    data: { plan_steps: [{ description: "Read the spec, then `README.md`" }, {}, {}] },
  });
});

test.each([
  ["en", "Write tests for the 3 scenarios, in `total`"],
  ["de", "Write tests for the 3 scenarios, in `total`"],
  ["ja", "Write tests for the 3 scenarios（`total`）"],
])("a step with a place is one sentence (%s)", (language, said) => {
  const file = {
    ...{ path: "a.ts", operation: "MODIFY" as const, range: null, symbol: "total" },
    task: "Write tests for the 3 scenarios.",
  };
  expect(taskIn(file, phrases("steps", language))).toBe(said);
});
