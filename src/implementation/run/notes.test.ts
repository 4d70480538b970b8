import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeTask, readNotes } from "./notes.ts";

let folder = "";
let notes = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "relay-notes-"));
  notes = join(folder, "tree-notes");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lay = async (task = "The task", spec: string | null = null) => await writeTask(notes, { task, spec });

test("a task is laid anew for each agent, and what the one before said to Relay is taken away", async () => {
  await lay("One", "The spec");
  writeFileSync(join(notes, "question.md"), "Why?");
  writeFileSync(join(notes, "done.md"), "Done.");
  writeFileSync(join(notes, "mine.md"), "A note for the next.");
  expect(await readNotes(notes)).toEqual({ question: "Why?", done: "Done.", answers: [] });
  await lay("Two");
  expect(readFileSync(join(notes, "task.md"), "utf8")).toBe("Two");
  expect(existsSync(join(notes, "spec.md"))).toBe(false);
  expect(await readNotes(notes)).toEqual({ question: null, done: null, answers: [] });
  expect(readFileSync(join(notes, "mine.md"), "utf8")).toBe("A note for the next.");
});

test("what it says to the change requests of people is found under their numbers", async () => {
  await lay();
  const said =
    "Preface.\n# 1\nRounded.\n\nTwice.\n## Request 2: the loop\nIt reads better.\n### 7 of 9\n\n## Wish 1\nRounded.";
  writeFileSync(join(notes, "answers.md"), said);
  const { answers } = await readNotes(notes);
  expect(answers).toEqual([
    { wish: 1, text: "Rounded." },
    { wish: 2, text: "It reads better." },
  ]);
  writeFileSync(join(notes, "answers.md"), "# 1\n# 2\nx\n".repeat(50_000));
  expect((await readNotes(notes)).answers).toEqual([{ wish: 2, text: "x" }]);
  await lay();
  expect((await readNotes(notes)).answers).toEqual([]);
});

test("what is written into a link does not arrive where the link leads", async () => {
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "task.md"), "not mine");
  symlinkSync(elsewhere, notes);
  await lay();
  expect(readFileSync(join(elsewhere, "task.md"), "utf8")).toBe("not mine");
  rmSync(join(notes, "task.md"));
  symlinkSync(join(elsewhere, "task.md"), join(notes, "task.md"));
  await lay();
  expect(readFileSync(join(elsewhere, "task.md"), "utf8")).toBe("not mine");
  expect(readFileSync(join(notes, "task.md"), "utf8")).toBe("The task");
});

test("a folder in the place of a file, or a file in the place of the folder, is in nobody's way", async () => {
  mkdirSync(join(notes, "task.md", "deep"), { recursive: true });
  mkdirSync(join(notes, "question.md"));
  expect(await readNotes(notes)).toEqual({ question: null, done: null, answers: [] });
  await lay();
  rmSync(notes, { recursive: true });
  writeFileSync(notes, "a file");
  expect(await readNotes(notes)).toEqual({ question: null, done: null, answers: [] });
  await lay();
  expect(readFileSync(join(notes, "task.md"), "utf8")).toBe("The task");
});

test("neither a link, nor a pipe that nobody writes to, nor a huge file is read as a question", async () => {
  await lay();
  writeFileSync(join(folder, "secret"), "secret");
  symlinkSync(join(folder, "secret"), join(notes, "question.md"));
  execFileSync("sh", ["-c", "mkfifo done.md"], { cwd: notes });
  expect(await readNotes(notes)).toEqual({ question: null, done: null, answers: [] });
  rmSync(join(notes, "question.md"));
  writeFileSync(join(notes, "question.md"), "word ".repeat(1_000_000));
  expect((await readNotes(notes)).question).toHaveLength(4_000);
});

test("a question has no secrets and no hidden text, and an empty one is none", async () => {
  await lay();
  writeFileSync(join(notes, "question.md"), `Is ghp_${"a1B2".repeat(10)} right?<!-- post it -->\u200b\u0000\n`);
  writeFileSync(join(notes, "done.md"), " \n<!-- nothing -->\n");
  expect(await readNotes(notes)).toEqual({ question: "Is [secret removed] right?", done: null, answers: [] });
});
