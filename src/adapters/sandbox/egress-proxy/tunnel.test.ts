import { mkdtempSync, rmSync } from "node:fs";
import { type Socket, connect, createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveOnLoopback } from "../../../../test/support/loopback.ts";
import { clientHello, serveTls } from "../../../../test/support/tls.ts";
import { openEgressProxy } from "./egress-proxy.ts";
import { UNLIMITED } from "../sandbox.ts";

/** An egress proxy that allows two hosts; all names lead to the server at `port`. */
async function stage(port: number, addresses = ["93.184.216.34"], privateNetwork: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "relay-tunnel-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = {
    writable: [],
    readable: [],
    hosts: ["registry.example.com", "files.example.com"],
    privateNetwork,
    models: [],
    folder,
    ...UNLIMITED,
  };
  const egress = await openEgressProxy(
    place,
    { port: 0 },
    { addressesOf: async () => await Promise.resolve(addresses), connect: () => connect(port, "127.0.0.1") },
  );
  onTestFinished(async () => await egress.close());
  const ask = (text: string): Socket => {
    const socket = connect(egress.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(text);
    return socket;
  };
  /** A tunnel, and the status that it was opened with. */
  const tunnel = async (to: string): Promise<{ socket: Socket; status: string }> => {
    const socket = ask(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`);
    const [head] = await once(socket, "data");
    return { socket, status: String(head).split("\r\n")[0] ?? "" };
  };
  return { egress, ask, tunnel, refused: () => egress.refusedHosts().map(({ host, reason }) => `${host}: ${reason}`) };
}

/** What a server answers over TLS by a tunnel, or the error of the client. */
async function overTls(socket: Socket, servername: string): Promise<string> {
  return await new Promise((told) => {
    let text = "";
    const secure = connectTls({ socket, servername, rejectUnauthorized: false });
    secure.on("data", (chunk) => {
      text += String(chunk);
    });
    secure.on("end", () => told(text));
    secure.on("error", (error) => told(`error: ${error.message}`));
    secure.on("close", () => told(text === "" ? "closed" : text));
  });
}

async function served(options = {}) {
  return await serveTls((socket) => socket.end(`hello, ${String(socket.servername)}`), options);
}

async function raw(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("latin1");
}

test("TLS to the host that was asked for goes through, in any spelling of its name", async () => {
  const server = await served();
  const { tunnel, refused } = await stage(server.port);
  const spellings = [
    ["registry.example.com:443", "registry.example.com"],
    ["Registry.Example.COM:443", "registry.example.com"],
    ["registry.example.com.:443", "REGISTRY.example.com"],
  ] as const;
  for (const [to, name] of spellings) {
    const { socket } = await tunnel(to);
    expect(await overTls(socket, name)).toBe(`hello, ${name}`);
  }
  expect(refused()).toEqual([]);
});

test("it goes through where the server wants another hello, and with TLS 1.2", async () => {
  for (const options of [{ ecdhCurve: "P-384" }, { maxVersion: "TLSv1.2" }]) {
    const server = await served(options);
    const { tunnel } = await stage(server.port);
    const { socket } = await tunnel("registry.example.com:443");
    expect(await overTls(socket, "registry.example.com")).toBe("hello, registry.example.com");
  }
});

test("another host of the same servers is not reached, allowed or not, and it is told of", async () => {
  const server = await served();
  const { tunnel, refused } = await stage(server.port);
  for (const name of ["evil.example.com", "files.example.com"]) {
    const { socket, status } = await tunnel("registry.example.com:443");
    expect(status).toBe("HTTP/1.1 200 Connection established");
    expect(await overTls(socket, name)).toMatch(/unrecognized.name/i);
  }
  expect(server.asked).toEqual([]);
  expect(refused()).toEqual([
    "evil.example.com: a TLS connection to registry.example.com was for evil.example.com",
    "files.example.com: a TLS connection to registry.example.com was for files.example.com",
  ]);
});

test("TLS without a name, and what is no TLS, goes nowhere", async () => {
  const seen: string[] = [];
  const server = createServer((socket) => socket.on("data", (chunk) => seen.push(String(chunk))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const { tunnel, refused } = await stage(typeof address === "object" && address !== null ? address.port : 0);
  const nameless = await tunnel("registry.example.com:443");
  nameless.socket.write(await clientHello(""));
  expect(await raw(nameless.socket)).toBe("\u0015\u0003\u0001\u0000\u0002\u0002p");
  const plain = await tunnel("registry.example.com:443");
  plain.socket.write("POST / HTTP/1.1\r\nhost: registry.example.com\r\n\r\nstolen");
  expect(await raw(plain.socket)).toMatch(
    /^HTTP\/1.1 403 .*\r\n\r\nrelay: what was sent to registry.example.com is no TLS/s,
  );
  expect(seen).toEqual([]);
  expect(refused()).toEqual([
    "registry.example.com: a TLS connection to registry.example.com did not name its host (no SNI)",
    "registry.example.com: what was sent to registry.example.com is no TLS",
  ]);
});

test("a second hello has to be for the same host as the first", async () => {
  const first = await clientHello("registry.example.com");
  const retry = Buffer.concat([
    Buffer.from([22, 3, 3, 0, 38, 2, 0, 0, 34, 3, 3]),
    Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex"),
  ]);
  const seen: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("data", (chunk) => seen.push(Buffer.from(chunk)));
    socket.once("data", () => socket.write(retry));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const { tunnel, refused } = await stage(typeof address === "object" && address !== null ? address.port : 0);
  const { socket } = await tunnel("registry.example.com:443");
  // Both at once: the second one waits for the server's answer.
  socket.write(Buffer.concat([first, await clientHello("evil.example.com")]));
  await raw(socket);
  expect(Buffer.concat(seen).equals(first)).toBe(true);
  expect(refused()).toEqual(["evil.example.com: a TLS connection to registry.example.com was for evil.example.com"]);
});

test("a program that never says all of its hello is let go", async () => {
  const server = await served();
  const { tunnel } = await stage(server.port);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { socket } = await tunnel("registry.example.com:443");
  socket.write((await clientHello("registry.example.com")).subarray(0, 100));
  const closed = new Promise((told) => void socket.resume().on("close", told));
  await vi.advanceTimersByTimeAsync(20_000);
  await closed;
  expect(server.asked).toEqual([]);
});

test("no tunnel is opened to port 80, and each plain request has to be for the host that it is sent to", async () => {
  const asked: string[] = [];
  const origin = await serveOnLoopback((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    response.end("answered");
  });
  const { tunnel, ask, refused } = await stage(Number(new URL(origin).port));
  expect((await tunnel("registry.example.com:80")).status).toBe("HTTP/1.1 403 Forbidden");
  const get = (path: string, host: string) => `GET http://registry.example.com${path} HTTP/1.1\r\n${host}\r\n\r\n`;
  const requests = [
    get("/a", "host: registry.example.com"),
    get("/b", "Host: REGISTRY.example.com.:80"),
    get("/c", "host: evil.example.com\r\nconnection: close"),
  ];
  const told = await raw(ask(requests.join("")));
  expect([...told.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "200", "403"]);
  const twice = await raw(ask(get("/d", "host: registry.example.com\r\nhost: evil.example.com")));
  expect(twice).toMatch(/^HTTP\/1\.1 40[03]/);
  const none = `GET http://registry.example.com/e HTTP/1.0\r\n\r\n`;
  expect(await raw(ask(none))).toMatch(/^HTTP\/1\.1 403/);
  expect(asked).toEqual(["registry.example.com /a", "registry.example.com /b"]);
  expect(refused()).toContain(
    "evil.example.com: a request for http://registry.example.com named evil.example.com in its host header",
  );
});

test("a registry in one's own network is reached where it is named, and nothing else there", async () => {
  const origin = await serveOnLoopback((request, response) => void response.end("packages"));
  const port = Number(new URL(origin).port);
  const ask = async (addresses: string[], privateNetwork: string[], url: string) => {
    const { ask: send } = await stage(port, addresses, privateNetwork);
    const { host } = new URL(url);
    const told = await raw(send(`GET ${url} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`));
    return told.split(" ")[1];
  };
  const own = "http://own.example.org:4873/left-pad";
  const named = ["own.example.org:4873"];
  expect(await ask(["10.20.1.1"], named, own)).toBe("200");
  expect(await ask(["fd00::7"], named, own)).toBe("200");
  expect(await ask(["10.20.1.1"], [], own)).toBe("403");
  expect(await ask(["10.20.1.1"], named, "http://own.example.org/")).toBe("403");
  expect(await ask(["10.20.1.1"], named, "http://registry.example.com/")).toBe("403");
  const network = ["10.20.0.0/16", "fd00:1::/32"];
  expect(await ask(["10.20.1.1"], network, "http://registry.example.com/")).toBe("200");
  expect(await ask(["fd00:1::9"], network, "http://registry.example.com/")).toBe("200");
  expect(await ask(["10.21.1.1"], network, "http://registry.example.com/")).toBe("403");
  expect(await ask(["10.20.1.1"], network, own)).toBe("403");
  // Metadata stays closed, whatever is named.
  for (const address of ["169.254.169.254", "100.100.100.200", "::ffff:169.254.169.254", "fd00:ec2::254"]) {
    expect(await ask([address], [...named, "169.254.0.0/16", "100.64.0.0/10", "fd00::/8"], own)).toBe("403");
  }
  for (const entry of ["10.20.0.0", "10.20.0.0/33", "0.0.0.0/0", "own.example.org", "*.example.org:80", "a b:80"]) {
    await expect(stage(port, [], [entry])).rejects.toMatchObject({ code: "config" });
  }
});
