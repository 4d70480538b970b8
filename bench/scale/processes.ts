import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import { githubPayload } from "../../test/support/github-payloads.ts";
import { SECRET, type Stage, closing } from "./stage.ts";

const RELAY = join(import.meta.dirname, "../../bin/relay.js");
const announcement = z.object({ address: z.string().nullable() });
const pending = z.object({ count: z.number() });

/** A process of `relay serve`. */
export interface Serving {
  pid: number;
  address: string;
  /** Milliseconds from its start until it was ready. */
  readyMs: number;
  halt: () => void;
  goOn: () => void;
  stop: () => Promise<void>;
}

export async function serve({ env }: Stage, roles: string): Promise<Serving> {
  const start = performance.now();
  const child = spawn(process.execPath, [RELAY, "serve", "--port", "0", "--json", "--role", roles], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stop = closing(async () => {
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
  });
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors = (errors + data.toString()).slice(-4_000)));
  const line = await new Promise<string>((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (data: Buffer) => {
      out += data.toString();
      if (out.includes("\n")) resolve(out);
    });
    child.on("exit", () => reject(new Error(`relay serve ended: ${errors}`)));
  });
  const { address } = announcement.parse(JSON.parse(line));
  if (address !== null) await ready(address);
  const readyMs = performance.now() - start;
  const [halt, goOn] = (["SIGSTOP", "SIGCONT"] as const).map((signal) => () => void child.kill(signal));
  if (halt === undefined || goOn === undefined) throw new Error("no signals");
  return { pid: pidOf(child), address: address ?? "", readyMs, halt, goOn, stop };
}

async function ready(address: string): Promise<void> {
  for (;;) {
    const { ok } = await fetch(`${address}/readyz`);
    if (ok) return;
    await sleep(5);
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("a process did not start");
  return pid;
}

/** Megabytes that a process has in memory, now and at most; and the seconds that it computed. */
export function usageOf(pid: number): { megabytes: number; mostMegabytes: number; cpuSeconds: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(stat[11]) + Number(stat[12]);
  return { megabytes: kilobytes("VmRSS") / 1024, mostMegabytes: kilobytes("VmHWM") / 1024, cpuSeconds: ticks / 100 };
}

export interface Ran {
  ms: number;
  mostMegabytes: number;
  bytes: number;
}

/** Runs a command of Relay to its end. */
export async function relay({ env }: Stage, args: readonly string[]): Promise<Ran> {
  const start = performance.now();
  const child = spawn(process.execPath, [RELAY, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [bytes, mostMegabytes] = [0, 0];
  child.stdout.on("data", (data: Buffer) => (bytes += data.length));
  const errors = text(child.stderr);
  const looking = setInterval(() => {
    try {
      const seen = usageOf(pidOf(child)).mostMegabytes;
      if (seen > mostMegabytes) mostMegabytes = seen;
    } catch {
      // It has ended.
    }
  }, 20);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearInterval(looking);
  if (code !== 0) throw new Error(`relay ${args.join(" ")}: ${await errors}`);
  return { ms: performance.now() - start, mostMegabytes, bytes };
}

const PAYLOAD = githubPayload("issue_comment", "created");

/** Tells Relay of a comment; returns the milliseconds until it acknowledged that. */
export async function tellComment(
  { address }: Pick<Serving, "address">,
  { mock }: Stage,
  { project, number, id, body }: { project: string; number: number; id: number; body: string },
): Promise<number> {
  const repository = mock.world.repository(project);
  const at = new Date().toISOString();
  const user = { ...Object(Object(PAYLOAD["comment"])["user"]), login: "ann", type: "User" };
  const sent = JSON.stringify({
    ...PAYLOAD,
    comment: { ...Object(PAYLOAD["comment"]), id, body, user, created_at: at, updated_at: at },
    issue: { ...Object(PAYLOAD["issue"]), number },
    repository: { ...Object(PAYLOAD["repository"]), id: repository.id, name: repository.name, full_name: project },
    sender: { ...Object(PAYLOAD["sender"]), login: "ann", type: "User" },
  });
  const start = performance.now();
  const answer = await fetch(`${address}/webhooks/github`, {
    method: "POST",
    body: sent,
    headers: {
      "content-type": "application/json",
      "x-github-event": "issue_comment",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(sent).digest("hex")}`,
    },
  });
  await answer.arrayBuffer();
  if (answer.status !== 202) throw new Error(`a delivery was answered ${answer.status}`);
  return performance.now() - start;
}

/** Has somebody comment, and tells Relay. */
export async function comment(
  to: Pick<Serving, "address">,
  stage: Stage,
  at: { project: string; number: number; body: string },
): Promise<number> {
  const { comment: id = 0 } = stage.mock.act({ do: "comment", as: "ann", repo: at.project, ...at });
  return await tellComment(to, stage, { ...at, id });
}

/** Resolves when no delivery waits any more; returns how many milliseconds that took. */
export async function workedOff(stage: Stage, lookMs = 2): Promise<number> {
  const start = performance.now();
  while ((await countWaiting(stage)) > 0) await sleep(lookMs);
  return performance.now() - start;
}

/** Deliveries that wait to be worked off. */
export async function countWaiting({ db }: Stage): Promise<number> {
  const waiting =
    "select count(*)::int as count from deliveries where processed_at is null and dead_lettered_at is null";
  return (await db.one(pending, waiting, [])).count;
}

/** Resolves when no job is due or runs, and nothing was asked of the tracker for two seconds. */
export async function quiet({ db, mock }: Stage): Promise<void> {
  const due = `select count(*)::int as count from pgboss.job
    where state = 'active' or (state in ('created', 'retry') and start_after < now() + interval '5 s')`;
  for (let [before, calm] = [-1, 0]; calm < 4;) {
    const { count } = await db.one(pending, due, []);
    calm = count === 0 && mock.requests.length === before ? calm + 1 : 0;
    before = mock.requests.length;
    await sleep(500);
  }
}
