import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gap } from "../../test/support/spec-input.ts";
import { answerComment, readAnswers } from "./answers-file.ts";
import { noAnswer } from "./converse.ts";

const proposing = gap({ number: 1, topic: "acceptance", proposedDefault: "the tests pass" });
const asking = gap({ number: 2, topic: "expected", proposedDefault: null });

test("at the prompt, words that settle nothing are asked about again", () => {
  expect(noAnswer(proposing, "y")).toBeUndefined();
  expect(noAnswer(proposing, " no ")).toMatch(/^“no” does not answer this: /);
  expect(noAnswer(asking, "yes")).toMatch(/^“yes” does not answer this: /);
  for (const given of ["", "  ", "It prints 3."]) expect(noAnswer(asking, given)).toBeUndefined();
});

test("an answers file says yes as a person would", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-answers-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const file = join(folder, "answers.yaml");
  await writeFile(file, "acceptance: true\nexpected: yes\n");
  expect(answerComment(await readAnswers(file), [proposing, asking])).toBe("1. yes");
});
