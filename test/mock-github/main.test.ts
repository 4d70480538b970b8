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

const comment = (body: string) =>
  fetch(`${url}/repos/acme/blog/issues/1/comments`, {
    method: "POST",
    headers: { authorization: "Bearer t-relay", "content-type": "application/json" },
    body: JSON.stringify({ body }),
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
});
