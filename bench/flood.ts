// Unsigned floods against `relay serve`, and its acknowledgements while it plans: `npm run bench:flood`. Prints how signed
// deliveries beside each flood were answered, and after what time; times as ratios to a server in the same run that checks
// the signature and keeps nothing. Addresses of their own for flooders need Linux (127.0.0.2).

import { createHmac, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type Socket, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { sleep } from "../src/lib/clock.ts";
import { quantile, rounded, tell, timeBeside } from "./figures.ts";
import { comment, serve, tellComment, usageOf } from "./scale/processes.ts";
import { SECRET, type Stage, cleanUp, openServer, openStage } from "./scale/stage.ts";

const MIB = 1024 * 1024;
const SECONDS = 8;
/** Between two signed deliveries, in milliseconds. */
const PAUSE_MS = 40;

interface Flooding {
  kind: keyof typeof FLOODS;
  port: number;
}

interface Caller {
  port: number;
  from?: string;
  headers?: string;
}

const HEAD = "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
/** Of the right form, and wrong. */
const FORGED = `X-Hub-Signature-256: sha256=${"0".repeat(64)}\r\n`;

function call({ port, from = "127.0.0.1" }: Caller): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => {});
  socket.resume();
  return socket;
}

/** Bodies that come, but for their last byte, and stay. */
function unfinished(caller: Caller, bytes: number, signature = FORGED): void {
  const socket = call(caller);
  socket.write(`${HEAD}${signature}${caller.headers ?? ""}Content-Length: ${bytes}\r\n\r\n`);
  for (let sent = 1; sent < bytes; sent += MIB) socket.write(Buffer.alloc(Math.min(MIB, bytes - sent)));
  socket.on("close", () => setTimeout(() => unfinished(caller, bytes, signature), 50));
}

function halfSent(caller: Caller): void {
  const socket = call(caller);
  socket.write(HEAD);
  const renew = setTimeout(() => socket.destroy(), 10_000);
  socket.on("close", () => {
    clearTimeout(renew);
    setTimeout(() => halfSent(caller), 10);
  });
}

/** A byte each second. */
function slow(caller: Caller): void {
  const socket = call(caller);
  socket.write(`${HEAD}${FORGED}Content-Length: 1000\r\n\r\n`);
  const drip = setInterval(() => socket.write("x"), 1_000);
  socket.on("close", () => {
    clearInterval(drip);
    setTimeout(() => slow(caller), 10);
  });
}

/** One whole call after the other. */
function unsigned(caller: Caller): void {
  const socket = call(caller);
  socket.write(`${HEAD}Content-Length: 2\r\n\r\n{}`);
  socket.on("close", () => setImmediate(() => unsigned(caller)));
}

function stream(caller: Caller, signature: string): void {
  const socket = call(caller);
  socket.write(`${HEAD}${signature}Content-Length: ${25 * MIB}\r\n\r\n`);
  const pouring = setInterval(() => socket.write(Buffer.alloc(MIB * 0.9)), 100);
  socket.on("close", () => {
    clearInterval(pouring);
    setTimeout(() => stream(caller, signature), 10);
  });
}

const times = (count: number, work: (n: number) => void) => {
  for (let n = 0; n < count; n += 1) work(n);
};

const FLOODS = {
  nothing: () => {},
  "10 unfinished bodies of 25 MiB and one of 6": (port: number) => {
    times(10, () => unfinished({ port }, 25 * MIB));
    unfinished({ port }, 6 * MIB);
  },
  "the same, unsigned": (port: number) => {
    times(10, () => unfinished({ port }, 25 * MIB, ""));
    unfinished({ port }, 6 * MIB, "");
  },
  "the same from two addresses": (port: number) => {
    times(10, (n) => unfinished({ port, from: `127.0.0.${1 + (n % 2)}` }, 25 * MIB));
    unfinished({ port, from: "127.0.0.2" }, 6 * MIB);
  },
  "the same by X-Forwarded-For": (port: number) =>
    times(11, (n) => unfinished({ port, headers: `X-Forwarded-For: 203.0.113.${n}\r\n` }, 25 * MIB)),
  "2,000 half-sent headers, renewed": (port: number) => times(2_000, () => halfSent({ port })),
  "2,000 of them from another address": (port: number) => times(2_000, () => halfSent({ port, from: "127.0.0.2" })),
  "1,999 slow bodies": (port: number) => times(1_999, () => slow({ port })),
  "whole unsigned calls on 50 connections": (port: number) => times(50, () => unsigned({ port })),
  "9 MB/s without a signature": (port: number) => stream({ port }, ""),
  "9 MB/s with a forged one": (port: number) => stream({ port }, FORGED),
};

async function check(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await buffer(incoming);
  const wanted = Buffer.from(`sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(String(incoming.headers["x-hub-signature-256"]));
  JSON.parse(body.toString("utf8"));
  outgoing.statusCode = wanted.length === given.length && timingSafeEqual(wanted, given) ? 202 : 401;
  outgoing.end();
}

/** Answers after the signature, and keeps nothing. */
function trivial(): void {
  const server = createServer((incoming, outgoing) => void check(incoming, outgoing));
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address();
    parentPort?.postMessage(typeof bound === "object" && bound !== null ? bound.port : 0, []);
  });
}

interface Heard {
  ms: number[];
  refused: string[];
}

let ids = 1_000_000;

/** Signed deliveries, one after the other. */
async function deliver(address: string, stage: Stage, forMs: number): Promise<Heard> {
  const heard: Heard = { ms: [], refused: [] };
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    ids += 1;
    const about = { project: "acme/many-1", number: 1, id: ids, body: "The total is wrong, as I said before." };
    await tellComment({ address }, stage, about).then(
      (ms) => heard.ms.push(ms),
      (error: unknown) => heard.refused.push(String(error)),
    );
    await sleep(PAUSE_MS);
  }
  return heard;
}

async function main(): Promise<void> {
  const { connection } = await openServer();
  const stage = await openStage({ name: "flood", repositories: 1, issues: 40, allWait: true }, connection);
  const server = await serve(stage, "web,planner");
  const port = Number(new URL(server.address).port);
  const plain = new Worker(import.meta.filename, { workerData: { trivial: true } });
  const beside = await new Promise<number>((resolve) => plain.once("message", resolve));
  await deliver(server.address, stage, 2_000);
  for (const kind of Object.keys(FLOODS)) {
    const flood = new Worker(import.meta.filename, { workerData: { kind, port } });
    await sleep(1_000);
    const heard = await deliver(server.address, stage, SECONDS * 1_000);
    await flood.terminate();
    const asked = heard.ms.length + heard.refused.length;
    const wait = quantile(heard.ms, 0.99);
    tell({
      what: `signed deliveries refused: ${kind}`,
      value: `${heard.refused.length} of ${asked}`,
      number: heard.refused.length,
      aim: { most: 0 },
    });
    tell({ what: `p99 of their acknowledgement: ${kind}`, value: `${rounded(wait)} ms`, number: wait });
    for (const why of new Set(heard.refused)) console.log(`refused: ${why}`);
  }
  const { megabytes } = usageOf(server.pid);
  tell({ what: "memory of relay serve after all floods", value: `${rounded(megabytes)} MB`, number: megabytes });
  // People comment in many issues at once: the planner fetches, reads, detects, searches and writes.
  const talk = setInterval(() => {
    for (let n = 1; n <= 40; n += 1) {
      void comment(server, stage, {
        project: "acme/many-1",
        number: n,
        body: "@relay what about the total? ".repeat(50),
      });
    }
  }, 2_000);
  const [relay, other]: [number[], number[]] = [[], []];
  for (let round = 0; round < 8; round += 1) {
    relay.push(...(await deliver(server.address, stage, 2_000)).ms);
    other.push(...(await deliver(`http://127.0.0.1:${beside}`, stage, 2_000)).ms);
  }
  clearInterval(talk);
  for (const [name, part] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const) {
    const bare = { name: "a server that stores nothing", ms: quantile(other, part) };
    tell(timeBeside(`acknowledged while planning, ${name}`, quantile(relay, part), bare, { most: 1.3 }));
  }
  await plain.terminate();
  await server.stop();
}

if (isMainThread) {
  try {
    await main();
  } finally {
    await cleanUp();
  }
} else if (workerData.trivial === true) {
  trivial();
} else {
  const { kind, port }: Flooding = workerData;
  FLOODS[kind](port);
}
