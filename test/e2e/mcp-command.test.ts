import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import { call } from "../support/mcp.ts";
import { EXAMPLES, QUIET, type Desk, newDesk, relay, specArgs, startRelay } from "./cli-harness.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/relay.js");

/** The official client, which starts `relay mcp` as coding agents do. */
async function connect(desk: Desk, cwd = desk.repository, args: readonly string[] = []) {
  const env = { ...process.env, ...QUIET, ...desk.env };
  const known = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...args],
    cwd,
    env: Object.fromEntries(known),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(async () => await client.close());
  return client;
}

test("coding agents read issue, spec and code of the repository that they work in, two at a time", async () => {
  const desk = await newDesk();
  const early = await connect(desk);
  expect(await call(early, "list_issues")).toMatchObject({
    failed: true,
    text: expect.stringMatching(/^Relay knows no issue here yet: there is no database in .*; run relay spec/),
  });
  // The code is searched without a database.
  const found = await call(early, "explore", { query: "exportMonth time zone", limit: 3 });
  expect(found.data["files"]).toEqual(expect.arrayContaining([expect.objectContaining({ path: expect.any(String) })]));
  const ordered = await call(early, "explore", { query: "exportMonth time zone", limit: 3, model: true });
  expect(ordered.data["order_notice"]).toContain("no model is configured");
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  const clients = [early, await connect(desk)];
  for (const client of clients) {
    expect((await call(client, "read_spec")).data).toMatchObject({ version: 1, issue: "local/quillbill#57" });
  }
  const listed = await Promise.all(clients.map(async (client) => await call(client, "list_issues", { state: "all" })));
  expect(listed.map(({ data }) => data["issues"])).toMatchObject([
    [{ number: 57, repository: "quillbill" }],
    [{ number: 57, repository: "quillbill" }],
  ]);
  // A work tree of the same repository, as agents have them.
  const tree = join(desk.folder, "tree");
  await exec("git", ["-C", desk.repository, "worktree", "add", "--quiet", "-b", "fix/57-wrong-month", tree]);
  expect((await call(await connect(desk, tree), "get_issue")).data).toMatchObject({ number: 57 });
  const elsewhere = join(desk.folder, "elsewhere");
  await mkdir(elsewhere);
  const named = await connect(desk, elsewhere, ["--repo", desk.repository]);
  expect((await call(named, "get_issue")).data).toMatchObject({ number: 57 });
  expect(await call(await connect(desk, elsewhere), "explore", { query: "a" })).toMatchObject({ failed: true });
});

test("nothing but the protocol is on stdout, and the end of stdin ends it", async () => {
  const desk = await newDesk();
  await relay(desk, ["spec", join(EXAMPLES, "issue.md"), "--repo", desk.repository]);
  const { child, ended, said } = startRelay(desk, ["mcp", "--repo", desk.repository, "--debug"]);
  const send = (message: Record<string, unknown>) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  child.stdin.write("this is no message\n");
  send({ id: 2, method: "tools/call", params: { name: "get_issue", arguments: {} } });
  const answered = Promise.withResolvers<void>();
  child.stdout.on("data", () => {
    if (said.out.includes(`"id":2`) && said.out.endsWith("\n")) answered.resolve();
  });
  await answered.promise;
  child.stdin.end();
  const { code, out } = await ended;
  expect(code).toBe(0);
  const message = z.object({ jsonrpc: z.literal("2.0"), id: z.number(), result: z.unknown() });
  const lines = out.trimEnd().split("\n");
  expect(lines.map((line) => message.parse(JSON.parse(line)).id)).toEqual([1, 2]);
});

test("by HTTP it listens on the loopback address, for who has the bearer that it prints", async () => {
  const desk = await newDesk();
  const { child, ended, said } = startRelay(desk, ["mcp", "--http", "--port", "0", "--json"]);
  const printed = Promise.withResolvers<void>();
  child.stdout.on("data", () => said.out.endsWith("\n") && printed.resolve());
  await printed.promise;
  const { address, token } = z.object({ address: z.url(), token: z.string() }).parse(JSON.parse(said.out));
  expect(new URL(address).hostname).toBe("127.0.0.1");
  expect((await fetch(address, { method: "POST", body: "{}" })).status).toBe(401);
  const client = new Client({ name: "test", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(6);
  await client.close();
  const guess = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    return (await fetch(address, { method: "POST", headers, body: "{}" })).status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) statuses.push(await guess(`guess ${n}`));
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await guess(token)).toBe(429);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});
