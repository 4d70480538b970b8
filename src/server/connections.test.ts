import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { githubCall, signatureOf, startWeb } from "../../test/support/web-server.ts";
import { networkOf } from "./client-address.ts";

/** A client that speaks HTTP by hand. */
async function caller(address: string, from = "127.0.0.1") {
  const { hostname, port } = new URL(address);
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  onTestFinished(() => void socket.destroy());
  let heard = "";
  const ended = Promise.withResolvers<string>();
  socket.on("data", (chunk: Buffer) => (heard += chunk.toString("utf8")));
  socket.on("error", () => {});
  socket.on("close", () => ended.resolve(heard));
  await new Promise<void>((resolve) => socket.on("connect", () => resolve()));
  return { write: (text: string) => void socket.write(text), ended: ended.promise, socket, heard: () => heard };
}

const HALF_SENT = "POST /webhooks/github HTTP/1.1\r\nHost: x\r\n";
const signedHead = (more = "") => `${HALF_SENT}X-Hub-Signature-256: ${signatureOf("")}\r\n${more}`;
const deliver = async (address: string, headers = {}) =>
  (await fetch(`${address}/webhooks/github`, githubCall("ping", "{}", headers))).status;

test("half-sent headers that take all places lose theirs to whoever calls, the oldest first", async () => {
  const { address } = await startWeb({ limits: { connections: 20 } });
  const silent = await Promise.all(Array.from({ length: 20 }, async () => await caller(address)));
  for (const { write } of silent) write(HALF_SENT);
  for (let n = 0; n < 30; n += 1) {
    expect(await deliver(address, { connection: "close" })).toBe(200);
    const one = await caller(address);
    one.write(HALF_SENT);
  }
  expect(await Promise.all(silent.map(async ({ ended }) => await ended))).toEqual(silent.map(() => ""));
});

test("bodies that never end lose their places too", async () => {
  const { address } = await startWeb({ limits: { connections: 20 } });
  for (let n = 0; n < 40; n += 1) {
    (await caller(address)).write(signedHead("Content-Length: 1000\r\n\r\n{"));
    expect(await deliver(address)).toBe(200);
  }
});

test("a connection on which somebody was answered well keeps its place before those that say nothing", async () => {
  const { address } = await startWeb({ limits: { connections: 5 } });
  const known = await caller(address);
  const ask = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  known.write(ask);
  await expect.poll(() => known.heard()).toMatch(/alive/);
  for (let n = 0; n < 20; n += 1) await caller(address);
  known.write(ask);
  await expect.poll(() => known.heard().match(/alive/g)?.length).toBe(2);
});

test("whoever waits for Relay keeps its place; without any other, newcomers are turned away", async () => {
  const storing = Promise.withResolvers<{ kind: "stored" }>();
  let begun = 0;
  const { address } = await startWeb({
    limits: { connections: 3 },
    receive: async () => {
      begun += 1;
      return await storing.promise;
    },
  });
  const under = [1, 2, 3].map(async () => (await fetch(`${address}/webhooks/github`, githubCall())).status);
  await expect.poll(() => begun).toBe(3);
  expect(await (await caller(address)).ended).toBe("");
  storing.resolve({ kind: "stored" });
  expect(await Promise.all(under)).toEqual([202, 202, 202]);
});

test("the address with the most connections makes room first", async () => {
  const { address } = await startWeb({ limits: { connections: 10 } });
  const patient = await caller(address);
  for (let n = 0; n < 30; n += 1) await caller(address, "127.0.0.2");
  patient.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(await patient.ended).toMatch(/alive/);
});

test("who calls through a proxy has a bound of their own, by what the proxy tells", async () => {
  const { address } = await startWeb({ limits: { addressConnections: 2 }, trustedProxies: 1 });
  const body = "Content-Length: 1000\r\n\r\n{";
  const greedy = await Promise.all([1, 2, 3, 4].map(async () => await caller(address)));
  const modest = await caller(address);
  modest.write(signedHead(`X-Forwarded-For: 198.51.100.9\r\n${body}`));
  // What a caller says itself stands before what the proxy adds.
  for (const [n, { write }] of greedy.entries())
    write(signedHead(`X-Forwarded-For: 10.0.0.${n}, 203.0.113.5\r\n${body}`));
  await Promise.race(greedy.map(async ({ ended }) => await ended));
  await expect.poll(() => greedy.filter(({ socket }) => socket.closed).length).toBe(2);
  expect(modest.socket.closed).toBe(false);
});

test("without a signature nothing of a body is read: the answer comes, and the connection ends", async () => {
  const { address } = await startWeb({ limits: { lingerMs: 100 } });
  for (const signature of ["", "X-Hub-Signature-256: sha1=00\r\n"]) {
    const one = await caller(address);
    one.write(`${HALF_SENT}${signature}Content-Length: 26000000\r\n\r\n`);
    // More than the buffers on the way hold.
    const chunk = "x".repeat(1024 * 1024);
    for (let n = 0; n < 24; n += 1) one.write(chunk);
    await expect.poll(() => one.heard()).toMatch(/^HTTP\/1\.1 401 [^]*connection: close\r\n[^]*missing or wrong/i);
    await one.ended;
    expect(one.socket.bytesWritten - one.socket.writableLength).toBeLessThan(20 * chunk.length);
  }
});

test("after a body that is too large nothing more is read", async () => {
  const { address } = await startWeb({ limits: { bodyBytes: 100_000, lingerMs: 100 } });
  const one = await caller(address);
  one.write(signedHead("Transfer-Encoding: chunked\r\n\r\n"));
  const chunk = "x".repeat(1024 * 1024);
  for (let n = 0; n < 64; n += 1) one.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  expect(await one.ended).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
});

test("a signed call after an unsigned one on the same address is taken", async () => {
  const { address } = await startWeb();
  const unsigned = await fetch(`${address}/webhooks/github`, { method: "POST", body: "{}" });
  expect([unsigned.status, unsigned.headers.get("connection")]).toEqual([401, "close"]);
  expect(await deliver(address)).toBe(200);
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::1", "::1"],
  ["2001:db8:1:2:3::4", "2001:db8:1:2"],
  ["2001:db8::4", "2001:db8:0:0"],
  [undefined, ""],
])("%s is bounded as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
