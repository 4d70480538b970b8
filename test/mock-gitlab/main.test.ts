import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";

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
  expect(await control("violations")).toEqual([]);
  expect(await control("act", { do: "nothing" })).toMatchObject({ error: expect.any(String) });
});
