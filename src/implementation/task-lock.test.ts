import { expect, test } from "vitest";
import { withTaskLock } from "./task-lock.ts";
import type { Database } from "../storage/db.ts";

test("the log says once that another worker has a task, and again when it is so anew", async () => {
  const said: string[] = [];
  const log = { info: (_: object, text: string) => void said.push(text) };
  const lock = { isFree: false };
  const tryLock: Database["tryLock"] = async (_, work) =>
    lock.isFree ? { kind: "done", value: await work() } : { kind: "taken" };
  const looks = async () =>
    await withTaskLock("7", async () => await Promise.resolve(), { db: { tryLock }, log, asked: undefined });
  for (let look = 0; look < 3; look += 1) await expect(looks()).rejects.toMatchObject({ code: "conflict" });
  expect(said).toEqual(["another worker has the task"]);
  lock.isFree = true;
  await looks();
  lock.isFree = false;
  await expect(looks()).rejects.toMatchObject({ retryable: true });
  expect(said).toHaveLength(2);
});
