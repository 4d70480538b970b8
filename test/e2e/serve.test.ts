import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../support/database.ts";
import { lineTo } from "../support/database-proxy.ts";
import { some } from "../support/tries.ts";
import { type Desk, newDesk, relay, startRelay } from "./cli-harness.ts";
import { METRICS_TOKEN, SCRAPE, SECRET, githubCall, startWeb } from "../support/web-server.ts";

const announcement = z.object({ address: z.string().nullable(), roles: z.array(z.string()), database: z.string() });
const PATIENT = { interval: 100 };

/** `relay serve`, which is stopped when the test is over. */
function startServe(desk: Desk, url: string, args: string[] = [], env: Record<string, string> = {}) {
  const started = startRelay(desk, ["serve", "--port", "0", "--json", ...args], {
    env: { DATABASE_URL: url, GITHUB_WEBHOOK_SECRET: SECRET, RELAY_METRICS_TOKEN: METRICS_TOKEN, ...env },
  });
  onTestFinished(async () => {
    started.child.kill("SIGKILL");
    await started.ended;
  });
  const announced = async () => {
    await expect.poll(() => started.said.out, PATIENT).toContain("\n");
    return announcement.parse(JSON.parse(started.said.out));
  };
  const address = async () => (await announced()).address ?? "";
  return { ...started, announced, address };
}

async function freePort(): Promise<number> {
  const { address, stop } = await startWeb();
  await stop(0);
  return Number(new URL(address).port);
}

const deliver = async (address: string, call = githubCall()) =>
  (await fetch(`${address}/webhooks/github`, call)).status;
const stored = z.object({ n: z.number() });

test("where an older Node started it, the server ends with that process, also when it is killed", async () => {
  const desk = await newDesk();
  const { connection } = await freshDatabase();
  const { url } = await lineTo(connection);
  const older = join(desk.folder, "older.mjs");
  const pretend = `if (process.ppid === ${process.pid})
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } });`;
  await writeFile(older, pretend);
  const server = startServe(desk, url, [], { NODE_OPTIONS: `--import=${older}` });
  const { address } = await server.announced();
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  server.child.kill("SIGKILL");
  const answers = async () =>
    await fetch(`${address}/readyz`).then(
      ({ status }) => status,
      () => "none",
    );
  await expect.poll(answers, { ...PATIENT, timeout: 30_000 }).toBe("none");
});

test("serve says where it listens, keeps what is delivered, and ends in peace when it is told to", async () => {
  const desk = await newDesk();
  const { db, connection } = await freshDatabase();
  const { url } = await lineTo(connection);
  const server = startServe(desk, url);
  const { address, roles } = await server.announced();
  expect(roles).toEqual(["web", "planner", "worker"]);
  const call = githubCall();
  expect(await deliver(address ?? "", call)).toBe(202);
  expect(await deliver(address ?? "", call)).toBe(200);
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  expect(await (await fetch(`${address}/metrics`, SCRAPE)).text()).toMatch(/^relay_deliveries_waiting \d+$/m);
  const many = Array.from({ length: 40 }, () => githubCall());
  const answers = await Promise.all([...many, ...many].map(async (one) => await deliver(address ?? "", one)));
  expect(answers.filter((status) => status === 202)).toHaveLength(40);
  expect(answers.filter((status) => status === 200)).toHaveLength(40);
  expect(await db.one(stored, "select count(*)::int as n from deliveries", [])).toEqual({ n: 41 });
  // No repository of that name is known: the planner finds nothing to do.
  await expect
    .poll(
      async () => await db.one(stored, "select count(*)::int as n from deliveries where processed_at is not null", []),
      PATIENT,
    )
    .toEqual({ n: 41 });
  server.child.kill("SIGTERM");
  const { code, out } = await server.ended;
  expect(code).toBe(0);
  expect(out.split("\n")).toHaveLength(2);
  expect(server.said.err).not.toContain(SECRET);
});

test("serve starts before its database, and stays through its absence", async () => {
  const desk = await newDesk();
  const { connection } = await freshDatabase();
  const line = await lineTo(connection);
  line.cut();
  const port = await freePort();
  const server = startServe(desk, line.url, ["--role", "web,planner", "--port", String(port)]);
  const address = `http://127.0.0.1:${port}`;
  const status = async (path: string) =>
    await fetch(address + path).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(async () => await status("/healthz"), PATIENT).toBe(200);
  expect(await status("/readyz")).toBe(503);
  expect(await deliver(address)).toBe(503);
  line.mend();
  expect(await server.announced()).toMatchObject({ address, roles: ["web", "planner"] });
  expect(await deliver(address)).toBe(202);

  line.cut();
  await expect.poll(async () => await status("/readyz"), PATIENT).toBe(503);
  expect(await deliver(address)).toBe(503);
  expect(await status("/healthz")).toBe(200);
  line.mend();
  await expect.poll(async () => await status("/readyz"), PATIENT).toBe(200);
  await expect.poll(async () => await deliver(address), PATIENT).toBe(202);
  server.child.kill("SIGINT");
  expect((await server.ended).code).toBe(0);
});

test("serve that still waits for its database ends at once when it is told to", async () => {
  const desk = await newDesk();
  const server = startServe(desk, "postgres://nobody@127.0.0.1:1/x", ["--role", "planner"]);
  await expect.poll(() => server.said.err, PATIENT).toContain("not there yet");
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("a worker without a coding agent carries nothing out, and says so", async () => {
  const desk = await newDesk();
  const { connection } = await freshDatabase();
  const { url } = await lineTo(connection);
  const server = startServe(desk, url, ["--role", "worker"]);
  expect(await server.announced()).toMatchObject({ address: null, roles: ["worker"] });
  expect(server.said.err).toContain("no coding agent is configured, so nothing is carried out");
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("who asks a second time does not wait for what is under way", async () => {
  const desk = await newDesk();
  const { connection } = await freshDatabase();
  const { url } = await lineTo(connection);
  const server = startServe(desk, url, ["--role", "web"]);
  const { hostname, port } = new URL(await server.address());
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const cut = new Promise((resolve) => socket.on("close", resolve));
  socket.write("POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n{");
  // From here on the server is reading the body.
  await new Promise((resolve) => socket.once("data", resolve));
  server.child.kill("SIGTERM");
  await expect.poll(() => server.said.err, PATIENT).toContain("stopping");
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(130);
  await cut;
});

describe("serve refuses to start", () => {
  const refused: [args: string[], env: Record<string, string>, says: RegExp][] = [
    [["--role", "web,planer"], {}, /there is no role “planer”; did you mean “planner”\?/],
    [["--role", ","], {}, /--role needs at least one of web, planner, worker/],
    [["--port", "http"], {}, /--port must be a number from 0 to 65535, not “http”/],
    [[], { RELAY_PORT: "70000" }, /RELAY_PORT: /],
    [[], { GITHUB_WEBHOOK_SECRET: "short" }, /shorter than 16 characters .*`openssl rand -hex 32`/],
    [[], { GITHUB_WEBHOOK_SECRET: "", GITHUB_TOKEN: "t" }, /GITHUB_WEBHOOK_SECRET is not set.*`openssl rand -hex 32`/],
    [
      [],
      { GITHUB_WEBHOOK_SECRET: "", GITHUB_WEBHOOK_SECRET_FILE: "/nowhere" },
      /cannot read \/nowhere, which GITHUB_WEBHOOK_SECRET_FILE/,
    ],
    [["--host", "192.0.2.1"], {}, /192\.0\.2\.1 is no address of this machine/],
  ];
  test.each(some(refused))("with %j and %j", async (args, env, says) => {
    const desk = await newDesk();
    const started = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", GITHUB_WEBHOOK_SECRET: SECRET, ...env };
    const ended = await relay(desk, ["serve", ...args], { env: started });
    expect(ended).toMatchObject({ code: 2, out: "", err: expect.stringMatching(says) });
  });

  test("where another program has the port", async () => {
    const desk = await newDesk();
    const { address } = await startWeb();
    const { port } = new URL(address);
    const started = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x" };
    const ended = await relay(desk, ["serve", "--port", port], { env: started });
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining(`127.0.0.1:${port} is in use`) });
  });

  test("with a database that refuses it", async () => {
    const desk = await newDesk();
    const file = join(desk.folder, "relay.yaml");
    const { connection } = await freshDatabase();
    const { url } = await lineTo(connection);
    await writeFile(file, `database_url: ${url.replace(/[^/]*$/, "no_such_database")}\nserver: {port: 0}\n`);
    const ended = await relay(desk, ["serve"]);
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining("the database refuses") });
  });
});
