import { describe, expect, test } from "vitest";
import { loginsOf } from "../../src/app/people/logins.ts";
import { configWithoutFile } from "../../src/config/config.ts";
import { browserAt, openLogins } from "../support/tracker-logins.ts";

describe("the login by GitHub (R-SAFE-4)", () => {
  test("gives a session to who may read a repository, leads on, and ends on the server", async () => {
    const { open, logInAs, cookies, life } = await openLogins();
    const answer = await logInAs("ann", "/issues?q=a");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/issues?q=a"]);
    const set = answer.headers.getSetCookie().find((one) => one.startsWith("__Host-relay="));
    expect(set).toMatch(/^__Host-relay=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect((await open("/issues")).status).toBe(200);
    expect(await (await open("/issues")).text()).toContain("ann");
    const { rows } = await life.db.executeSql(`select login, by, account_id is not null as known from sessions`);
    expect(rows).toEqual([{ login: "ann", by: "github", known: true }]);
    const token = cookies.get("__Host-relay") ?? "";
    expect(JSON.stringify((await life.db.executeSql(`select * from sessions`)).rows)).not.toContain(token);
    const headers = { origin: "https://relay.example" };
    expect((await open("/logout", { method: "POST", headers })).status).toBe(303);
    cookies.set("__Host-relay", token);
    expect((await open("/issues")).status).toBe(303);
  });

  test("is refused to who may read nothing here, and to a client with a wrong secret", async () => {
    const { logInAs, cookies } = await openLogins();
    const answer = await logInAs("eve");
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("may read none of the repositories");
    expect(cookies.has("__Host-relay")).toBe(false);
    const wrong = await openLogins({ secret: "another one" });
    expect((await wrong.logInAs("ann")).status).toBe(403);
  });

  test("counts once, in the browser that began it, within ten minutes, and with the state that it began with", async () => {
    let now = Date.now();
    const { open, consent, cookies, address, github } = await openLogins({ clock: { now: () => new Date(now) } });
    const begin = async () => (await open("/login/github")).headers.get("location") ?? "";
    const first = await consent(await begin(), "ann");
    const elsewhere = browserAt(address, github);
    expect((await elsewhere.open(first)).status).toBe(400);
    await elsewhere.open("/login/github");
    expect((await elsewhere.open(first)).status).toBe(400);
    expect((await open(first.replace(/state=[^&]*/, "state=wrong"))).status).toBe(400);
    // A second tab of the same browser does not disturb the first.
    const second = await consent(await begin(), "ann");
    expect((await open(first)).status).toBe(303);
    expect((await open(second)).status).toBe(303);
    expect((await open(first)).status).toBe(400);
    const late = await consent(await begin(), "ann");
    now += 10 * 60_000 + 1;
    expect((await open(late)).status).toBe(400);
    cookies.clear();
    expect((await open(await consent(await begin(), "ann"))).status).toBe(303);
  });

  test("asks with a state and a challenge, for nothing but who somebody is, and tells the browser no secret", async () => {
    const { open, github } = await openLogins();
    const { origin, pathname, searchParams } = new URL((await open("/login/github")).headers.get("location") ?? "");
    expect([origin, pathname]).toEqual([github, "/login/oauth/authorize"]);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "relay-id",
      redirect_uri: "https://relay.example/login/github/callback",
      response_type: "code",
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  test("says so when the person or the tracker says no", async () => {
    const { open } = await openLogins();
    const state = async () =>
      new URL((await open("/login/github")).headers.get("location") ?? "").searchParams.get("state");
    expect((await open(`/login/github/callback?error=access_denied&state=${await state()}`)).status).toBe(403);
    expect((await open(`/login/github/callback?code=made-up&state=${await state()}`)).status).toBe(403);
    expect((await open("/login/github/callback")).status).toBe(400);
    expect((await open("/login/gitlab")).status).toBe(303);
  });

  test.each(["//evil.example", "https://evil.example", "/\\evil.example", "/login/github", "/logout"])(
    "leads to no other place: %j",
    async (to) => {
      const { logInAs } = await openLogins();
      expect((await logInAs("ann", to)).headers.get("location")).toBe("/");
    },
  );

  test("gives a new session each time: one that was planted in the browser is worth nothing", async () => {
    const { logInAs, open, cookies } = await openLogins();
    await logInAs("ann");
    const earlier = cookies.get("__Host-relay") ?? "";
    await logInAs("ann");
    expect(cookies.get("__Host-relay")).not.toBe(earlier);
    cookies.set("__Host-relay", earlier);
    expect((await open("/issues")).status).toBe(303);
  });

  test("is bounded by the address that the trusted proxy tells, whatever else the browser says", async () => {
    const { open } = await openLogins();
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const status = async (n: number) => (await open("/login/github", from(`192.0.2.${n}`))).status;
    const first = await Promise.all(Array.from({ length: 30 }, async (_, n) => await status(n)));
    expect(new Set(first)).toEqual(new Set([303]));
    expect(await status(77)).toBe(429);
  });
});

test.each([
  [{ GITHUB_CLIENT_ID: "id" }, /GITHUB_CLIENT_ID is set and GITHUB_CLIENT_SECRET is not/],
  [{ GITLAB_CLIENT_SECRET: "secret" }, /GITLAB_CLIENT_SECRET is set and GITLAB_CLIENT_ID is not/],
  [{ GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" }, /set server\.public_url/],
  [
    { GITLAB_CLIENT_ID: "id", GITLAB_CLIENT_SECRET: "secret", RELAY_PUBLIC_URL: "https://relay.example" },
    /cannot ask GitLab what people may do there; set GITLAB_TOKEN/,
  ],
])("half of a login's settings is told with what is missing: %j", (env, problem) => {
  expect(() => loginsOf(configWithoutFile(env), env)).toThrow(problem);
});
