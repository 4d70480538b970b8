import { expect, test } from "vitest";
import { z } from "zod";
import { ADMIN_TOKEN } from "../support/dashboard.ts";
import { openLogins } from "../support/tracker-logins.ts";

const own = { origin: "https://relay.example" };
const me = z.looseObject({ login: z.string(), operator: z.boolean(), token: z.string().nullable() });

type Opened = Awaited<ReturnType<typeof openLogins>>;

/** What the page shows of a new token. */
async function make({ open }: Opened, { name = "ci", may = "act", days = "90" } = {}) {
  const answer = await open("/tokens", {
    method: "POST",
    headers: own,
    body: new URLSearchParams({ name, may, days }),
  });
  const page = await answer.text();
  return { status: answer.status, page, token: /relay_pat_[\w-]{43}/.exec(page)?.[0] ?? "" };
}

async function ask({ address }: Opened, token: string, path = "/api/v1/me", init: RequestInit = {}) {
  return await fetch(`${address}${path}`, {
    redirect: "manual",
    ...init,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
}

async function rows({ life }: Opened, sql: string) {
  return (await life.db.executeSql(sql)).rows;
}

test("a person's token is shown once, kept as a hash, and is that person for the API and MCP (R-SAFE-4)", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  const { status, token } = await make(opened, { name: "my editor" });
  expect([status, token]).toEqual([200, expect.stringMatching(/^relay_pat_/)]);
  expect(await (await opened.open("/tokens")).text()).not.toContain(token);
  for (const table of ["api_tokens", "audit_log", "sessions"]) {
    expect(JSON.stringify(await rows(opened, `select * from ${table}`))).not.toContain(token);
  }
  expect(JSON.stringify(opened.lines)).not.toContain(token);
  expect(me.parse(await (await ask(opened, token)).json())).toMatchObject({
    login: "ann",
    operator: false,
    token: "my editor",
  });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const mcp = await fetch(`${opened.address}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(list),
  });
  expect([mcp.status, await mcp.text()]).toEqual([200, expect.stringContaining("answer_gap")]);
  expect(await (await opened.open("/tokens")).text()).toMatch(/my editor[\s\S]*just now/);
  expect((await ask(opened, token, "/api/v1/queue")).status).toBe(403);
  expect(await rows(opened, `select actor, what, after ->> 'token' as token from audit_log`)).toEqual([
    { actor: "ann", what: "token.made", token: "my editor" },
  ]);
});

test("a token opens no page, and so makes no other token", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  const { token } = await make(opened);
  expect((await ask(opened, token, "/tokens")).status).toBe(401);
  const body = new URLSearchParams({ name: "another", may: "act", days: "7" });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${opened.address}/tokens`, { method: "POST", headers, body })).status).toBe(401);
  expect((await fetch(`${opened.address}/logout`, { method: "POST", headers, redirect: "manual" })).status).toBe(303);
  expect((await ask(opened, token)).status).toBe(200);
  expect(await rows(opened, `select name from api_tokens`)).toEqual([{ name: "ci" }]);
});

test("a token that reads changes nothing by the API", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  const { token } = await make(opened, { may: "read" });
  expect((await ask(opened, token, "/api/v1/issues")).status).toBe(200);
  for (const path of [
    "/issues/github/acme/shop/1/comments",
    "/issues/github/acme/shop/1/stop",
    "/learnings/1/approve",
  ]) {
    const answer = await ask(opened, token, `/api/v1${path}`, { method: "POST", body: "{}" });
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      403,
      { error: expect.stringContaining("reads") },
    ]);
  }
});

test("a token ends at its time, and at once when it is revoked, by its owner or who runs Relay", async () => {
  let now = Date.now();
  const opened = await openLogins({ clock: { now: () => new Date(now) } });
  await opened.logInAs("ann");
  const [first, second, third] = [
    await make(opened, { name: "one", days: "7" }),
    await make(opened, { name: "two" }),
    await make(opened, { name: "three" }),
  ].map(({ token }) => token);
  const revokeLast = async (headers: Record<string, string>) => {
    const [last] = await rows(opened, `select id from api_tokens order by id desc limit 1`);
    const { id } = z.object({ id: z.string() }).parse(last);
    return await fetch(`${opened.address}/tokens/${id}/revoke`, { method: "POST", headers, redirect: "manual" });
  };
  const cookie = [...opened.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  expect((await revokeLast({ cookie })).status).toBe(403);
  expect((await revokeLast({ ...own, cookie })).status).toBe(303);
  expect((await ask(opened, third ?? "")).status).toBe(401);
  expect((await revokeLast({ authorization: `Bearer ${ADMIN_TOKEN}` })).status).toBe(303);
  expect((await ask(opened, second ?? "")).status).toBe(401);
  expect((await ask(opened, first ?? "")).status).toBe(200);
  now += 7 * 86_400_000;
  expect((await ask(opened, first ?? "")).status).toBe(401);
});

test("tokens of others are neither seen nor revoked; who runs Relay has none of their own", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  await make(opened, { name: "of ann" });
  const [row] = await rows(opened, `select id from api_tokens`);
  const { id } = z.object({ id: z.string() }).parse(row);
  await opened.logInAs("zoe");
  expect(await (await opened.open("/tokens")).text()).not.toContain("of ann");
  expect((await opened.open(`/tokens/${id}/revoke`, { method: "POST", headers: own })).status).toBe(404);
  const admin = { cookie: (await opened.logIn()).cookie };
  expect(await (await opened.get("/tokens", admin)).text()).toMatch(/of ann[\s\S]*of @ann \(github\)/);
  const refused = await fetch(`${opened.address}/tokens`, {
    method: "POST",
    headers: { ...own, ...admin },
    body: new URLSearchParams({ name: "mine", may: "act", days: "7" }),
  });
  expect(refused.status).toBe(403);
});

test("an account has one token of a name, at most twenty, and each has a name that people can read", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  expect((await make(opened)).status).toBe(200);
  expect((await make(opened, { name: "CI" })).status).toBe(409);
  for (const name of ["", " ", "two\nlines", "\u202Eodd", "x".repeat(61)]) {
    expect((await make(opened, { name })).status).toBe(400);
  }
  for (const days of ["0", "366", "1e9", "x"]) expect((await make(opened, { name: "long", days })).status).toBe(400);
  for (let n = 2; n <= 20; n++) expect((await make(opened, { name: `token ${n}` })).status).toBe(200);
  expect((await make(opened, { name: "one more" })).status).toBe(409);
});

test("wrong tokens count as failed logins of their address, and the right one is not looked at then", async () => {
  const opened = await openLogins();
  await opened.logInAs("ann");
  const { token } = await make(opened);
  const wrong = `relay_pat_${"x".repeat(43)}`;
  const first = await Promise.all(Array.from({ length: 10 }, async () => (await ask(opened, wrong)).status));
  expect(new Set(first)).toEqual(new Set([401]));
  expect((await ask(opened, token)).status).toBe(429);
});

test("the tokens of an account that may see nothing any more are gone with its sessions", async () => {
  let now = Date.now();
  const opened = await openLogins({ clock: { now: () => new Date(now) } });
  await opened.logInAs("ann");
  const { token } = await make(opened);
  await opened.life.db.execute(`update api_tokens set login = 'eve'`, []);
  now += 61 * 60_000;
  expect((await ask(opened, token)).status).toBe(401);
  expect(await rows(opened, `select name from api_tokens`)).toEqual([]);
  expect((await opened.open("/issues")).status).toBe(303);
});
