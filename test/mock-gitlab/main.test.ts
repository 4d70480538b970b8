import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const SEED = [
  { do: "user", username: "ann" },
  { do: "user", username: "relay" },
  { do: "project", path: "acme/shop" },
  { do: "member", project: "acme/shop", username: "ann", level: 20 },
  { do: "member", project: "acme/shop", username: "relay", level: 30 },
  { do: "token", username: "relay", token: "t" },
  { do: "open_issue", project: "acme/shop", author: "ann", title: "Broken" },
];

async function start(): Promise<string> {
  const seed = join(mkdtempSync(join(tmpdir(), "mock-gitlab-")), "seed.json");
  writeFileSync(seed, JSON.stringify(SEED));
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), seed], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const [address] = await once(createInterface(child.stdout), "line");
  return String(address);
}

test("in a process of its own it does as people would, and makes the trouble that it is told to", async () => {
  const url = await start();
  const control = async (name: string, body: unknown = {}): Promise<unknown> =>
    await (await fetch(`${url}/_mock/${name}`, { method: "POST", body: JSON.stringify(body) })).json();
  const post = async (body: string) =>
    await fetch(`${url}/api/v4/projects/acme%2Fshop/issues/1/notes`, {
      method: "POST",
      headers: { "private-token": "t", "content-type": "application/json" },
      body: JSON.stringify({ body }),
    });
  await control("act", { do: "comment", project: "acme/shop", iid: 1, author: "ann", body: "hello" });
  const faults = [
    { method: "POST", path: "/notes$", fault: { kind: "status", status: 503 } },
    { method: "POST", path: "/notes$", fault: { kind: "cut", when: "after" } },
  ];
  await control("faults", faults);
  expect((await post("one")).status).toBe(503);
  await expect(post("two")).rejects.toBeInstanceOf(TypeError);
  expect((await post("three")).status).toBe(201);
  expect(await control("thread", { project: "acme/shop", iid: 1 })).toMatchObject([
    { author: "ann", body: "hello" },
    { author: "relay", body: "two" },
    { author: "relay", body: "three" },
  ]);

  const at = { project: "acme/shop", iid: 1 };
  const read = async (path: string) =>
    await fetch(`${url}/api/v4/projects/acme%2Fshop/issues/${path}`, { headers: { "private-token": "t" } });
  const listed = async () => z.array(z.object({ body: z.string() })).parse(await (await read("1/notes")).json()).length;
  const counted = async () =>
    z.object({ user_notes_count: z.number() }).parse(await (await read("1")).json()).user_notes_count;
  await control("lags", [{ number: 1, lists: 30_000 }, { issue: 30_000 }]);
  const { id } = z
    .object({ id: z.number() })
    .parse(await control("act", { ...at, do: "comment", author: "ann", body: "late" }));
  await control("act", { do: "open_issue", project: "acme/shop", author: "ann", title: "New" });
  expect([await listed(), await counted(), (await read("2")).status]).toEqual([3, 4, 404]);
  await control("lags", [{ count: 30_000, comment: 30_000 }]);
  expect([await listed(), await counted(), (await read("2")).status]).toEqual([4, 3, 200]);
  expect((await read(`1/notes/${id}`)).status).toBe(404);
  await control("fault", { method: "POST", path: "/notes$", fault: { kind: "status_after" } });
  expect((await post("stored")).status).toBe(502);
  await control("lags", []);
  expect(await listed()).toBe(5);

  expect(await control("violations")).toEqual([]);
  expect(await control("act", { do: "nothing" })).toMatchObject({ error: expect.any(String) });
});
