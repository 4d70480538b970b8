import { describe, expect, test } from "vitest";
import { message, specInput } from "../../../test/support/spec-input.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { statementsOf } from "../input.ts";
import { offlineSpecGenerator } from "./writer.ts";

async function specOf(body: string, said: readonly string[], labels: readonly string[], language = "en") {
  const messages = said.map((content, at) => message({ seq: at + 1, author: "max", content }));
  const given = specInput({ title: "A dry run", body, labels: [...labels], language, messages });
  const statements = statementsOf(given.issue, messages, new Set(["max"]));
  const { markdown } = await offlineSpecGenerator().generate({ ...given, statements }, null);
  const { requirements, problem } = parseSpec(markdown);
  const steps = requirements.flatMap(({ scenarios }) =>
    scenarios.map((one) => one.steps.map(({ keyword, text }) => `${keyword} ${text}`)),
  );
  return { steps, problem };
}

const TWO = `Given a line that cannot be parsed
When it runs with -dry-run
Then the line is printed

Given a valid line
And a second one
When it runs with -dry-run
Then both are printed
And nothing is sent`;

describe("scenarios that an issue writes step by step", () => {
  test.each([["bug"], ["enhancement"]])(
    "are one each, with all their steps, also where it was discussed: %s",
    async (label) => {
      const { steps } = await specOf(
        TWO,
        ["To stderr, one line each.", "Longer ones: cut them after 80 signs."],
        [label],
      );
      expect(steps.slice(0, 2)).toEqual([
        [
          "GIVEN a line that cannot be parsed",
          "WHEN it runs with -dry-run",
          "THEN the line is printed; where the Decision Log says otherwise, that holds",
        ],
        [
          "GIVEN a valid line And a second one",
          "WHEN it runs with -dry-run",
          "THEN both are printed And nothing is sent; where the Decision Log says otherwise, that holds",
        ],
      ]);
      expect(steps).toHaveLength(3);
    },
  );

  test.each([
    [
      "de",
      "**Gegeben** `hours = 22`\n**Wenn** um 23 Uhr ein Job verspätet ist\n**Dann** geht keine Mail hinaus",
      "geht",
    ],
    ["zh", "假如任务 backup 已经迟到\n当请求 `GET /status`\n那么 `late` 为 true", "`late` 为 true"],
    ["es", "Dado que hay un pedido\nCuando se borra\nEntonces la respuesta es 204", "la respuesta es 204"],
  ])("are read in the language of the issue (%s)", async (language, body, outcome) => {
    const { steps } = await specOf(body, [], ["bug"], language);
    expect(steps[0]?.map((step) => step.split(" ")[0])).toEqual(["GIVEN", "WHEN", "THEN"]);
    expect(steps[0]?.[2]).toContain(outcome);
  });

  test("say nothing of what is wanted under the title of the steps that fail", async () => {
    const body = "### Steps to reproduce\n\nGiven a file\nWhen it is read\nThen the program stops\n";
    const { steps } = await specOf(body, [], ["bug"]);
    expect(steps.flat().join("\n")).not.toContain("THEN the program stops");
  });
});

test.each(["cronwatch 0.9.2, Python 3.11.4, Debian 12.", "Node v22.1.0 on Ubuntu Linux 24.04."])(
  "a list of versions does not tell what happens: %s",
  async (versions) => {
    const { problem } = await specOf(`${versions}\n\nThe whole check dies since I added a job.`, [], ["bug"]);
    expect(problem).toContain("The whole check dies");
    expect(problem).not.toContain(versions.slice(0, 12));
  },
);
