import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { WEB_LIMITS } from "../../src/server/limits.ts";
import { listen } from "../../src/server/listen.ts";
import { mcpRoutes } from "../../src/server/mcp/routes.ts";
import { LoginLinks } from "../../src/server/login.ts";
import { call, mcpDeps } from "../support/mcp.ts";
import { ADMIN_TOKEN, openDashboard } from "../support/dashboard.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

async function serve(life: Life, server: { host: string; publicUrl?: string } = { host: "127.0.0.1" }) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const login = {
    db: () => life.db,
    clock: life.clock,
    adminToken: ADMIN_TOKEN,
    operator: "olga",
    links: new LoginLinks(),
    secure: false,
    trustedProxies: 0,
  };
  const mcp = mcpDeps(life, "elsewhere");
  const about = { mcp, login, server: { publicUrl: undefined, ...server }, stopping: stopping.signal };
  const web = new Hono<{ Bindings: HttpBindings }>();
  web.route("/", mcpRoutes(about));
  const listening = await listen(web, { at: { host: "127.0.0.1", port: 0 }, limits: WEB_LIMITS });
  onTestFinished(async () => await listening.stop(0));
  return { ...listening, web };
}

const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

async function connect(address: string, mode?: "legacy") {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    mode === undefined ? {} : { versionNegotiation: { mode } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }));
  onTestFinished(async () => await client.close());
  return client;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function post(address: string, given: Record<string, string>, body = INITIALIZE) {
  return await fetch(`${address}/mcp`, { method: "POST", headers: { ...JSON_TYPE, ...given }, body });
}

test("clients call tools by HTTP, several at once, without a session", async () => {
  const life = await openLife();
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  const [one, other] = [await serve(life), await serve(life)];
  const clients = [await connect(one.address), await connect(other.address), await connect(one.address, "legacy")];
  for (const client of clients) {
    expect((await client.listTools()).tools.length).toBeGreaterThan(6);
    expect((await call(client, "get_issue")).data).toMatchObject({ issue: "local/shop#1", open_gaps: 2 });
  }
  const answered = await Promise.all(
    clients.map(async (client) => await call(client, "answer_gap", { gap: 1, answer: "It prints 3." })),
  );
  expect(answered.map(({ data }) => data["said_as"])).toEqual(["olga", "olga", "olga"]);
  const { comments } = await life.tracker.listComments(issue, null);
  expect(comments.filter(({ author }) => author === "olga")).toHaveLength(1);
});

test("a server with pages has it behind their login", async () => {
  const { address } = await openDashboard(await openLife());
  expect((await post(address, {})).status).toBe(401);
  const client = await connect(address);
  expect(await call(client, "explore", { query: "cart" })).toMatchObject({
    failed: true,
    text: expect.stringMatching(/^say which code to search/),
  });
  expect((await call(client, "list_issues")).data).toMatchObject({ issues: [], next_cursor: null });
});

describe("a call is refused (R-SAFE-4)", () => {
  test("without a login, of a page of another site, and under a name that is none of the server's", async () => {
    const { address } = await serve(await openLife());
    const statuses = async (calls: Record<string, string>[]) =>
      await Promise.all(calls.map(async (given) => (await post(address, given)).status));
    expect(await statuses([{}, { authorization: "Bearer guess" }, headers])).toEqual([401, 401, 200]);
    const from = (origin: string) => ({ ...headers, origin });
    const host = new URL(address).host;
    expect(
      await statuses([
        from("https://evil.example"),
        from("null"),
        from(`http://${host}`),
        { ...headers, "content-type": "text/plain" },
        { ...headers, "content-type": "application/x-www-form-urlencoded" },
      ]),
    ).toEqual([403, 403, 200, 415, 415]);
    expect((await fetch(`${address}/mcp`, { headers })).status).toBe(405);
    expect((await post(address, headers, "x".repeat(3 * 1024 * 1024))).status).toBe(413);
    expect((await post(address, headers, "{")).status).toBe(400);
  });

  test.each([
    ["evil.example", { host: "127.0.0.1" }, 403],
    ["localhost:8080", { host: "127.0.0.1" }, 200],
    ["relay.example.org", { host: "0.0.0.0", publicUrl: "https://relay.example.org/relay" }, 200],
    ["evil.example", { host: "0.0.0.0", publicUrl: "https://relay.example.org/relay" }, 403],
    ["relay.internal:8080", { host: "0.0.0.0" }, 200],
  ] as const)("or not, by its host: %s", async (host, server, status) => {
    const { web } = await serve(await openLife(), server);
    const request = new Request(`http://${host}/mcp`, {
      method: "POST",
      headers: { ...JSON_TYPE, ...headers, host },
      body: INITIALIZE,
    });
    const incoming = new IncomingMessage(new Socket());
    const answer = await web.fetch(request, { incoming, outgoing: new ServerResponse(incoming) });
    expect(answer.status).toBe(status);
  });
});
