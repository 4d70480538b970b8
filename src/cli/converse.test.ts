import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gap } from "../../test/support/spec-input.ts";
import { ENTER, LEFT, typing } from "../../test/support/typing.ts";
import { answerComment, readAnswers } from "./answers-file.ts";
import { noAnswer, replyInTerminal } from "./converse.ts";

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

const open = { ...asking, id: "2" };

test("a question left open by Enter is followed by the question for the go-ahead, and more Enters give none", async () => {
  const { terminal, said } = typing(() => [ENTER]);
  expect(await replyInTerminal([{ ...proposing, id: "1" }, open], new Set(), terminal)).toBeNull();
  expect(said.err).toContain("it is assumed: the tests pass\n");
  expect(said.err).toContain("it stays open");
  expect(said.shown).toContain("Write the spec without these answers?");
});

test("who chooses the go-ahead says it", async () => {
  const { terminal } = typing((at) => (at === 0 ? [ENTER] : [LEFT, ENTER]));
  expect(await replyInTerminal([open], new Set(), terminal)).toBe("Go ahead with the spec.");
});

test("an answer is said first, and what was left open is not asked again, but for the go-ahead", async () => {
  const left = new Set<string>();
  const first = typing((at) => (at === 0 ? ["The tests pass", ENTER] : [ENTER]));
  expect(await replyInTerminal([{ ...asking, id: "1", number: 1 }, open], left, first.terminal)).toBe(
    "1. The tests pass",
  );
  const second = typing(() => [ENTER]);
  expect(await replyInTerminal([open], left, second.terminal)).toBeNull();
  expect(second.said.shown).not.toContain("(high)");
});
