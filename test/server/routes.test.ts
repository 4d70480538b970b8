import { expect, test } from "vitest";
import { openLogins } from "../support/tracker-logins.ts";

const OPEN = new Set([
  "/login",
  "/login/github",
  "/login/github/callback",
  "/healthz",
  "/readyz",
  "/metrics",
  "/favicon.ico",
  "/webhooks/github",
  "/webhooks/gitlab",
]);
const CHANGING = ["POST", "PUT", "PATCH", "DELETE"];

type Web = Awaited<ReturnType<typeof openLogins>>["web"];

/** All routes, with something in the place of their parameters. */
function routesOf({ routes }: Web): { method: string; path: string }[] {
  return routes.map(({ method, path }) => ({
    method,
    path: path
      .replaceAll(/:\w+(?:\{[^}]*\})?/g, "1")
      .replaceAll("/issues/*", "/issues/github/acme/shop/1/say")
      .replaceAll("*", "x"),
  }));
}

test("without a login, no route but those of the login, webhooks and health answers anything", async () => {
  const { web, address } = await openLogins();
  const closed = routesOf(web).filter(({ path }) => !OPEN.has(path) && !path.startsWith("/assets/"));
  expect(closed.length).toBeGreaterThan(10);
  for (const { method, path } of closed) {
    const answer = await fetch(`${address}${path}`, { method: method === "ALL" ? "GET" : method });
    expect([method, path, [401, 403].includes(answer.status)]).toEqual([method, path, true]);
  }
});

test("no route changes anything for a page of another site, be it a form, JSON or nothing that it sends", async () => {
  const { web, logInAs, open } = await openLogins();
  await logInAs("ann");
  const paths = new Set(routesOf(web).map(({ path }) => path));
  const bodies = ["application/x-www-form-urlencoded", "text/plain", "application/json"];
  const sites = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: "https://other.relay.example" },
    {},
  ];
  for (const path of [...paths].filter((one) => !one.startsWith("/webhooks/"))) {
    for (const method of CHANGING) {
      for (const [n, site] of sites.entries()) {
        const headers = { ...site, "content-type": bodies[n % bodies.length] ?? "" };
        const { status } = await open(path, { method, headers, body: "{}" });
        expect([method, path, site, [403, 404, 405, 415].includes(status)]).toEqual([method, path, site, true]);
      }
    }
  }
  expect((await open("/issues")).status).toBe(200);
});

test("who logged in by a tracker has no part in the queue, the local tracker, and learnings that they cannot see", async () => {
  const { logInAs, open } = await openLogins();
  await logInAs("ann");
  const own = { origin: "https://relay.example" };
  for (const path of ["/queue", "/try", "/issues/local/shop/1"]) expect((await open(path)).status).toBe(404);
  for (const path of ["/try", "/issues/local/shop/1/say", "/issues/%6Cocal/shop/1/say"]) {
    expect((await open(path, { method: "POST", headers: own, body: new URLSearchParams({ as: "mia" }) })).status).toBe(
      404,
    );
  }
  const local = { repository: "shop", title: "Mine", body: "" };
  const json = { ...own, "content-type": "application/json", "idempotency-key": "a" };
  expect((await open("/api/v1/issues", { method: "POST", headers: json, body: JSON.stringify(local) })).status).toBe(
    404,
  );
  const decided = new URLSearchParams({ do: "remove" });
  expect((await open("/learnings/1", { method: "POST", headers: own, body: decided })).status).toBe(404);
});
