import { expect, test } from "vitest";
import { z } from "zod";
import type { Check, Examine } from "../../src/app/doctor.ts";
import { ADMIN_TOKEN, openDashboard } from "../support/dashboard.ts";
import { openLife } from "../support/relay.ts";
import { openLogins } from "../support/tracker-logins.ts";

const GIT: Check = { name: "git", ok: true, detail: "2.47" };
const TRACKER: Check = { name: "GitHub token", ok: false, detail: "<b>expired</b>", mend: "make a new one" };

/** Checks that end when they are told to, each time they are made. */
function slowChecks() {
  const looks: { report: (check: Check) => void; end: () => void; fail: (error: Error) => void }[] = [];
  const examine: Examine = async (report) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    looks.push({ report, end: resolve, fail: reject });
    await promise;
  };
  return { looks, examine };
}

test("health shows what the doctor has found so far, and waits for no slow tracker", async () => {
  const { looks, examine } = slowChecks();
  const { get, send, logIn } = await openDashboard(await openLife(), { examine });
  const me = await logIn();
  const page = async () => await (await get("/health", me)).text();
  expect(await page()).toContain("looking…");
  looks[0]?.report(GIT);
  expect(await page()).toMatch(/looking…[\s\S]*<strong>git<\/strong>\s*2\.47/);
  looks[0]?.report(TRACKER);
  looks[0]?.end();
  await expect.poll(page).toContain("1 problem");
  const found = await page();
  expect(found).toContain("&lt;b&gt;expired&lt;/b&gt;");
  expect(found.indexOf("GitHub token")).toBeLessThan(found.indexOf("<strong>git"));
  expect(found).toMatch(/make a new one[\s\S]*Settings in force/);
  expect(looks).toHaveLength(1);
  expect((await send("/health", {}, me)).headers.get("location")).toBe("/health");
  await send("/health", {}, me);
  expect(looks).toHaveLength(2);
  looks[1]?.fail(new Error("the disk is full"));
  await expect.poll(page).toContain("the disk is full");
});

test("what the doctor found is shown for ten minutes; a look that hangs is given up after three", async () => {
  const { looks, examine } = slowChecks();
  const life = await openLife();
  let now = life.clock.now().getTime();
  const { get, send, logIn } = await openDashboard({ ...life, clock: { now: () => new Date(now) } }, { examine });
  const me = await logIn();
  await get("/health", me);
  now += 2 * 60_000;
  await send("/health", {}, me);
  expect(looks).toHaveLength(1);
  now += 2 * 60_000;
  await send("/health", {}, me);
  looks[1]?.end();
  await expect.poll(async () => await (await get("/health", me)).text()).toContain("all is well");
  now += 9 * 60_000;
  await get("/health", me);
  expect(looks).toHaveLength(2);
  now += 2 * 60_000;
  await get("/health", me);
  expect(looks).toHaveLength(3);
});

test("the API tells the same to who runs Relay, and to nobody else", async () => {
  const examine: Examine = async (report) => await Promise.resolve(report(TRACKER));
  const { address } = await openDashboard(await openLife(), { examine });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const ask = async () => z.json().parse(await (await fetch(`${address}/api/v1/health`, { headers })).json());
  await ask();
  expect(await ask()).toEqual({
    status: "ready",
    doctor: { looked_at: expect.any(String), looking: false, checks: [TRACKER] },
  });
  expect((await fetch(`${address}/api/v1/health/look`, { method: "POST", headers })).status).toBe(202);

  const { logInAs, open } = await openLogins();
  await logInAs("ann");
  const own = { origin: "https://relay.example" };
  expect(await (await open("/api/v1/health")).json()).toEqual({ status: "ready", doctor: null });
  const json = { ...own, "content-type": "application/json" };
  expect((await open("/api/v1/health/look", { method: "POST", headers: json, body: "{}" })).status).toBe(403);
  expect((await open("/health", { method: "POST", headers: own })).status).toBe(403);
});
