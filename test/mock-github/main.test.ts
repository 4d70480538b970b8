import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { SEED } from "./asking.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "mock-github-"));
let child: ReturnType<typeof spawn>;
let receiver: Receiver;
let url = "";

beforeAll(async () => {
  receiver = await startReceiver();
  const seed = join(folder, "seed.json");
  const hooked = {
    name: "acme/blog",
    hooks: [{ url: receiver.url, secret: "s3cret" }],
    issues: [{ title: "Old", author: "ann" }],
  };
  writeFileSync(seed, JSON.stringify({ ...SEED, repositories: [hooked] }));
  const started = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "--seed", seed], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child = started;
  for await (const line of createInterface({ input: started.stdout })) {
    url = z.object({ url: z.string() }).parse(JSON.parse(line)).url;
    break;
  }
});

afterAll(async () => {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function control(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/_mock/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

const Made = z.object({ number: z.number().optional(), comment: z.number().optional() });
const READER = { authorization: "Bearer t-relay" };
const comment = (body: string, signal: AbortSignal | null = null) =>
  fetch(`${url}/repos/acme/blog/issues/1/comments`, {
    method: "POST",
    headers: { authorization: "Bearer t-relay", "content-type": "application/json" },
    body: JSON.stringify({ body }),
    signal,
  });

describe("a mock GitHub in its own process", () => {
  test("does what people do, and tells the hooks", async () => {
    expect(
      await control("POST", "act", { do: "comment", as: "ann", repo: "acme/blog", number: 1, body: "Hi" }),
    ).toEqual({
      comment: expect.any(Number),
    });
    expect(await control("GET", "settled")).toEqual({ attempts: 1 });
    expect(receiver.got).toMatchObject([{ event: "issue_comment", payload: { comment: { body: "Hi" } } }]);
    expect(await control("POST", "act", { do: "nothing" })).toMatchObject({ message: expect.any(String) });
  });

  test("holds deliveries back, loses them, and brings them later", async () => {
    const say = { do: "comment", as: "ann", repo: "acme/blog", number: 1 };
    const before = receiver.got.length;
    await control("POST", "courier", { fate: "hold", atOnce: 1 });
    await control("POST", "acts", [
      { ...say, body: "1" },
      { ...say, body: "2" },
    ]);
    await control("POST", "courier", { fate: "fail", release: "reversed" });
    await control("POST", "act", { ...say, body: "3" });
    await control("POST", "courier", { fate: "send", redeliverFailed: true });
    await control("GET", "settled");
    const bodies = receiver.got
      .slice(before)
      .map(({ payload }) => z.object({ body: z.string() }).parse(payload["comment"]).body);
    expect(bodies).toEqual(["2", "1", "3"]);
  });

  test("goes wrong when it is told to, and shows what has come of it", async () => {
    const trouble = { method: "POST", times: 1, trouble: { kind: "cut_after" } };
    expect(await control("POST", "faults", [trouble])).toEqual({ faults: 1 });
    await expect(comment("once")).rejects.toThrow("fetch failed");
    expect((await comment("twice")).status).toBe(201);
    const [issue] = z
      .array(z.object({ thread: z.array(z.object({ body: z.string() })) }))
      .parse(await control("GET", "issues?repo=acme/blog"));
    expect(issue?.thread.map(({ body }) => body).slice(-2)).toEqual(["once", "twice"]);
    expect(await control("GET", "requests")).toMatchObject({ violations: [], mistakes: [] });
  });

  test("lets one read late what has happened, each thing by as much as it is told", async () => {
    const say = { as: "ann", repo: "acme/blog", number: 1 };
    const { comment: first } = Made.parse(await control("POST", "act", { ...say, do: "comment", body: "now" }));
    const read = async (path: string) => await fetch(`${url}/repos/acme/blog/${path}`, { headers: READER });
    const listed = async () => {
      const comments = z.array(z.object({ body: z.string() })).parse(await (await read("issues/1/comments")).json());
      return comments.map(({ body }) => body).slice(-2);
    };
    const counted = async () =>
      z.object({ comments: z.number() }).parse(await (await read("issues/1")).json()).comments;
    const before = await counted();

    await control("POST", "lags", [{ number: 1, lists: 30_000 }, { issue: 30_000 }]);
    await control("POST", "act", { ...say, do: "edit_comment", comment: first, body: "changed" });
    const { comment: second } = Made.parse(await control("POST", "act", { ...say, do: "comment", body: "later" }));
    expect((await listed()).at(-1)).toBe("now");
    expect(await counted()).toBe(before + 1);
    expect((await read(`issues/comments/${second}`)).status).toBe(200);
    const { number } = Made.parse(await control("POST", "act", { ...say, do: "open", title: "New" }));
    expect((await read(`issues/${number}`)).status).toBe(404);

    await control("POST", "lags", [{ number: 1, count: 30_000, comment: 30_000 }]);
    expect(await listed()).toEqual(["changed", "later"]);
    expect(await counted()).toBe(before);
    expect((await read(`issues/comments/${second}`)).status).toBe(404);
    expect((await read(`issues/${number}`)).status).toBe(200);
    await control("POST", "lags", []);
    expect(await counted()).toBe(before + 1);
  });

  test("does late what it was asked to do, also where nobody waits for it any more", async () => {
    await control("POST", "fault", { method: "POST", times: 1, trouble: { kind: "slow", ms: 300 } });
    const gone = AbortSignal.timeout(50);
    await expect(comment("slowly", gone)).rejects.toThrow("aborted");
    const bodies = async () => {
      const issues = z.array(z.object({ thread: z.array(z.object({ body: z.string() })) }));
      return issues.parse(await control("GET", "issues?repo=acme/blog"))[0]?.thread.map(({ body }) => body);
    };
    expect(await bodies()).not.toContain("slowly");
    await expect.poll(bodies).toContain("slowly");
  });

  test("brings a delivery late, and an old one again under another id", async () => {
    const at = { as: "ann", repo: "acme/blog", number: 1 };
    // What the tests before this one said may still be on its way.
    await control("GET", "settled");
    const before = receiver.got.length;
    await control("POST", "late", { event: "issues", action: "closed", number: 1, ms: 200 });
    await control("POST", "acts", [
      { ...at, do: "close" },
      { ...at, do: "reopen" },
    ]);
    await control("GET", "settled");
    expect(await control("POST", "replay", { event: "issues", action: "closed", number: 1 })).toEqual({ replayed: 1 });
    await control("GET", "settled");
    const got = receiver.got.slice(before).filter(({ payload }) => payload["comment"] === undefined);
    expect(got.map(({ payload }) => payload["action"])).toEqual(["reopened", "closed", "closed"]);
    expect(new Set(got.map(({ guid }) => guid)).size).toBe(3);
  });
});
