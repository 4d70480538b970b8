import { expect, test } from "vitest";
import { CONVENTIONS } from "../../test/support/plan-input.ts";
import { validationCommands } from "./commands.ts";
import { durationOf, effortOf, humanCheckReason } from "./effort.ts";

test.each([
  ["LOW", ["README.md"], ["npm run lint"]],
  ["LOW", ["src/a.ts"], ["npm run lint", "npm run type-check"]],
  ["LOW", ["src/App.vue"], ["npm run lint", "npm run type-check"]],
  ["MEDIUM", ["src/a.ts"], ["npm run lint", "npm run type-check", "npm run build"]],
  ["HIGH", ["src/a.py"], ["npm run lint", "npm run build"]],
] as const)("at %s risk, %j is checked by %j", (risk, paths, commands) => {
  expect(validationCommands(risk, paths, CONVENTIONS)).toEqual({ commands, warnings: [] });
});

test("a command that holds the letters “test” is left out, and a warning says so", () => {
  const conventions = { ...CONVENTIONS, lint_command: "npx lint --latest", build_command: "npm run build:TEST" };
  const { commands, warnings } = validationCommands("HIGH", ["a.ts"], conventions);
  expect(commands).toEqual(["npm run type-check"]);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain("npx lint --latest");
});

test("types are checked by the repository's own command, and nothing runs twice", () => {
  const conventions = { ...CONVENTIONS, type_check_command: "npm run lint", build_command: "  " };
  expect(validationCommands("HIGH", ["a.ts"], conventions).commands).toEqual(["npm run lint"]);
});

test("a repository that has no type check gets none", () => {
  const conventions = { ...CONVENTIONS, type_check_command: "" };
  expect(validationCommands("LOW", ["a.ts"], conventions).commands).toEqual(["npm run lint"]);
});

test.each([
  [3, 1, "TRIVIAL", 2],
  [4, 1, "SIMPLE", 5],
  [3, 2, "SIMPLE", 5],
  [5, 2, "SIMPLE", 5],
  [6, 2, "MODERATE", 15],
  [3, 3, "MODERATE", 15],
  [10, 5, "MODERATE", 15],
  [3, 6, "COMPLEX", 30],
] as const)("%i steps in %i files are %s: %i minutes", (steps, files, effort, minutes) => {
  expect(effortOf(steps, files)).toBe(effort);
  expect(durationOf(effort)).toBe(minutes);
});

test("a person must look for the weightiest reason that holds, or need not", () => {
  const paths = (count: number) => Array.from({ length: count }, (_, at) => `src/${at}.ts`);
  const flags: string[] = [];
  expect(humanCheckReason({ risk: "HIGH", paths: paths(9), effort: "COMPLEX", flags })).toMatch(/^HIGH risk/);
  expect(humanCheckReason({ risk: "MEDIUM", paths: paths(9), effort: "COMPLEX", flags })).toMatch(
    /^MEDIUM risk.*9 files/,
  );
  expect(humanCheckReason({ risk: "LOW", paths: paths(6), effort: "COMPLEX", flags })).toMatch(/^Large scope: 6 files/);
  expect(humanCheckReason({ risk: "LOW", paths: paths(5), effort: "COMPLEX", flags })).toMatch(
    /^Complex implementation/,
  );
  expect(humanCheckReason({ risk: "LOW", paths: paths(5), effort: "MODERATE", flags })).toBeNull();
});
