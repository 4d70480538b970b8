import { describe, expect, test } from "vitest";
import { finding, message, specInput } from "../../../test/support/spec-input.ts";
import { statementsIn } from "../../domain/statements/statements.ts";
import { validateSpec } from "../validate/validate.ts";
import { symptomOf } from "./own-words.ts";
import { phrase } from "./plain.ts";
import { offlineSpecGenerator } from "./writer.ts";

async function outcomes(title: string, body: string, said: readonly string[] = [], labels = ["bug"]) {
  const messages = said.map((content, at) => message({ seq: at + 1, content }));
  const input = specInput({ title, body, labels, messages });
  const { markdown, complexity } = await offlineSpecGenerator().generate(input, null);
  const { document } = await validateSpec(markdown, { complexity });
  return document.requirements
    .flatMap(({ scenarios }) => scenarios)
    .flatMap(({ steps }) => steps.flatMap(({ keyword, text }) => (["WHEN", "GIVEN"].includes(keyword) ? [] : [text])))
    .join("\n");
}

test("a question that somebody took up is no outcome", async () => {
  const input = specInput({
    title: "Set the term of a customer",
    body: "The setting should take a term.",
    labels: ["enhancement"],
  });
  const question = { kind: "wish", text: "Can't it skip the broken one?", message: 1, author: "ann" } as const;
  const statement = { ...question, decides: true, agreedIn: 2, supersededBy: null };
  const statements = { ...input.statements, statements: [...input.statements.statements, statement] };
  const messages = [message({ seq: 1, content: question.text }), message({ seq: 2, content: "Right." })];
  const { markdown } = await offlineSpecGenerator().generate({ ...input, messages, statements }, null);
  expect(markdown).not.toMatch(/THEN\*\* .*skip the broken one/);
  expect(markdown).toContain("skip the broken one");
});

test("a label of two lines may have several words", async () => {
  const body = "A name of blanks is taken.\n\nWhat happens: 201 Created\nWhat I think should happen: 422 INVALID_NAME";
  expect(await outcomes("Empty name accepted", body)).toContain("422 INVALID_NAME");
  expect(await outcomes("Empty name accepted", body)).not.toContain("201 Created");
});

describe("what is no fault does not have to disappear", () => {
  test("a message that is to stay", async () => {
    const body = 'A second payment moves the date. The command refuses this ("is invalid already").';
    expect(await outcomes("Second payment", body)).toContain("`is invalid already` no longer appears");
    const said = ["The message of the command stays as it is."];
    expect(await outcomes("Second payment", body, said)).not.toContain("`is invalid already` no longer appears");
  });

  test("the command itself", async () => {
    const command = "quillbill check-invalid";
    const body = `\`${command}\` takes 1.8 s.`;
    const input = specInput({
      title: "The check is slow",
      body,
      labels: ["performance"],
      findings: [
        finding(1, { synthesis: "It is here.", sources: [{ location: "src/a.js:1", snippet: `// ${command}` }] }),
      ],
    });
    expect(symptomOf(input, command)).toBeNull();
  });

  test("a variable that is not set", async () => {
    const body = "The date is one day late. INVALID_ZONE is not set.";
    expect(await outcomes("Wrong date", body)).not.toContain("INVALID_ZONE` no longer");
  });
});

test("the dash of an option stays, and `<` before a number is no tag", () => {
  const { statements } = statementsIn(
    { title: "Short options", body: "Options.", labels: ["feature"], reporter: "bob" },
    [message({ seq: 1, author: "ann", content: "-m must not be used, I want to reserve it." })],
    new Set(["ann"]),
  );
  expect(statements.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^-m /));
  expect(phrase("list 10k rows in < 1 s, or <50 ms")).toBe("list 10k rows in < 1 s, or <50 ms");
  expect(phrase("a <b> tag")).toBe("a &lt;b> tag");
});
