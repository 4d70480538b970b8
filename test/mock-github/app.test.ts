import { createSign } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { asking, SEED } from "./asking.ts";
import { type MockGithub, startMockGithub } from "./server.ts";

let mock: MockGithub;
let now: Date;
let key = "";
let appId = 0;
let installation = 0;

beforeEach(async () => {
  now = new Date("2026-01-01T10:00:00Z");
  now = new Date("2026-01-01T10:00:00Z");
  const permissions = { issues: "write", contents: "read" } as const;
  mock = await startMockGithub({
    clock: { now: () => now },
    checkAnswers: true,
    prefix: "/api/v3",
    seed: {
      ...SEED,
      apps: [
        {
          slug: "relay-app",
          owner: "acme",
          permissions,
          hook: { url: "http://127.0.0.1:9/hook", secret: "s3cret" },
          installations: [{ account: "acme", repositories: ["shop", "vault"] }, { account: "eve" }],
        },
      ],
    },
  });
  const [app] = mock.planted.apps;
  [key, appId, installation] = [app?.privateKey ?? "", app?.id ?? 0, app?.installations[0] ?? 0];
});

afterEach(async () => {
  await mock.close();
  if (mock.mistakes.length > 0) throw new Error(`the mock is wrong: ${mock.mistakes.join("; ")}`);
});

function jwt(claims: Record<string, unknown> = {}, alg = "RS256"): string {
  const at = Math.floor(now.getTime() / 1_000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg, typ: "JWT" })}.${part({ iat: at - 60, exp: at + 540, iss: appId, ...claims })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key).toString("base64url")}`;
}

async function tokenFor(body?: unknown): Promise<string> {
  const said = await asking(mock, jwt())("POST", `/app/installations/${installation}/access_tokens`, body);
  return z.string().parse(said.body["token"]);
}

describe("an App, below the prefix of an Enterprise", () => {
  test("proves itself by a signature that is young, short-lived and its own", async () => {
    expect((await asking(mock, jwt())("GET", "/app")).body).toMatchObject({
      id: appId,
      slug: "relay-app",
      installations_count: 2,
    });
    const at = Math.floor(now.getTime() / 1_000);
    const refused = async (token: string) => (await asking(mock, token)("GET", "/app")).status;
    expect(await refused(jwt({ exp: at + 660 }))).toBe(401);
    expect(await refused(jwt({ iat: at + 60 }))).toBe(401);
    expect(await refused(jwt({ exp: at - 1 }))).toBe(401);
    expect(await refused(jwt({}, "none"))).toBe(401);
    expect(await refused(`${jwt().slice(0, -8)}AAAAAAAA`)).toBe(401);
    expect(await refused(jwt({ iss: 4 }))).toBe(404);
    expect(await refused("t-relay")).toBe(401);
  });

  test("has installations, each with its own tokens, repositories and permissions", async () => {
    const app = asking(mock, jwt());
    expect((await app("GET", "/app/installations")).list).toMatchObject([
      { id: installation, account: { login: "acme" }, repository_selection: "selected" },
      { account: { login: "eve" }, repository_selection: "all" },
    ]);
    expect((await app("GET", "/repos/acme/vault/installation")).body).toMatchObject({ id: installation });
    expect((await app("GET", "/repos/acme/unknown/installation")).status).toBe(404);
    const relay = asking(mock, await tokenFor());
    expect((await relay("GET", "/installation/repositories")).body).toMatchObject({ total_count: 2 });
    const said = await relay("POST", "/repos/acme/shop/issues/1/comments", { body: "Which card?" });
    expect(said).toMatchObject({
      status: 201,
      body: { user: { login: "relay-app[bot]", type: "Bot" }, performed_via_github_app: { slug: "relay-app" } },
    });
    const pull = { title: "Pay", head: "feature/pay", base: "main" };
    const refused = await relay("POST", "/repos/acme/shop/pulls", pull);
    expect(refused).toMatchObject({ status: 403, body: { message: "Resource not accessible by integration" } });
    expect(refused.headers.get("x-accepted-github-permissions")).toBe("pull_requests=write");
    expect((await relay("GET", "/repos/acme/shop/pulls")).status).toBe(200);
    expect((await relay("GET", "/repos/acme/vault/pulls")).status).toBe(403);
    expect((await relay("GET", "/user")).status).toBe(403);
    expect(mock.violations).toEqual([]);
  });

  test("its tokens end after an hour, and can be for less", async () => {
    const token = await tokenFor();
    const narrow = await tokenFor({ repositories: ["shop"], permissions: { issues: "read" } });
    expect((await asking(mock, narrow)("GET", "/repos/acme/shop/issues/1")).status).toBe(200);
    expect((await asking(mock, narrow)("GET", "/repos/acme/vault/issues")).status).toBe(404);
    const said = await asking(mock, narrow)("POST", "/repos/acme/shop/issues/1/comments", { body: "Hi" });
    expect(said.status).toBe(403);
    const at = `/app/installations/${installation}/access_tokens`;
    expect((await asking(mock, jwt())("POST", at, { repositories: ["other"] })).status).toBe(422);
    expect((await asking(mock, jwt())("POST", at, { permissions: { contents: "write" } })).status).toBe(422);
    now = new Date(now.getTime() + 3_600_000);
    expect((await asking(mock, token)("GET", "/repos/acme/shop/issues/1")).status).toBe(401);
    mock.act({ do: "suspend", installation });
    expect((await asking(mock, jwt())("POST", at)).status).toBe(403);
    mock.act({ do: "uninstall", installation });
    expect((await asking(mock, jwt())("POST", at)).status).toBe(404);
  });

  test("sees the failed deliveries of its hook, and its address without the secret", async () => {
    mock.act({ do: "assign", as: "ann", repo: "acme/shop", number: 1, login: "bob" });
    await mock.world.courier.settled();
    const app = asking(mock, jwt());
    expect((await app("GET", "/app/hook/config")).body).toMatchObject({
      url: "http://127.0.0.1:9/hook",
      secret: "********",
    });
    const [failed] = (await app("GET", "/app/hook/deliveries?status=failure&per_page=50")).list;
    expect(failed).toMatchObject({ event: "issues", action: "assigned", installation_id: installation });
    const id = String(failed?.["id"]);
    expect((await app("POST", `/app/hook/deliveries/${id}/attempts`)).status).toBe(202);
    await mock.world.courier.settled();
    const all = (await app("GET", "/app/hook/deliveries")).list;
    expect(all.map((each) => each["guid"])).toEqual([failed?.["guid"], failed?.["guid"]]);
    expect((await app("GET", `/app/hook/deliveries/${id}`)).body).toMatchObject({
      request: { payload: { action: "assigned" } },
    });
    expect(mock.violations).toEqual([]);
  });

  test("is made from a manifest that a person confirms, once", async () => {
    const manifest = {
      name: "Relay of Acme",
      url: "https://relay.example",
      hook_attributes: { url: "http://127.0.0.1:9/hook" },
      redirect_url: "http://127.0.0.1:9/back",
      default_events: ["issues"],
      default_permissions: { issues: "write" },
    };
    const confirmed = await fetch(`${mock.world.html}/organizations/acme/settings/apps/new?state=abc`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
    });
    const back = new URL(confirmed.headers.get("location") ?? "");
    expect(back.searchParams.get("state")).toBe("abc");
    const at = `/app-manifests/${back.searchParams.get("code")}/conversions`;
    const anybody = asking(mock, null);
    const made = await anybody("POST", at);
    expect(made).toMatchObject({
      status: 201,
      body: { slug: "relay-of-acme", owner: { login: "acme" }, events: ["issues"] },
    });
    expect((await anybody("POST", at)).status).toBe(404);
    [key, appId] = [z.string().parse(made.body["pem"]), z.number().parse(made.body["id"])];
    expect((await asking(mock, jwt())("GET", "/app")).body).toMatchObject({ id: appId });
    expect(mock.violations).toEqual([]);
  });
});
