import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf, serveOnLoopback } from "../../../../test/support/loopback.ts";
import { letIn } from "../../../../test/support/open-gateway.ts";
import { openEgressProxy } from "./egress-proxy.ts";
import { UNLIMITED } from "../sandbox.ts";

const KEY = "key-of-relay";

/** An egress proxy with one model and one allowed host, whose every name is the model's server; what that server was asked. */
async function stage() {
  const asked: string[] = [];
  const origin = await serveOnLoopback(async (incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${String(incoming.headers["x-api-key"] ?? "no key")}`);
    await bodyOf(incoming);
    response.end("answered");
  });
  const { port: behind } = new URL(origin);
  const folder = mkdtempSync(join(tmpdir(), "relay-egress-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = {
    writable: [],
    readable: [],
    hosts: ["allowed.example.com"],
    privateNetwork: [],
    models: [{ variable: "MODEL_URL", url: `${origin}/api`, headers: { "x-api-key": KEY }, enter: letIn }],
    folder,
    ...UNLIMITED,
  };
  const egress = await openEgressProxy(
    place,
    { port: 0 },
    {
      addressesOf: async () => await Promise.resolve(["93.184.216.34"]),
      connect: () => connect(Number(behind), "127.0.0.1"),
    },
  );
  onTestFinished(async () => await egress.close());
  const { pathname } = new URL(egress.environment(`http://127.0.0.1:${egress.port}`)["MODEL_URL"] ?? "");
  /** Sends bytes as they are; gives the status of each answer until the proxy closes the connection. */
  const send = async (bytes: string): Promise<number[]> =>
    await new Promise((told) => {
      let text = "";
      const socket = connect(egress.port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => told([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))));
    });
  return { egress, asked, pathname, send, behind };
}

const CLOSE = "connection: close\r\n\r\n";

test("no second request hides in a first one, whatever it says of its length", async () => {
  const { asked, pathname, send } = await stage();
  const hidden = `GET ${pathname}/hidden HTTP/1.1\r\nhost: x\r\n${CLOSE}`;
  const post = `POST ${pathname}/v1 HTTP/1.1\r\nhost: x\r\n`;
  const starts = [
    `${post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n`,
    `${post}content-length: 0\r\ncontent-length: 40\r\n\r\n`,
    `${post}transfer-encoding: xchunked\r\n\r\n`,
    `${post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n`,
    `${post}content-length: +0\r\n\r\n`,
    `${post}x: a\nx-b: c\r\ncontent-length: -1\r\n\r\n`,
    `POST ${pathname}/v1\rGET /x HTTP/1.1\r\nhost: x\r\n\r\n`,
  ];
  for (const start of starts) expect([start, await send(start + hidden)]).toEqual([start, [400]]);
  expect(asked).toEqual([]);
  // A whole second request behind a whole first one is just one more.
  const twice = `${post}content-length: 2\r\n\r\nab${hidden}`;
  expect(await send(twice)).toEqual([200, 200]);
  expect(asked.toSorted()).toEqual([`GET /api/hidden ${KEY}`, `POST /api/v1 ${KEY}`]);
});

test("the key goes nowhere but below the model's own address", async () => {
  const { asked, pathname, send, behind } = await stage();
  const token = pathname.split("/")[1] ?? "";
  const targets: [string, number][] = [
    [`${pathname}/../admin`, 403],
    [`${pathname}/%2e%2e/admin`, 403],
    [`${pathname}/%252e%252e/admin`, 403],
    [`${pathname}/..%5cadmin`, 403],
    [`/${token}/1/v1`, 404],
    [`/${token}/-1/v1`, 404],
    [`/${token}x/0/v1`, 404],
    ["/", 404],
    [`//${token}/0/v1`, 404],
    [`http://127.0.0.1:${behind}/api/v1`, 403],
    [`http://other.example.com${pathname}`, 403],
    [`https://allowed.example.com/`, 400],
    ["*", 400],
  ];
  for (const [target, status] of targets) {
    expect([target, await send(`GET ${target} HTTP/1.1\r\nhost: x\r\n${CLOSE}`)]).toEqual([target, [status]]);
  }
  expect(asked).toEqual([]);
  // To an allowed host what the program says goes on, and nothing of Relay's.
  const own = `GET http://allowed.example.com${pathname} HTTP/1.1\r\nhost: allowed.example.com\r\nx-api-key: own\r\n${CLOSE}`;
  expect(await send(own)).toEqual([200]);
  // What it takes for a key of the model's is not passed on.
  expect(await send(`GET ${pathname}/v1 HTTP/1.1\r\nhost: x\r\nX-Api-Key: own\r\n${CLOSE}`)).toEqual([200]);
  expect(asked).toEqual([`GET ${pathname} own`, `GET /api/v1 ${KEY}`]);
});

test("huge headers are refused, and connections that never say all hold nobody up, not even the proxy's shutdown", async () => {
  const { egress, asked, pathname, send } = await stage();
  const huge = `GET ${pathname}/v1 HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(200_000)}\r\n${CLOSE}`;
  expect(await send(huge)).toEqual([431]);
  const unsaid = [
    `GET ${pathname}/v1 HTTP/1.1\r\nx:`,
    `POST ${pathname}/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\na`,
    `POST ${pathname}/slow HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\na`,
    "CONNECT allowed.example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    "",
  ];
  const held = Array.from({ length: 50 }, async (_, n) => await send(unsaid[n % unsaid.length] ?? ""));
  expect(await send(`GET ${pathname}/v1 HTTP/1.1\r\nhost: x\r\n${CLOSE}`)).toEqual([200]);
  expect(asked).toContain(`GET /api/v1 ${KEY}`);
  await egress.close();
  expect((await Promise.all(held)).flat().filter((status) => status !== 200)).toEqual([]);
});
