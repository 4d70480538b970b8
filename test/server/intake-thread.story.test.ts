import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { configWithoutFile } from "../../src/config/config.ts";
import type { CountedDelivery } from "../../src/server/intake/messages.ts";
import { startIntake } from "../../src/server/intake/start.ts";
import { WEB_LIMITS } from "../../src/server/limits.ts";
import { listen } from "../../src/server/listen.ts";
import { freshDatabase } from "../support/database.ts";
import { SECRET, githubCall } from "../support/web-server.ts";

type Pages = Hono<{ Bindings: HttpBindings }>;

/** The thread before pages of this one. */
async function openIntake(pages: Pages = new Hono(), port = "0") {
  vi.stubEnv("GITHUB_WEBHOOK_SECRET", SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = await mkdtemp(join(tmpdir(), "relay-test-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const path = join(folder, "socket");
  const inner = await listen(pages, { at: { path }, limits: WEB_LIMITS, trustedProxies: 1 });
  onTestFinished(async () => await inner.stop(0));
  const counted: CountedDelivery[] = [];
  const config = configWithoutFile({ RELAY_PORT: port });
  const intake = await startIntake({ config, logLevel: "error", pages: path }, (one) => void counted.push(one));
  onTestFinished(async () => await intake.stop(0));
  return { ...intake, counted };
}

/** A program that sends calls, whatever this process does meanwhile. */
const CLIENT = `
  const calls = JSON.parse(process.argv[1]);
  const answers = await Promise.all(calls.map(async ({ url, ...call }) => (await fetch(url, call)).status));
  console.log(JSON.stringify(answers));`;

function sendWhileBlocked(calls: unknown[]): unknown {
  const args = ["--input-type=module", "-e", CLIENT, JSON.stringify(calls)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("deliveries are stored and acknowledged while the process itself computes", async () => {
  const { db, connection } = await freshDatabase();
  const intake = await openIntake();
  const url = `${intake.address}/webhooks/github`;
  expect((await fetch(url, githubCall())).status).toBe(503);
  intake.storeIn(connection);
  const calls = Array.from({ length: 5 }, () => ({ url, ...githubCall() }));
  // This thread does nothing until the answers are there.
  expect(sendWhileBlocked(calls)).toEqual([202, 202, 202, 202, 202]);
  const ready = [{ url: `${intake.address}/readyz` }, { url: `${intake.address}/healthz` }];
  expect(sendWhileBlocked(ready)).toEqual([200, 200]);
  expect(await db.one(z.object({ n: z.int() }), "select count(*)::int n from deliveries", [])).toEqual({ n: 5 });
  await expect
    .poll(() => intake.counted.map(({ result }) => result))
    .toEqual(["failed", ...calls.map(() => "accepted")]);
  intake.leave();
  await expect.poll(async () => (await fetch(`${intake.address}/readyz`)).status).toBe(503);
});

test("what is no webhook is answered by the process, as if there were no thread between", async () => {
  const pages: Pages = new Hono();
  const gone = Promise.withResolvers<void>();
  pages.get("/told", (c) => {
    const { "x-forwarded-for": by, host, connection } = c.env.incoming.headers;
    return c.json({ by, host, connection, url: c.env.incoming.url }, 200, { etag: '"1"' });
  });
  pages.post("/echo", async (c) => c.text((await c.req.text()).toUpperCase(), 201));
  pages.get("/live", (c) =>
    streamSSE(c, async (stream) => {
      stream.onAbort(() => gone.resolve());
      await stream.writeSSE({ data: "hello" });
      await gone.promise;
    }),
  );
  const { address } = await openIntake(pages);
  const told = await fetch(`${address}/told?a=%2F..%2Fb`, { headers: { "x-forwarded-for": "10.1.1.1" } });
  expect([told.headers.get("etag"), await told.json()]).toEqual([
    '"1"',
    { by: "10.1.1.1, 127.0.0.1", host: new URL(address).host, connection: "close", url: "/told?a=%2F..%2Fb" },
  ]);
  const long = "x".repeat(1_000_000);
  const echoed = await fetch(`${address}/echo`, { method: "POST", body: long });
  expect([echoed.status, await echoed.text()]).toEqual([201, long.toUpperCase()]);
  expect((await fetch(`${address}/nothing`)).status).toBe(404);
  const asked = request(`${address}/live`).end();
  const first = await new Promise((resolve) => asked.once("response", (answer) => answer.once("data", resolve)));
  expect(String(first)).toContain("hello");
  asked.destroy();
  await gone.promise;
});

test("an address that is taken is told by who wanted the thread", async () => {
  const { address } = await openIntake();
  const { port } = new URL(address);
  await expect(openIntake(new Hono(), port)).rejects.toMatchObject({
    code: "config",
    message: `127.0.0.1:${port} is in use by another program; give another one with --port`,
  });
});

test("a thread that ends by itself is noticed", async () => {
  const intake = await openIntake();
  // No address at all: the thread cannot go on.
  intake.storeIn(JSON.parse("null"));
  await expect(intake.broken).rejects.toThrow(/^the thread that takes webhooks in ended \(.+\); start Relay again$/);
});
