import { expect, test } from "vitest";
import type { StoredAction } from "../../domain/cycle.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import { attempt } from "./attempt.ts";
import type { ActionWrites, Apply } from "./ports.ts";

const comment: StoredAction = {
  id: "1",
  cycleId: "1",
  issueId: "1",
  round: 0,
  position: 0,
  action: { type: "post_comment", data: { content: "Hello" } },
  idempotencyKey: "1.1.0.0",
  status: "pending",
  attempts: 0,
  outcome: null,
  error: null,
};
const posted: Apply<ActionWrites> = async () => await Promise.resolve({ outcome: null, audit: [] });

/** Posts with an effect that nobody is told of, `lookFails` times followed by looks that find it. */
function unheard(lookFails: readonly RelayError[]) {
  const errors = [...lookFails];
  const done: string[] = [];
  let effects = 0;
  const run = async (attempts: number) =>
    await attempt(
      { ...comment, attempts },
      {
        find: async () => {
          const error = errors.shift();
          if (error) throw error;
          return await Promise.resolve(effects > 0 ? posted : null);
        },
        perform: async () => {
          effects += 1;
          return await Promise.reject(new RelayError("unavailable", "cut off", { retryable: true }));
        },
      },
      {
        ledger: {
          begin: async () => await Promise.resolve(new Date(0)),
          finish: async (id) => void (await Promise.resolve(done.push(id))),
          fail: async () => await Promise.reject(new Error("it has not failed")),
        },
        sleep: async () => await Promise.resolve(),
        log: silentLog,
      },
    );
  return { run, done, effects: () => effects };
}

const down = new RelayError("unavailable", "bad gateway", { retryable: true, status: 502 });

test("what may have been said is not called failed while nobody can look whether it is there", async () => {
  const { run, done, effects } = unheard([down, down, down]);
  expect(await run(0)).toEqual({ kind: "postponed", ms: 10_000 });
  expect(await run(3)).toEqual({ kind: "done" });
  expect(done).toEqual(["1"]);
  expect(effects()).toBe(1);
});

test("the next look waits as long as the tracker asks for", async () => {
  const busy = new RelayError("unavailable", "later", { retryable: true, retryAfterMs: 45_000 });
  expect(await unheard([down, down, busy]).run(0)).toEqual({ kind: "postponed", ms: 45_000 });
});

test("where the thread is gone, nothing can be found there any more", async () => {
  const gone = new RelayError("not_found", "no such issue", { status: 404 });
  expect(await unheard([down, down, gone]).run(0)).toMatchObject({ kind: "failed" });
});
