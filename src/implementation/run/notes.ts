import { constants } from "node:fs";
import { lstat, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keptText } from "../../domain/text/clean-text.ts";
import type { ChangeRequestAnswer } from "../../domain/work.ts";
import { systemCode } from "../../lib/errors.ts";

/** Files in the notes folder, from Relay and from the agent. */
export const TASK_FILE = "task.md";
/** The whole spec, if it is too long for the task file. */
export const SPEC_FILE = "spec.md";
/** The agent's question, if it has one (R-WORK-4). */
export const QUESTION_FILE = "question.md";
/** The agent's report on a task that it considers done. */
export const DONE_FILE = "done.md";

/** The agent's answer to each change request, under its number. */
export const ANSWERS_FILE = "answers.md";

const LONGEST_QUESTION = 4_000;
const LONGEST_DONE = 8_000;
const LONGEST_ANSWERS = 24_000;
/** For one change request; there are at most 30. */
const LONGEST_ANSWER = 1_500;
const MOST_ANSWERS = 30;

export interface AgentNotes {
  question: string | null;
  done: string | null;
  answers: ChangeRequestAnswer[];
}

/**
 * Writes the task into the notes folder for a fresh agent, and removes the notes of the previous one. Never writes
 * outside the folder, even if an agent replaced parts of it; no agent runs at that time.
 */
export async function writeTask(folder: string, task: { task: string; spec: string | null }): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found !== null && !found.isDirectory()) await rm(folder, { force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const name of [TASK_FILE, SPEC_FILE, QUESTION_FILE, DONE_FILE, ANSWERS_FILE]) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  // The flag never writes through a link: it creates a file or fails.
  await writeFile(join(folder, TASK_FILE), task.task, { flag: "wx", mode: 0o644 });
  if (task.spec !== null) await writeFile(join(folder, SPEC_FILE), task.spec, { flag: "wx", mode: 0o644 });
}

/** Reads the agent's notes, without secrets and hidden text; null for missing, empty and irregular files. */
export async function readNotes(folder: string): Promise<AgentNotes> {
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory()) return { question: null, done: null, answers: [] };
  return {
    question: await readNote(join(folder, QUESTION_FILE), LONGEST_QUESTION),
    done: await readNote(join(folder, DONE_FILE), LONGEST_DONE),
    answers: answersIn((await readNote(join(folder, ANSWERS_FILE), LONGEST_ANSWERS)) ?? ""),
  };
}

/** The text below each numbered heading; if a number occurs again, the last text counts. */
function answersIn(text: string): ChangeRequestAnswer[] {
  const answers = new Map<number, string>();
  let current: number | null = null;
  for (const line of text.split("\n")) {
    const heading = /^#{1,6}[ \t]+(?:(?:request|wish)[ \t]+)?#?(\d{1,3})\b/i.exec(line)?.[1];
    if (heading !== undefined) {
      current = Number(heading);
      answers.set(current, "");
    } else if (current !== null) answers.set(current, `${answers.get(current) ?? ""}${line}\n`);
  }
  return [...answers]
    .map(([number, answer]) => ({ wish: number, text: answer.trim().slice(0, LONGEST_ANSWER).toWellFormed() }))
    .filter((answer) => answer.text !== "")
    .slice(0, MOST_ANSWERS);
}

/** Follows no links, which could point at files that only Relay may read, and never blocks on a pipe. */
async function readNote(path: string, most: number): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file;
  try {
    file = await open(path, flags);
  } catch (error) {
    const code = systemCode(error);
    if (code !== undefined) return null;
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) return null;
    const bytes = Buffer.alloc(most * 4);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const text = keptText(bytes.subarray(0, bytesRead).toString("utf8")).trim().slice(0, most).toWellFormed();
    return text === "" ? null : text;
  } finally {
    await file.close();
  }
}
