import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { SCRAPE, githubCall, signatureOf, startWeb } from "../../test/support/web-server.ts";
import { RelayError } from "../lib/errors.ts";
import { WEB_LIMITS } from "./limits.ts";
import { listen } from "./listen.ts";
import { createMetrics } from "./metrics.ts";

/** What a client that speaks HTTP by hand gets to hear until the connection ends. */
async function say(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return await new Promise((resolve) => {
    let heard = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    onTestFinished(() => void socket.destroy());
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString("utf8")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
  });
}

async function metric(address: string, line: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`, SCRAPE)).text();
  return Number(
    text
      .split("\n")
      .find((one) => one.startsWith(`${line} `))
      ?.split(" ")[1] ?? 0,
  );
}

/** Of a call that may be signed, without the length of its body. */
const SIGNED_HEAD = `POST /webhooks/github HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: ${signatureOf("")}\r\n`;

const results = (result: string) => `relay_deliveries_total{provider="github",result="${result}"}`;

describe("a webhook call", () => {
  test("that is new is stored, then accepted; the same again is known", async () => {
    const { address, taken } = await startWeb();
    const call = githubCall();
    const first = await fetch(`${address}/webhooks/github`, call);
    expect(first.status).toBe(202);
    expect(await first.json()).toEqual({ delivery: call.headers["x-github-delivery"] });
    expect(taken).toMatchObject([{ provider: "github", events: [{ kind: "assigned", assignee: "Codertocat" }] }]);
    const second = await fetch(`${address}/webhooks/github`, call);
    expect(second.status).toBe(200);
    expect(await second.json()).toMatchObject({ repeated: true });
    expect(taken).toHaveLength(1);
    expect(await metric(address, results("accepted"))).toBe(1);
    expect(await metric(address, results("repeated"))).toBe(1);
    expect(await metric(address, `relay_delivery_ack_seconds_count{provider="github"}`)).toBe(2);
  });

  test("about a repository outside the configured list is answered as received, and nothing of it is stored", async () => {
    const { address, taken } = await startWeb({ serves: async () => await Promise.resolve(false) });
    const answer = await fetch(`${address}/webhooks/github`, githubCall());
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ignored: "a repository that Relay does not work in" },
    ]);
    expect(taken).toEqual([]);
  });

  test("that tells of new access has that account's repositories looked at, or is asked for again", async () => {
    const given: string[] = [];
    let broken = true;
    const { address } = await startWeb({
      accessGiven: async (provider, account) => {
        if (broken) throw new Error("no database");
        await Promise.resolve(given.push(`${provider} ${account}`));
      },
    });
    const body = JSON.stringify({ action: "unsuspend", installation: { account: { login: "acme" } } });
    const tell = async () => (await fetch(`${address}/webhooks/github`, githubCall("installation", body))).status;
    expect(await tell()).toBe(503);
    broken = false;
    expect(await tell()).toBe(202);
    expect(given).toEqual(["github acme"]);
  });

  test("that tells of a push to the default branch has its files looked at, once it is safe", async () => {
    const told: unknown[] = [];
    let broken = true;
    const { address, taken } = await startWeb({
      pushed: async (provider, push) => {
        if (broken) throw new Error("no database");
        await Promise.resolve(told.push([provider, push]));
      },
      serves: async (_, { externalProjectId }) => await Promise.resolve(externalProjectId === "acme/shop"),
    });
    const body = (name: string) =>
      JSON.stringify({
        ref: "refs/heads/main",
        after: "c".repeat(40),
        repository: { id: 7, full_name: name, default_branch: "main" },
        commits: [{ added: [], modified: ["src/a.ts"], removed: [] }],
      });
    const tell = async (name: string) =>
      (await fetch(`${address}/webhooks/github`, githubCall("push", body(name)))).status;
    expect(await tell("acme/shop")).toBe(503);
    broken = false;
    expect(await tell("acme/shop")).toBe(202);
    expect(await tell("acme/other")).toBe(200);
    const push = {
      externalProjectId: "acme/shop",
      stableProjectId: "7",
      commit: "c".repeat(40),
      files: ["src/a.ts"],
    };
    expect(told).toEqual([["github", push]]);
    expect(taken).toEqual([]);
  });

  test("that is none of Relay's business is answered as received", async () => {
    const { address, taken } = await startWeb();
    const answer = await fetch(`${address}/webhooks/github`, githubCall("ping", `{"zen":"…"}`));
    expect([answer.status, await answer.json()]).toEqual([200, { ignored: "ping" }]);
    expect(taken).toEqual([]);
    expect(await metric(address, results("ignored"))).toBe(1);
  });

  test("without a right signature is refused, and leaves no trace but a count", async () => {
    const { address, taken, lines } = await startWeb();
    for (const signature of ["", "sha256=00", signatureOf("something else")]) {
      const answer = await fetch(
        `${address}/webhooks/github`,
        githubCall("issues", "no json", { "x-hub-signature-256": signature }),
      );
      expect(answer.status).toBe(401);
    }
    expect([taken, lines]).toEqual([[], []]);
    expect(await metric(address, results("refused"))).toBe(3);
  });

  test("that cannot be understood is refused with the problem", async () => {
    const { address } = await startWeb();
    const answer = await fetch(`${address}/webhooks/github`, githubCall("issues", "{"));
    expect([answer.status, await answer.json()]).toEqual([400, { error: "the body is not JSON" }]);
    expect(await metric(address, results("malformed"))).toBe(1);
  });

  test("that cannot be stored is to be delivered again", async () => {
    let down = true;
    const { address, lines } = await startWeb({
      receive: async () => {
        await Promise.resolve();
        if (down) throw new RelayError("unavailable", "the database does not answer: 10.0.0.5");
        return { kind: "stored" };
      },
    });
    const answer = await fetch(`${address}/webhooks/github`, githubCall());
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await answer.text()).not.toContain("10.0.0.5");
    expect(lines).toMatchObject([{ level: "error", fields: { error: "the database does not answer: 10.0.0.5" } }]);
    down = false;
    expect((await fetch(`${address}/webhooks/github`, githubCall())).status).toBe(202);
    expect(await metric(address, results("failed"))).toBe(1);
  });

  test("is answered before the tracker gives up, however long storing takes", async () => {
    const stored = Promise.withResolvers<{ kind: "stored" }>();
    const { address } = await startWeb({ receive: async () => await stored.promise, limits: { receiveMs: 50 } });
    expect((await fetch(`${address}/webhooks/github`, githubCall())).status).toBe(503);
    stored.reject(new Error("too late to matter"));
  });

  test("of a tracker without a secret finds nothing, and the log says once what to set", async () => {
    const { address, lines } = await startWeb();
    for (let n = 0; n < 3; n += 1) {
      expect((await fetch(`${address}/webhooks/gitlab`, { method: "POST", body: "{}" })).status).toBe(404);
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toContain("set GITLAB_WEBHOOK_SECRET");
  });
});

describe("a body", () => {
  const limits = { bodyBytes: 100_000 };

  test("of just the allowed length is taken", async () => {
    const { address } = await startWeb({ limits });
    const body = `{"a":"${"x".repeat(100_000 - 8)}"}`;
    expect((await fetch(`${address}/webhooks/github`, githubCall("ping", body))).status).toBe(200);
  });

  test("that announces more than is allowed is refused before it is there", async () => {
    const { address } = await startWeb({ limits });
    const heard = await say(address, `${SIGNED_HEAD}Content-Length: 100001\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(await metric(address, results("too_large"))).toBe(1);
  });

  test("that turns out to be more is refused while it comes in", async () => {
    const { address, taken } = await startWeb({ limits });
    const status = await new Promise((resolve, reject) => {
      const headers = { "x-hub-signature-256": signatureOf("") };
      const call = request(`${address}/webhooks/github`, { method: "POST", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on("error", reject);
      // Without a length: it comes in chunks.
      for (let n = 0; n < 3; n += 1) call.write("x".repeat(50_000));
    });
    expect([status, taken]).toEqual([413, []]);
  });

  test("that is compressed is not unpacked", async () => {
    const { address } = await startWeb();
    const body = gzipSync("{}");
    const headers = { "content-encoding": "gzip", "x-hub-signature-256": signatureOf(body) };
    const answer = await fetch(`${address}/webhooks/github`, { method: "POST", body, headers });
    expect(answer.status).toBe(415);
  });

  test("that is slow makes room for one that comes at once, and a small one always has its place", async () => {
    const { address } = await startWeb({ limits: { ...limits, smallBodyBytes: 10_000, heldBytes: 150_000 } });
    const slow = Array.from({ length: 4 }, async () => {
      return await say(address, `${SIGNED_HEAD}Content-Length: 100000\r\n\r\n${"x".repeat(60_000)}`);
    });
    expect(await Promise.race(slow)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 10\r\n/i);
    for (const size of [9_000, 90_000]) {
      const answer = await fetch(`${address}/webhooks/github`, githubCall("ping", `{"a":"${"x".repeat(size)}"}`));
      expect(answer.status).toBe(200);
    }
    expect(await metric(address, results("failed"))).toBeGreaterThanOrEqual(2);
  });

  test("that does not come to its end is cut off", async () => {
    const { address, taken } = await startWeb({ limits: { headersMs: 100, requestMs: 200 } });
    expect(await say(address, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
    expect(await say(address, `${SIGNED_HEAD}Content-Length: 10\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 408 /);
    expect(taken).toEqual([]);
  });
});

describe("everything else", () => {
  test.each([
    ["GET", "/webhooks/github", 405, "POST"],
    ["HEAD", "/webhooks/github", 405, "POST"],
    ["PUT", "/webhooks/github", 405, "POST"],
    ["DELETE", "/webhooks/gitlab", 405, "POST"],
    ["POST", "/healthz", 405, "GET, HEAD"],
    ["POST", "/metrics", 405, "GET, HEAD"],
    ["HEAD", "/healthz", 200, null],
    ["GET", "/webhooks", 404, null],
    ["POST", "/webhooks/bitbucket", 404, null],
    ["POST", "/webhooks/github/x", 404, null],
    ["GET", "/", 404, null],
    ["GET", "/healthz?x=1", 200, null],
    ["GET", "/../../etc/passwd", 404, null],
  ])("%s %s answers %i", async (method, path, status, allow) => {
    const { address } = await startWeb();
    const answer = await fetch(address + path, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
    });
  });

  test.each([
    "GET / HTTP/1.1\r\n\r\n",
    "GARBAGE\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  ])("%j is no request", async (text) => {
    const { address } = await startWeb();
    expect(await say(address, text)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  test("readiness follows the database; what is wrong with it is for the log only", async () => {
    let down: Error | null = null;
    const { address, lines } = await startWeb({
      health: async () => {
        await Promise.resolve();
        if (down) throw down;
      },
    });
    const ready = async () => (await fetch(`${address}/readyz`)).status;
    expect(await ready()).toBe(200);
    down = new Error("no route to db.internal");
    const answer = await fetch(`${address}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([503, `{"status":"not ready"}`]);
    expect(lines).toMatchObject([{ fields: { error: "no route to db.internal" } }]);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    down = null;
    expect(await ready()).toBe(200);
  });

  test("a database that hangs is not ready", async () => {
    const { address } = await startWeb({ health: async () => await new Promise(() => {}), limits: { healthMs: 50 } });
    expect((await fetch(`${address}/readyz`)).status).toBe(503);
  });

  test("metrics come in the form that Prometheus reads", async () => {
    const backlog = { waiting: 3, oldestSeconds: 1.5, deadLettered: 1 };
    const work = { queued: 2, queuedSeconds: 7, running: 1, ended: [{ outcome: "done", runs: 5, seconds: 90.5 }] };
    const figures = [
      { name: "issues", labels: ["clarifying"], amount: 4 },
      { name: "deliveries", labels: ["github", "engage"], amount: 6 },
      { name: "model_tokens", labels: ["planner", "anthropic/m", "input"], amount: 900 },
      { name: "cycles", labels: ["done", "10"], amount: 2 },
      { name: "cycles", labels: ["done", "+Inf"], amount: 1 },
      { name: "cycle_seconds", labels: ["done"], amount: 2_014.5 },
    ];
    const quotas = [{ quota: "github:x", requests: 12, remaining: null, allowed: 5_000, blockedSeconds: 30 }];
    const notices = [{ target: "hub", waiting: 4, waitingSince: new Date(), error: null, givenUp: 2 }];
    const budgets = { spentUsd: 8, stopped: [{ budget: "issue", issues: 1 }] };
    const metrics = createMetrics(
      {
        backlog: async () => await Promise.resolve(backlog),
        work: async () => await Promise.resolve(work),
        figures: async () => await Promise.resolve(figures),
        jobs: async () => await Promise.resolve([{ queue: "wake", due: 3, running: 1 }]),
        quotas: async () => await Promise.resolve(quotas),
        budgets: async () => await Promise.resolve(budgets),
        notices: async () => await Promise.resolve(notices),
      },
      { workspaceMonth: 100 },
    );
    const { address } = await startWeb({ metrics });
    const answer = await fetch(`${address}/metrics`, SCRAPE);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(await metric(address, "relay_deliveries_waiting")).toBe(3);
    expect(await metric(address, "relay_deliveries_waiting_seconds")).toBe(1.5);
    expect(await metric(address, "relay_dead_letters")).toBe(1);
    expect(await metric(address, 'relay_notices_waiting{target="hub"}')).toBe(4);
    expect(await metric(address, 'relay_notices_given_up{target="hub"}')).toBe(2);
    expect(await metric(address, "relay_tasks_queued")).toBe(2);
    expect(await metric(address, "relay_runs_running")).toBe(1);
    // Read again, they are no more than they were.
    expect(await metric(address, 'relay_runs_total{outcome="done"}')).toBe(5);
    expect(await metric(address, 'relay_run_seconds_total{outcome="done"}')).toBe(90.5);
    const text = await (await fetch(`${address}/metrics`, SCRAPE)).text();
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        "relay_tasks_queued_seconds 7",
        'relay_issues{state="clarifying"} 4',
        'relay_issues{state="planning"} 0',
        'relay_deliveries_processed_total{provider="github",outcome="engage"} 6',
        'relay_model_tokens_total{stage="planner",model="anthropic/m",type="input"} 900',
        'relay_cycle_duration_seconds_bucket{outcome="done",le="5"} 0',
        'relay_cycle_duration_seconds_bucket{outcome="done",le="1800"} 2',
        'relay_cycle_duration_seconds_bucket{outcome="done",le="+Inf"} 3',
        'relay_cycle_duration_seconds_sum{outcome="done"} 2014.5',
        'relay_cycle_duration_seconds_count{outcome="done"} 3',
        'relay_jobs{queue="wake",state="due"} 3',
        'relay_tracker_requests_total{quota="github:x"} 12',
        'relay_tracker_quota_limit{quota="github:x"} 5000',
        'relay_tracker_blocked_seconds{quota="github:x"} 30',
        "relay_month_spent_usd 8",
        "relay_month_budget_usd 100",
        'relay_budget_stopped_issues{budget="issue"} 1',
        'relay_budget_stopped_issues{budget="repository_day"} 0',
      ]),
    );
    expect(text).not.toMatch(/^relay_tracker_quota_remaining\{/m);
  });

  test.each([
    "/metrics",
    "/webhooks/../metrics",
    "//metrics",
    "/%6Detrics",
    "/metrics/",
    "/metrics?x=/webhooks/github",
  ])("%s shows nothing without the bearer", async (path) => {
    const { address } = await startWeb();
    const ask = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    for (const header of ["", "Authorization: Bearer wrong\r\n", "Authorization: Bearer \r\n"]) {
      expect(await say(address, `${ask}${header}\r\n`)).toMatch(/^HTTP\/1\.1 40[14] (?![^]*relay_deliveries)/);
    }
    const { address: closed } = await startWeb({ metricsToken: null });
    expect(await (await fetch(`${closed}/metrics`, SCRAPE)).json()).toEqual({
      error: expect.stringContaining("set RELAY_METRICS_TOKEN"),
    });
  });

  test("metrics are there also while the database is not", async () => {
    const { address } = await startWeb();
    expect((await fetch(`${address}/metrics`, SCRAPE)).status).toBe(200);
    expect(await metric(address, "relay_deliveries_waiting")).toBeNaN();
  });
});

describe("stopping", () => {
  test("answers what is under way, and takes nothing new", async () => {
    const storing = Promise.withResolvers<{ kind: "stored" }>();
    const began = Promise.withResolvers<void>();
    const { address, stop } = await startWeb({
      receive: async () => {
        began.resolve();
        return await storing.promise;
      },
    });
    // A connection that was used before, and is kept open.
    await (await fetch(`${address}/healthz`)).text();
    const under = fetch(`${address}/webhooks/github`, githubCall());
    await began.promise;
    const stopped = stop(20_000);
    await expect(fetch(`${address}/healthz`, { headers: { connection: "close" } })).rejects.toThrow("fetch failed");
    storing.resolve({ kind: "stored" });
    expect((await under).status).toBe(202);
    await stopped;
  });

  test("does not wait for ever for those who never end", async () => {
    const { address, stop } = await startWeb();
    const heard = say(address, `${SIGNED_HEAD}Content-Length: 10\r\n\r\n{`);
    await expect.poll(async () => (await fetch(`${address}/healthz`)).status).toBe(200);
    await stop(50);
    expect(await heard).toBe("");
  });
});

test.each([
  ["127.0.0.1", /is in use by another program; give another one with --port/],
  ["192.0.2.1", /192\.0\.2\.1 is no address of this machine; give one with --host/],
])("an address that cannot be had is told, with what to do: %s", async (host, message) => {
  const { address, web } = await startWeb();
  const port = Number(new URL(address).port);
  await expect(listen(web, { at: { host, port }, limits: WEB_LIMITS })).rejects.toThrow(message);
});
