import { expect, test } from "vitest";
import type { StoredAction } from "../../domain/cycle.ts";
import { RelayError, Postponed } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import { Unsettled } from "../../notify/send-once.ts";
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

/** Attempts an action that meets these errors, one after another, and then succeeds. */
async function attempted(...errors: readonly Error[]) {
  const left = [...errors];
  const waits: number[] = [];
  const result = await attempt(
    comment,
    async () => {
      const error = left.shift();
      return error === undefined ? posted : await Promise.reject(error);
    },
    {
      ledger: {
        begin: async () => await Promise.resolve(),
        finish: async () => await Promise.resolve(),
        fail: async () => await Promise.reject(new Error("it has not failed")),
      },
      sleep: async (ms) => void (await Promise.resolve(waits.push(ms))),
      log: silentLog,
    },
  );
  return { result, waits };
}

const down = new RelayError("unavailable", "bad gateway", { status: 502 });
const unsettled = (retryAfterMs: number) => new Unsettled("it may appear", { retryAfterMs, cause: down });

test("what may have been said stays pending, and nothing waits for it here for long", async () => {
  expect(await attempted(unsettled(1_000), unsettled(3_000), unsettled(9_000))).toEqual({
    result: { kind: "postponed", ms: 9_000 },
    waits: [1_000, 3_000],
  });
  expect((await attempted(unsettled(1_000))).result).toEqual({ kind: "done" });
});

test("what was said often enough and never appeared has failed as the service said", async () => {
  const givenUp = new Unsettled("it never appeared", { retryAfterMs: 0, givenUp: true });
  const { result } = await attempted(unsettled(1_000), givenUp);
  expect(result).toMatchObject({ kind: "failed", failure: { reason: "502", retryable: true } });
});

test("work that is postponed is no failure of its action", async () => {
  await expect(attempted(new Postponed("the issue was closed", { retryAfterMs: 1_000 }))).rejects.toThrow("closed");
});
