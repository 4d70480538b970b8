import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, Agent, createServer, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import { createReceive } from "../../src/intake/receive.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";
import { countBacklog } from "../../src/storage/backlog.ts";
import { countWork, countJobs, listQuotas, readBudgets, readFigures } from "../../src/storage/figures.ts";

import type { Database } from "../../src/storage/db.ts";
import { githubWebhooks } from "../../src/adapters/trackers/github/webhook.ts";
import { WEB_LIMITS } from "../../src/server/limits.ts";
import { listen } from "../../src/server/listen.ts";
import { createMetrics } from "../../src/server/metrics.ts";
import { createWeb } from "../../src/server/web.ts";
import { githubPayload } from "../../test/support/github-payloads.ts";
import { median, quantile } from "../figures.ts";

const SECRET = "a secret of some length";
const CALLERS = 16;
const CALLS = 1_500;

interface WebTimes {
  p50: number;
  p99: number;
  perSecond: number;
}

/** The time that a tracker waits for its answer: from Relay, and from a server that checks the signature and keeps nothing. */
export async function measureWeb(db: Database, queue: Queue): Promise<{ plain: WebTimes; relay: WebTimes }> {
  const receive = createReceive({
    db,
    clock: systemClock,
    ids: snowflakes(),
    enqueue: jobsOn(async () => await Promise.resolve(queue)).sendEvents,
  });
  const web = createWeb({
    readers: [githubWebhooks({ secrets: [SECRET], clock: systemClock })],
    receive,
    pushed: async () => await Promise.resolve(),
    accessGiven: async () => await Promise.resolve(),
    serves: async () => await Promise.resolve(true),
    dashboard: null,
    api: null,
    mcp: null,
    metricsToken: null,
    health: async () => await Promise.resolve(),
    metrics: createMetrics({
      backlog: async () => await countBacklog(db, systemClock),
      work: async () => await countWork(db),
      figures: async () => await readFigures(db),
      jobs: async () => await countJobs(db),
      quotas: async () => await listQuotas(db),
      budgets: async () => await readBudgets(db, 0),
      notices: async () => await Promise.resolve([]),
    }),
    limits: WEB_LIMITS,
    log: silentLog,
  });
  const listening = await listen(web, { at: { host: "127.0.0.1", port: 0 }, limits: WEB_LIMITS });
  const plain = await startPlain();
  const measure = async () => ({
    plain: await callAll("plain server", plain.address, 200),
    relay: await callAll("Relay", listening.address, 202),
  });
  await measure(); // warms up
  const measured = await measure();
  plain.server.close();
  await listening.stop(0);
  return measured;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await buffer(incoming);
  const wanted = Buffer.from(signatureOf(body));
  const given = Buffer.from(String(incoming.headers["x-hub-signature-256"]));
  outgoing.statusCode = wanted.length === given.length && timingSafeEqual(wanted, given) ? 200 : 401;
  JSON.parse(body.toString("utf8"));
  outgoing.end();
}

async function startPlain(): Promise<{ server: Server; address: string }> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  return { server, address: `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}` };
}

function signatureOf(body: Uint8Array): string {
  return `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
}

async function callAll(what: string, address: string, wanted: number): Promise<WebTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const times: number[] = [];
  const start = performance.now();
  const caller = async () => {
    while (times.length < CALLS) {
      const body = bodyOf(times.length);
      const began = performance.now();
      const status = await call(`${address}/webhooks/github`, agent, body);
      if (status !== wanted) throw new Error(`${what} answered ${status}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return { p50: median(times), p99: quantile(times, 0.99), perSecond: times.length / seconds };
}

let calls = 0;
const PAYLOAD = githubPayload("issue_comment", "created");

/** No two alike: somebody says something in one of 200 issues. */
function bodyOf(n: number): Buffer {
  calls += 1;
  return Buffer.from(
    JSON.stringify({
      ...PAYLOAD,
      comment: { ...Object(PAYLOAD["comment"]), id: calls },
      issue: { ...Object(PAYLOAD["issue"]), number: 1 + (n % 200) },
    }),
  );
}

async function call(url: string, agent: Agent, body: Buffer): Promise<number> {
  const sent = request(url, {
    agent,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": body.length,
      "x-github-event": "issue_comment",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": signatureOf(body),
    },
  });
  sent.end(body);
  return await new Promise((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
  });
}
