import { expect, test } from "vitest";
import { planInput, triageInput } from "../../test/support/plan-input.ts";
import { parsed } from "./answer.ts";
import { planInputSchema, triageInputSchema } from "./input.ts";

const problems = (given: unknown) => {
  const result = parsed(triageInputSchema, given);
  if (result.success) throw new Error("it was taken");
  return result.error;
};

test("what does not fit says of each field what it has and what it must have", () => {
  const issue = { number: "7", title: 3, author: {}, labels: [3, {}], created_at: "yesterday" };
  const repository_context = { languages: "js", file_tree: ["", null], codeowners: { "*": 1 } };
  expect(problems({ issue, repository_context })).toMatchObject({
    message:
      "The input does not fit the contract: issue.number is “7”, and must be a number. 9 more of its fields are wrong: see details. docs/plan.md has all fields.",
    details: {
      fields: [
        { field: "issue.number", problem: "is “7”, and must be a number" },
        { field: "issue.title", problem: "is 3, and must be a string" },
        { field: "issue.author.login", problem: "is missing; it must be a string" },
        { field: "issue.labels.0", problem: "is 3, and must be a string or an object" },
        { field: "issue.labels.1", problem: "is wrong: its name is missing; it must be a string" },
        { field: "issue.created_at", problem: "is “yesterday”, and must be a time such as 2026-11-05T09:00:00Z" },
        { field: "repository_context.languages", problem: "is “js”, and must be an array" },
        { field: "repository_context.file_tree.0", problem: "is empty, and must not be" },
        { field: "repository_context.file_tree.1", problem: "is null, and must be a string" },
        { field: "repository_context.codeowners.*", problem: "is 1, and must be a string or an array" },
      ],
    },
  });
});

test("numbers, words of a list, and an input that is no object are told in the same way", () => {
  expect(problems(triageInput({ issue: { number: -1 } })).message).toContain("issue.number is -1, and must be greater");
  expect(problems(triageInput({ issue: { number: 1.5 } })).message).toContain("1.5, and must be a whole number");
  expect(problems([]).message).toBe(
    "The input does not fit the contract: input is an array, and must be an object. docs/plan.md has all fields.",
  );
  const result = parsed(planInputSchema, planInput({ triage: { risk: "CRITICAL" } }));
  expect(result).toMatchObject({
    error: {
      message: expect.stringContaining("triage_result.risk is “CRITICAL”, and must be one of LOW, MEDIUM, HIGH."),
    },
  });
  expect(parsed(planInputSchema, planInput({ triage: { issue_number: 7_000 } }))).toMatchObject({
    error: { message: expect.stringContaining("triage_result.issue_number must be the number of the issue.") },
  });
});
