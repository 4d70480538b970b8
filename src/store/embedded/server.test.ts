import { spawn } from "node:child_process";
import { chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sleep } from "../../lib/clock.ts";
import { silentLog } from "../../lib/log.ts";
import { openDatabase } from "../db.ts";
import { openEmbedded } from "./server.ts";

let home: string;
let folder: string | null;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "relay-embedded-"));
  folder = null;
});

afterEach(async () => {
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

async function open() {
  const server = await openEmbedded({ home, log: silentLog });
  folder = server.folder;
  return server;
}

function user(what = "") {
  const program = join(import.meta.dirname, "../../../test/embedded-user.ts");
  const child = spawn(process.execPath, [program, home, what], { stdio: ["ignore", "pipe", "inherit"] });
  const started = { text: "", child, ended: new Promise<void>((resolve) => child.on("close", () => resolve())) };
  child.stdout.on("data", (chunk: Buffer) => (started.text += chunk.toString("utf8")));
  return started;
}

async function serverIsUp(): Promise<boolean> {
  return await stat(join(folder ?? "", "data", "postmaster.pid")).then(
    () => true,
    () => false,
  );
}

test("four programs that open a fresh home at once share one server, and the last one stops it", async () => {
  const users = [user(), user(), user(), user()];
  await Promise.all(users.map(async (one) => await one.ended));
  expect(users.map((one) => one.text)).toEqual(Array(4).fill("open\nrows \nclosed\n"));
  const server = await open();
  await server.close();
  expect(await serverIsUp()).toBe(false);
});

test("what was acknowledged before kill -9 is there afterwards, and the server is taken over", async () => {
  const writer = user("write-forever");
  while (writer.text.split("\n").length < 50) await sleep(10);
  writer.child.kill("SIGKILL");
  await writer.ended;
  const acknowledged = writer.text.split("\n").slice(1, -1);
  const reader = user();
  await reader.ended;
  const stored = new Set(/rows (.*)/.exec(reader.text)?.[1]?.split(","));
  expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
});

test("a server that was itself killed is started again with all its rows", async () => {
  const first = await open();
  const db = openDatabase(first.connection, 1);
  await db.execute("create table notes (n int)", []);
  await db.execute("insert into notes values (7)", []);
  const pid = Number((await readFile(join(first.folder, "data/postmaster.pid"), "utf8")).split("\n")[0]);
  process.kill(pid, "SIGKILL");
  await db.close();
  await first.close();
  const reader = user();
  await reader.ended;
  expect(reader.text).toContain("rows 7");
});

test("a pid file that names some other living program does not hinder the start", async () => {
  const first = await open();
  await first.close();
  const pidFile = join(first.folder, "data/postmaster.pid");
  await writeFile(pidFile, `${process.pid}\n${first.folder}/data\n1\n5432\n`);
  const { uid, gid } = await stat(first.folder);
  await chown(pidFile, uid, gid);
  const again = await open();
  expect(await serverIsUp()).toBe(true);
  await again.close();
});

test("a folder made by another PostgreSQL is refused with the way out", async () => {
  const first = await open();
  await first.close();
  await writeFile(join(first.folder, "data/PG_VERSION"), "15\n");
  await expect(open()).rejects.toThrow(/made by PostgreSQL 15, this Relay brings 18; dump it/);
});

test("a home whose path is too long for a socket works", async () => {
  home = join(home, "long".repeat(30));
  const server = await open();
  const db = openDatabase(server.connection, 1);
  expect(await db.execute("select 1", [])).toBe(1);
  await db.close();
  await server.close();
});
