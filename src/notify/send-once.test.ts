import { describe, expect, test } from "vitest";
import { memoryPosts } from "../../test/support/memory-posts.ts";
import { RelayError } from "../lib/errors.ts";
import { Unsettled, sendOnce, waitAfterLook } from "./send-once.ts";

const SETTLES = 40_000;

/** A thread whose list shows a comment `lag` milliseconds after it was made. */
function lagging(lag: number) {
  const posts = memoryPosts();
  const thread: { id: string; age: number }[] = [];
  const looks = { count: 0 };
  const attempt = async (fate: "answered" | Error, arrives: boolean) =>
    await sendOnce(
      {
        key: "notice:1",
        find: async () => {
          looks.count += 1;
          return await Promise.resolve(thread.find(({ age }) => age >= lag) ?? null);
        },
        send: async () => {
          if (arrives) thread.push({ id: String(thread.length + 1), age: 0 });
          if (fate !== "answered") throw fate;
          return await Promise.resolve({ id: String(thread.length), age: 0 });
        },
      },
      await posts.find("notice:1"),
      { posts, settlesAfterMs: SETTLES },
    );
  return {
    posts,
    thread,
    looks,
    attempt,
    wait: (ms: number) => {
      posts.wait(ms);
      for (const comment of thread) comment.age += ms;
    },
  };
}

const bad = new RelayError("unavailable", "bad gateway", { status: 502 });
const killed = new Error("the process was killed");

describe("a comment whose outcome is unknown (R-IN-13)", () => {
  test("is sent at once where it was never tried, without a look", async () => {
    const { attempt, looks } = lagging(0);
    expect(await attempt("answered", true)).toMatchObject({ adopted: false });
    expect(looks.count).toBe(0);
  });

  test.each([
    ["the server answered 502 after it had stored it", bad],
    ["the process was killed", killed],
  ])("is adopted as soon as a list shows it, and not sent again before: %s", async (_, fate) => {
    const { attempt, wait, thread } = lagging(3_000);
    await expect(attempt(fate, true)).rejects.toThrow(fate.message);
    for (const ms of [100, 900, 1_500]) {
      wait(ms);
      await expect(attempt("answered", true)).rejects.toBeInstanceOf(Unsettled);
    }
    wait(1_000);
    expect(await attempt("answered", true)).toMatchObject({ adopted: true });
    expect(thread).toHaveLength(1);
  });

  test("is not sent again while a slow server may still take it, however often a process begins anew", async () => {
    const { attempt, wait, thread } = lagging(0);
    await expect(attempt(killed, false)).rejects.toThrow("killed");
    for (let second = 1; second < SETTLES / 1_000; second += 1) {
      wait(1_000);
      await expect(attempt("answered", true)).rejects.toBeInstanceOf(Unsettled);
    }
    thread.push({ id: "late", age: 0 });
    wait(1_000);
    expect(await attempt("answered", true)).toMatchObject({ comment: { id: "late" }, adopted: true });
  });

  test("is sent again after that time, and after two looks apart from each other", async () => {
    const { attempt, wait, thread, looks } = lagging(0);
    await expect(attempt(killed, false)).rejects.toThrow("killed");
    wait(SETTLES);
    await expect(attempt("answered", true)).rejects.toMatchObject({ retryAfterMs: 3_000 });
    await expect(attempt("answered", true)).rejects.toMatchObject({ retryAfterMs: 3_000 });
    wait(3_000);
    expect(await attempt("answered", true)).toMatchObject({ adopted: false });
    expect(thread).toHaveLength(1);
    expect(looks.count).toBe(3);
  });

  test("is not sent while nobody can look", async () => {
    const posts = memoryPosts();
    await posts.begin("notice:1");
    posts.wait(10 * SETTLES);
    const down = { key: "notice:1", find: async () => await Promise.reject(bad), send: async () => "sent" };
    const again = sendOnce(down, await posts.find("notice:1"), { posts, settlesAfterMs: SETTLES });
    await expect(again).rejects.toMatchObject({ retryAfterMs: 10_000 });
  });
});

test.each([
  ["a refusal", new RelayError("forbidden", "locked", { status: 403 })],
  ["a limit", new RelayError("rate_limited", "slow down", { status: 429 })],
  ["no connection", new RelayError("unavailable", "refused", { unsent: true })],
])("%s had no effect, and needs no wait", async (_, refusal) => {
  const { attempt, looks } = lagging(0);
  await expect(attempt(refusal, false)).rejects.toBe(refusal);
  expect(await attempt("answered", true)).toMatchObject({ adopted: false });
  expect(looks.count).toBe(0);
});

test("looks are further and further apart, up to the moment when the try has settled", () => {
  const waits: number[] = [];
  for (let triedAgo = 1_000; ;) {
    const wait = waitAfterLook({ triedAgo, lookedAgo: triedAgo - 1_000 }, SETTLES);
    if (wait === 0) break;
    waits.push(wait);
    triedAgo += wait;
  }
  expect(waits).toEqual([2_000, 6_000, 18_000, 13_000]);
});
