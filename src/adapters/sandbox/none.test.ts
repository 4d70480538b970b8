import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveOnLoopback } from "../../../test/support/loopback.ts";
import { letIn } from "../../../test/support/open-gateway.ts";
import { outcome, request } from "../../../test/support/sandboxed.ts";
import { none } from "./none.ts";
import { UNLIMITED, type OpenSandbox, type SandboxSpec } from "./sandbox.ts";

/** A place that keeps nothing, whose network is the server at `origin`. */
async function open(origin: string, rest: Partial<SandboxSpec>): Promise<{ place: OpenSandbox; cwd: string }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-none-")));
  const cwd = join(root, "tree");
  mkdirSync(cwd);
  const place = await none({
    addressesOf: async () => await Promise.resolve(["93.184.216.34"]),
    connect: () => connect(Number(new URL(origin).port), "127.0.0.1"),
  }).open({
    writable: [cwd],
    readable: [],
    hosts: [],
    privateNetwork: [],
    models: [],
    folder: join(root, "place"),
    ...UNLIMITED,
    ...rest,
  });
  onTestFinished(async () => await place.close());
  return { place, cwd };
}

test("says loudly that it keeps nothing", () => {
  expect(none().kind).toBe("none");
  expect(none().weaknesses.join()).toMatch(/every file .* every host/);
});

test("programs see a home of their own and nothing of Relay's environment", async () => {
  process.env["RELAY_TEST_SECRET"] = "tracker-token";
  const { place, cwd } = await open(await serveOnLoopback(() => {}), {});
  const told = await outcome(place.launch, request("env", [], { cwd, environment: { OWN: "given" } }));
  delete process.env["RELAY_TEST_SECRET"];
  expect(told.stdout).toContain("OWN=given");
  expect(told.stdout).toMatch(new RegExp(`^HOME=${cwd.replace(/tree$/, "place")}/home-`, "m"));
  expect(told.stdout).not.toMatch(/tracker-token|VITEST|PROXY/);
});

test("a model's key is put in outside of programs here too, and only for those who know the way", async () => {
  const keys: unknown[] = [];
  const origin = await serveOnLoopback((asked, response) => {
    keys.push(asked.headers.authorization);
    response.end(`model ${asked.url}`);
  });
  const { place, cwd } = await open(origin, {
    models: [{ variable: "MODEL_URL", url: `${origin}/v1`, headers: { authorization: "Bearer real" }, enter: letIn }],
  });
  const told = await outcome(
    place.launch,
    request("sh", ["-c", `env; curl -sS "$MODEL_URL/chat"; curl -sS "\${MODEL_URL%/*/*}/0/chat"`], { cwd }),
  );
  expect(told.stdout).toContain("model /v1/chat");
  expect(told.stdout).toContain("there is nothing at this address");
  expect(told.stdout).not.toContain("Bearer real");
  expect(keys).toEqual(["Bearer real"]);
});

test("programs that heed the proxy are kept to the allowed hosts", async () => {
  const origin = await serveOnLoopback((asked, response) => void response.end(`host ${asked.headers.host}`));
  const { place, cwd } = await open(origin, { hosts: ["allowed.example.com"] });
  const told = await outcome(
    place.launch,
    request("sh", ["-c", "curl -sS http://allowed.example.com/; curl -sS http://other.example.com/"], { cwd }),
  );
  expect(told.stdout).toMatch(/^host allowed\.example\.com.*other\.example\.com is not among the hosts/);
  expect(place.refusedHosts().map(({ host }) => host)).toEqual(["other.example.com"]);
});

test("nothing can be sent to a model but well-framed requests", async () => {
  const seen: string[] = [];
  const origin = await serveOnLoopback(async (asked, response) => {
    let body = "";
    for await (const chunk of asked) body += String(chunk);
    seen.push(`${asked.method} ${asked.url} ${body}`);
    response.end("ok");
  });
  const { place } = await open(origin, {
    models: [{ variable: "MODEL_URL", url: `${origin}/v1`, headers: {}, enter: letIn }],
  });
  const url = new URL(place.environment["MODEL_URL"] ?? "");
  const smuggled = "GET /admin HTTP/1.1\r\nhost: x\r\n\r\n";
  const socket = connect(Number(url.port), "127.0.0.1");
  socket.write(
    `GET ${url.pathname}/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n` +
      `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  );
  await socket.toArray();
  expect(seen).toEqual([`GET /v1/a ${smuggled}`]);
});

test("folders can come first on a program's PATH, and the program itself is not looked for there", async () => {
  const { place, cwd } = await open(await serveOnLoopback(() => {}), {});
  for (const name of ["sh", "own"]) writeFileSync(join(cwd, name), "#!/bin/sh\necho planted\n", { mode: 0o755 });
  const told = await outcome(place.launch, request("sh", ["-c", "own; true"], { cwd, pathFirst: [cwd] }));
  expect(told.stdout).toBe("planted\n");
});
