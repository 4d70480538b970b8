import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, lstat, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { databaseFolder, isAlive, newHome, serverPid, startUser } from "../../../test/support/embedded-home.ts";
import { sleep } from "../../lib/clock.ts";
import { silentLog } from "../../lib/log.ts";
import { type Database, openDatabase } from "../db.ts";
import { type EmbeddedServer, openEmbedded } from "./server.ts";

const ACCOUNT = z.object({ uid: z.number(), gid: z.number() });

async function open(home: string): Promise<EmbeddedServer & { db: Database }> {
  const server = await openEmbedded({ home, log: silentLog });
  const db = openDatabase(server.connection, 2);
  return {
    ...server,
    db,
    close: async () => {
      await db.close();
      await server.close();
    },
  };
}

async function killServer(home: string): Promise<void> {
  const pid = await serverPid(home);
  if (pid === null) throw new Error("no server runs");
  process.kill(pid, "SIGKILL");
  // Its users may have started another one by now.
  while (await isAlive(pid)) await sleep(10);
}

/** Kills the server, and resolves when another one answers its users: at first what the killed one left may do so. */
async function replaceServer(home: string, db: Database): Promise<void> {
  const bornAt = async () =>
    (await db.one(z.object({ at: z.string() }), "select pg_postmaster_start_time()::text as at", [])).at;
  const former = await bornAt();
  await killServer(home);
  await expect.poll(async () => (await bornAt().catch(() => former)) !== former).toBe(true);
}

async function backendOf(db: Database): Promise<number> {
  return (await db.one(z.object({ pid: z.number() }), "select pg_backend_pid() as pid", [])).pid;
}

test("four programs that open a fresh home at once share one server, and the last one stops it", async () => {
  const home = await newHome();
  const users = [startUser(home), startUser(home), startUser(home), startUser(home)];
  await Promise.all(users.map(async (one) => await one.ended));
  expect(users.map((one) => one.text)).toEqual(Array(4).fill("open\nrows \nclosed\n"));
  expect(await serverPid(home)).toBeNull();
  // Those who lost the race to make it leave nothing behind.
  const names = await readdir(await databaseFolder(home));
  expect(names.toSorted()).toEqual(["data", "server.log", "start.lock"]);
});

test("a server that runs is used by whoever comes, and stays while anybody is there", async () => {
  const home = await newHome();
  const first = startUser(home, "stay");
  await first.said(1);
  const pid = await serverPid(home);
  const second = startUser(home, "stay");
  await second.said(1);
  await first.leave();
  expect(await serverPid(home)).toBe(pid);
  await second.leave();
  expect(second.text).toBe("open\nrows \nclosed\n");
  expect(await serverPid(home)).toBeNull();
});

test("programs that come and go all the time never find the door shut", async () => {
  const home = await newHome();
  const visits = async () => {
    for (let n = 0; n < 15; n += 1) {
      const server = await open(home);
      expect(await server.db.execute("select 1", [])).toBe(1);
      await server.close();
    }
  };
  await Promise.all([visits(), visits(), visits()]);
  expect(await serverPid(home)).toBeNull();
});

test("what was acknowledged before kill -9 is there afterwards, and the server is taken over", async () => {
  const home = await newHome();
  const writer = startUser(home, "write-forever");
  await writer.said(50);
  const pid = await serverPid(home);
  writer.child.kill("SIGKILL");
  await writer.ended;
  const acknowledged = writer.text.split("\n").slice(1, -1);
  expect(await serverPid(home)).toBe(pid);
  const reader = startUser(home);
  await reader.ended;
  const stored = new Set(/rows (.*)/.exec(reader.text)?.[1]?.split(","));
  expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
  expect(await serverPid(home)).toBeNull();
});

test("a server whose users were all killed stops, and one that is still used does not", async () => {
  const home = await newHome();
  const first = startUser(home, "stay", { lookEveryS: 0.5 });
  await first.said(1);
  const second = startUser(home, "stay", { lookEveryS: 0.5 });
  await second.said(1);
  const pid = await serverPid(home);
  first.child.kill("SIGKILL");
  await first.ended;
  await sleep(3_000);
  expect(await serverPid(home)).toBe(pid);
  second.child.kill("SIGKILL");
  await second.ended;
  await expect.poll(async () => await serverPid(home), { timeout: 20_000 }).toBeNull();
  const later = startUser(home);
  await later.ended;
  expect(later.text).toBe("open\nrows \nclosed\n");
});

test("a server that was killed together with its user is started again with all that was acknowledged", async () => {
  const home = await newHome();
  const writer = startUser(home, "write-forever");
  await writer.said(50);
  writer.child.kill("SIGKILL");
  await killServer(home);
  await writer.ended;
  const acknowledged = writer.text.split("\n").slice(1, -1);
  const reader = startUser(home);
  await reader.ended;
  const stored = new Set(/rows (.*)/.exec(reader.text)?.[1]?.split(","));
  expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
});

test("a server that is killed under its users is started again for them, and the last one still stops it", async () => {
  const home = await newHome();
  const server = await open(home);
  const other = startUser(home, "stay");
  await other.said(1);
  await server.db.execute("insert into notes values (7)", []);
  await replaceServer(home, server.db);
  const count = async () => await server.db.execute("select n from notes", []).catch(() => null);
  expect(await count()).toBe(1);
  await other.leave();
  expect(other.text).toBe("open\nrows 7\nclosed\n");
  // Whoever was not registered again yet when the other one left starts the server once more.
  await expect.poll(count).toBe(1);
  await server.close();
  expect(await serverPid(home)).toBeNull();
});

test("what a killed server left running is waited for or ended, and hinders no start", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.db.execute("create table notes (n int)", []);
  await first.db.execute("insert into notes values (7)", []);
  // Neither notices the end of its server: one computes, and one is not let run.
  const [busy, stopped] = [openDatabase(first.connection, 1), openDatabase(first.connection, 1)];
  const orphans = [await backendOf(busy), await backendOf(stopped)];
  const computing = busy.execute("select count(*) from generate_series(1, 10000000000)", []).catch(() => null);
  process.kill(orphans[1] ?? 0, "SIGSTOP");
  await killServer(home);
  const again = await open(home);
  expect(await again.db.execute("insert into notes select n + 1 from notes", [])).toBe(1);
  expect(await computing).toBeNull();
  for (const pid of orphans) await expect.poll(async () => await isAlive(pid)).toBe(false);
  await Promise.all([busy.close(), stopped.close(), first.close()]);
  await again.close();
  expect(await serverPid(home)).toBeNull();
});

test("a pid file that names some other living program of the same account does not hinder the start", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.db.execute("create table notes (n int)", []);
  const pidFile = join(first.folder, "data/postmaster.pid");
  const lines = (await readFile(pidFile, "utf8")).split("\n");
  await killServer(home);
  await first.close();
  const account = ACCOUNT.parse(await stat(first.folder));
  const stranger = spawn("sleep", ["600"], { stdio: "ignore", ...(process.getuid?.() === 0 ? account : {}) });
  onTestFinished(() => void stranger.kill("SIGKILL"));
  await once(stranger, "spawn");
  for (const file of [pidFile, join(first.folder, ".s.PGSQL.5432.lock")]) {
    await writeFile(file, [stranger.pid, ...lines.slice(1)].join("\n"));
    await chown(file, account.uid, account.gid);
  }
  const again = await open(home);
  expect(await again.db.execute("insert into notes values (1)", [])).toBe(1);
  expect(stranger.exitCode).toBeNull();
  await again.close();
});

test("a lock file of the socket alone, naming some other living program or nobody, does not hinder the start", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.close();
  const account = ACCOUNT.parse(await stat(first.folder));
  const stranger = spawn("sleep", ["600"], { stdio: "ignore", ...(process.getuid?.() === 0 ? account : {}) });
  onTestFinished(() => void stranger.kill("SIGKILL"));
  await once(stranger, "spawn");
  for (const text of [`${stranger.pid}\n${first.folder}/data\n`, ""]) {
    const file = join(first.folder, ".s.PGSQL.5432.lock");
    await writeFile(file, text);
    await chown(file, account.uid, account.gid);
    const again = await open(home);
    expect(await again.db.execute("select 1", [])).toBe(1);
    await again.close();
  }
});

test("an empty pid file, as a crash of the machine may leave it, does not hinder the start", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.close();
  const { uid, gid } = await stat(first.folder);
  const pidFile = join(first.folder, "data/postmaster.pid");
  await writeFile(pidFile, "");
  await chown(pidFile, uid, gid);
  const again = await open(home);
  expect(await again.db.execute("select 1", [])).toBe(1);
  await again.close();
});

test("a home whose path is too long for a socket works, and leaves no link behind", async () => {
  const parent = await newHome();
  await chmod(parent, 0o755);
  const home = join(parent, "long".repeat(30));
  const server = await open(home);
  expect(server.folder).toBe(join(home, "postgres"));
  const { host } = server.connection;
  expect((await lstat(host)).isSymbolicLink()).toBe(true);
  expect(await server.db.execute("select 1", [])).toBe(1);
  await server.close();
  await expect(lstat(host)).rejects.toThrow(/ENOENT/);
});

test("where there are no sockets, the server is on a loopback port behind a password", async () => {
  const home = await newHome();
  const users = [startUser(home, "", { transport: "loopback" }), startUser(home, "", { transport: "loopback" })];
  await Promise.all(users.map(async (one) => await one.ended));
  expect(users.map((one) => one.text)).toEqual(Array(2).fill("open\nrows \nclosed\n"));
  expect(await serverPid(home)).toBeNull();

  const server = await openEmbedded({ home, log: silentLog, transport: "loopback" });
  const { host, port, password } = server.connection;
  expect(host).toBe("127.0.0.1");
  expect((await stat(join(server.folder, "password"))).mode & 0o777).toBe(0o600);
  expect(password).toMatch(/^[\w-]{32}$/);
  const stranger = openDatabase({ ...server.connection, password: "guess" }, 1);
  await expect(stranger.execute("select 1", [])).rejects.toThrow(/password authentication failed/);
  await stranger.close();
  const db = openDatabase(server.connection, 1);
  await db.execute("insert into notes values (3)", []);

  await replaceServer(home, db);
  expect(await db.execute("select n from notes", [])).toBe(1);
  await db.close();
  await server.close();
  expect(await serverPid(home)).toBeNull();
  const reopened = await openEmbedded({ home, log: silentLog, transport: "loopback" });
  expect(reopened.connection.password).toBe(password);
  expect(port).toBeGreaterThan(1023);
  await reopened.close();
});
