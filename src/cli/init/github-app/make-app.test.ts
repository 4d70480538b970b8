import { request } from "node:http";
import { expect, test } from "vitest";
import { RelayError } from "../../../lib/errors.ts";
import type { MadeApp } from "../../../adapters/trackers/github/app-manifest.ts";
import { makeApp } from "./make-app.ts";

const APP: MadeApp = {
  id: 7,
  slug: "relay-acme",
  page: "https://github.com/apps/relay-acme",
  privateKey: "a key",
  webhookSecret: "a secret",
};
const WISH = { web: "https://github.com", org: "acme", name: "relay-acme", publicUrl: "https://relay.example" };

/** The page is open; what was exchanged, kept and warned of so far. */
async function open(exchange: (code: string) => Promise<MadeApp> = async () => await Promise.resolve(APP)) {
  const ends = new AbortController();
  const at = Promise.withResolvers<string>();
  const [exchanged, kept, warned]: [string[], MadeApp[], string[]] = [[], [], []];
  const made = makeApp(WISH, {
    exchange: async (code) => {
      exchanged.push(code);
      return await exchange(code);
    },
    keep: async (app) => void kept.push(await Promise.resolve(app)),
    announce: at.resolve,
    warn: (why) => void warned.push(why),
    signal: ends.signal,
  });
  made.catch(() => {});
  const address = await at.promise;
  const page = await (await fetch(address)).text();
  const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const state = new URL(action).searchParams.get("state") ?? "";
  const back = async (given: Record<string, string>) =>
    await fetch(`${address}/made?${new URLSearchParams(given).toString()}`);
  return { made, ends, address, page, action, state, back, exchanged, kept, warned };
}

test("the page asks GitHub for an App that may what Relay needs, and no more", async () => {
  const { page, action, state, address, back, made } = await open();
  expect(action).toBe(`https://github.com/organizations/acme/settings/apps/new?state=${state}`);
  const manifest = /name="manifest" value="([^"]*)"/.exec(page)?.[1]?.replaceAll("&quot;", '"') ?? "";
  expect(JSON.parse(manifest)).toEqual({
    name: "relay-acme",
    url: "https://relay.example",
    description: expect.any(String),
    public: false,
    hook_attributes: { url: "https://relay.example/webhooks/github", active: true },
    redirect_url: `${address}/made`,
    callback_urls: ["https://relay.example/login/github/callback"],
    default_permissions: {
      metadata: "read",
      issues: "write",
      contents: "write",
      pull_requests: "write",
      checks: "read",
      statuses: "read",
    },
    default_events: [
      ...["issues", "issue_comment", "pull_request", "pull_request_review"],
      ...["pull_request_review_comment", "check_suite", "status", "push"],
    ],
  });
  await back({ code: "c0de", state });
  expect(await made).toEqual(APP);
});

test("a browser that comes back twice makes one App", async () => {
  const gate = Promise.withResolvers<void>();
  const { back, state, exchanged, kept, made } = await open(async () => {
    await gate.promise;
    return APP;
  });
  const both = [back({ code: "c0de", state }), back({ code: "c0de", state })];
  await expect.poll(() => exchanged.length).toBe(1);
  gate.resolve();
  for (const answer of await Promise.all(both)) {
    expect(await answer.text()).toContain("https://github.com/apps/relay-acme/installations/new");
  }
  await made;
  expect(exchanged).toEqual(["c0de"]);
  expect(kept.every((app) => app === APP)).toBe(true);
});

test("nobody else can put an App of theirs in place", async () => {
  const { address, back, state, exchanged, kept, made, ends } = await open();
  expect((await back({ code: "theirs" })).status).toBe(400);
  expect((await back({ code: "theirs", state: state.replace(/^./, "x") })).status).toBe(400);
  expect((await back({ code: "../../user", state })).status).toBe(400);
  expect((await fetch(new URL("/", address))).status).toBe(404);
  expect((await fetch(new URL("/made?code=theirs", address))).status).toBe(404);
  // A name that somebody lets point to this machine.
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const url = new URL(address);
    request({ host: "127.0.0.1", port: url.port, path: url.pathname, headers: { host: "evil.example" } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(404);
  const { headers } = await fetch(address);
  expect(headers.get("content-security-policy")).toContain("form-action https://github.com; frame-ancestors 'none'");
  expect(headers.get("cache-control")).toBe("no-store");
  expect([exchanged, kept]).toEqual([[], []]);
  ends.abort();
  await expect(made).rejects.toMatchObject({ code: "timeout" });
});

test("what GitHub does not hand over can be asked for again", async () => {
  let tries = 0;
  const { back, state, warned, made } = await open(async () => {
    tries += 1;
    if (tries === 1) throw new RelayError("unavailable", "GitHub: 502");
    return await Promise.resolve(APP);
  });
  expect((await back({ code: "c0de", state })).status).toBe(502);
  expect(warned).toEqual(["GitHub: 502"]);
  expect((await back({ code: "c0de", state })).status).toBe(200);
  expect(await made).toEqual(APP);
});

test("after some minutes it does not wait any longer, and says so", async () => {
  const { made, ends, address } = await open();
  ends.abort();
  await expect(made).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("run the command again"),
  });
  await expect(fetch(address)).rejects.toThrow("fetch failed");
});
