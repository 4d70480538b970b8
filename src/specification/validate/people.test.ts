import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Statement } from "../../domain/statements/statement.ts";
import { validateSpec } from "./validate.ts";

const L1 = readFileSync(new URL("../../../test/fixtures/specs/L1.md", import.meta.url), "utf8");

const statement = (given: Partial<Statement>): Statement => ({
  kind: "bound",
  text: "The old importer must keep reading `number`.",
  message: 3,
  author: "ann",
  decides: true,
  agreedIn: null,
  supersededBy: null,
  ...given,
});

async function problems(markdown: string, ...statements: Statement[]) {
  const { errors, warnings } = await validateSpec(markdown, { grounding: { statements } });
  return [...errors, ...warnings].filter(({ rule }) => rule === "people_covered");
}

function inSection(section: string, line: string): string {
  const heading = `## ${section}\n`;
  expect(L1).toContain(heading);
  return L1.replace(heading, `${heading}\n${line}\n`);
}

const nonGoal = (line: string) => {
  expect(L1).toMatch(/non-goals\*{0,2}\n/i);
  return L1.replace(/(### Non-goals|\*\*Non-goals\*\*)\n/i, `$1\n\n- ${line}`);
};

test("a statement that the spec leaves out is an error for who decides, and tells whose it is, where, and the cure", async () => {
  expect(await problems(L1, statement({}))).toEqual([
    expect.objectContaining({
      severity: "error",
      detail:
        "a bound of @ann in message 3 is nowhere in the spec: “The old importer must keep reading `number`.”; make it a non-goal, or a scenario of what stays, and cite `message 3`",
    }),
  ]);
});

test("a spec says what is wanted without the words for who wants it, or an address", async () => {
  const text = "I would like to see dark charts for printed reports as in https://example.org/a/b/c/d";
  expect(
    await problems(nonGoal("dark charts for printed reports"), statement({ kind: "wish", message: null, text })),
  ).toEqual([]);
});

test("it is a warning for anybody else, and then an assumption", async () => {
  const [problem] = await problems(L1, statement({ decides: false, author: "eve" }));
  expect(problem).toMatchObject({ severity: "warning" });
  expect(problem?.detail).toContain("@eve does not decide here, so make it an assumption or a question");
});

describe("a statement counts as taken up", () => {
  test.each([
    ["by its words", nonGoal("The old importer keeps reading `number`"), statement({})],
    ["by its message", nonGoal("Nothing changes for imports (message 3)"), statement({})],
    ["by the message that agreed", nonGoal("Imports (message 5)"), statement({ kind: "decision", agreedIn: 5 })],
    [
      "where open questions stand",
      `${L1}\n## Open Questions\n\n- Imports? (message 3)\n`,
      statement({ decides: false }),
    ],
    [
      "as a fact, in the problem statement",
      inSection("Problem Statement", "The importer reads it (message 3)."),
      statement({ kind: "fact" }),
    ],
    ["once its author took it back", L1, statement({ supersededBy: 9 })],
  ])("%s", async (_, markdown, one) => {
    expect(await problems(markdown, one)).toEqual([]);
  });

  test.each([
    ["where it has no effect", inSection("TL;DR", "- Imports (message 3)"), statement({})],
    [
      "as a wish, in the problem statement",
      inSection("Problem Statement", "Imports (message 3)."),
      statement({ kind: "wish" }),
    ],
    ["by one word that it shares", nonGoal("A new importer for spreadsheets"), statement({})],
  ])("never %s", async (_, markdown, one) => {
    expect(await problems(markdown, one)).toHaveLength(1);
  });
});

test("many are listed up to a limit, those of who decides first, and the rest is counted", async () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    statement({ message: index + 1, text: `Keep zebra${index} alive.`, decides: index >= 15 }),
  );
  const found = await problems(L1, ...many);
  expect(found).toHaveLength(21);
  expect(found.filter(({ severity }) => severity === "error")).toHaveLength(15);
  expect(found.map(({ detail }) => detail)).toContain("10 more statements of people are nowhere in the spec");
});
