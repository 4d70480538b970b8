import { randomUUID } from "node:crypto";
import {
  chmod,
  chown,
  cp,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { type Account, reachable, reaches, systemAccount } from "./account.ts";
import { type Binaries, binariesIn } from "./binaries.ts";
import { exec } from "../../lib/exec.ts";

/** The location of a home's cluster, and the account and programs that run it. */
export interface ClusterLocation {
  /** Holds `data`, the socket and the server's log; belongs to the server's account. */
  folder: string;
  /** `folder/data`, the cluster itself. */
  data: string;
  binaries: Binaries;
  /** Null if Relay's own account runs the server. */
  account: Account | null;
}

/**
 * How clients connect: a Unix socket in a folder that only the server's account may enter, or, on Windows, a port on
 * the loopback address with a password.
 */
export type Transport = "socket" | "loopback";

/** A file in the home that names the database folder if it is outside the home. */
const POINTER = "postgres-is-at";

/**
 * Finds the location of a home's cluster, or prepares a new one. As root, a cluster runs as its owner, a new one as the
 * account `postgres`; if that account cannot access the home, the cluster is kept in `/var/lib/relay`, and a file in
 * the home says where. Throws `config` if the existing cluster cannot be used, `io` if none can be created.
 */
export async function locateCluster(home: string, binaries: Binaries, log: Log): Promise<ClusterLocation> {
  try {
    await mkdir(home, { recursive: true });
    const real = await realpath(home);
    const own = join(real, "postgres");
    const pointed = await readPointer(join(home, POINTER));
    if (process.getuid?.() !== 0) return await ownPlace(pointed ?? own, binaries);
    const owner = await ownerOf(join(pointed ?? own, "data"));
    const account = owner ?? (await systemAccount());
    const reached = await reachable(account, [real, binaries.postgres, copyOf(binaries).postgres]);
    const below = async () => (reached.has(real) ? own : await folderOutside(home, own, owner, log));
    const folder = pointed ?? (await below());
    await prepareFolder(folder, account);
    return {
      folder,
      data: join(folder, "data"),
      binaries: await reachableBinaries(binaries, account, reached),
      account,
    };
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError(
      "io",
      `cannot make the database folder for ${home}: ${messageOf(cause)}; make it writable, or set RELAY_HOME`,
      { cause },
    );
  }
}

/** Whether a home has a cluster; creates nothing. */
export async function hasCluster(home: string): Promise<boolean> {
  const folder = (await readPointer(join(home, POINTER))) ?? join(home, "postgres");
  return await stat(join(folder, "data")).then(
    () => true,
    () => false,
  );
}

async function ownPlace(folder: string, binaries: Binaries): Promise<ClusterLocation> {
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  const { uid, mode } = await stat(folder);
  if (process.getuid && uid !== process.getuid()) {
    throw new RelayError(
      "config",
      `the database in ${folder} belongs to another account (its number is ${uid}); run Relay as that one or as root, or set RELAY_HOME`,
    );
  }
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
  return { folder, data: join(folder, "data"), binaries, account: null };
}

/**
 * As root, for a home that the account cannot access: a new folder outside, unless the cluster is in the home already.
 */
async function folderOutside(home: string, own: string, owner: Account | null, log: Log): Promise<string> {
  if (owner === null) return await elsewhere(home, log);
  throw new RelayError(
    "config",
    `the database in ${own} belongs to the account ${owner.uid}, which can no longer reach it; let it through the folders above (chmod o+x), or set RELAY_HOME`,
  );
}

/** Gives a new or empty folder to the account; never touches another account's files. */
async function prepareFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  const { uid, mode } = await stat(folder);
  if (uid !== account.uid) {
    if (!(await lstat(folder)).isDirectory() || (await readdir(folder)).length > 0) {
      throw new RelayError(
        "config",
        `the database folder ${folder} belongs to another account (its number is ${uid}); give it to ${account.uid}, move it away, or set RELAY_HOME`,
      );
    }
    await chown(folder, account.uid, account.gid);
  }
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** Owner of the cluster; null if there is none, or root owns it. */
async function ownerOf(data: string): Promise<Account | null> {
  const found = await stat(data).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
  return found === null || found.uid === 0 ? null : { uid: found.uid, gid: found.gid };
}

/**
 * A folder per home, created once, with a random name: a home that was deleted and recreated must not find the old
 * data.
 */
async function elsewhere(home: string, log: Log): Promise<string> {
  const pointer = join(home, POINTER);
  const folder = join(await systemFolder(), randomUUID());
  const draft = `${pointer}.${randomUUID()}`;
  await mkdir(folder, { mode: 0o700 });
  await writeFile(draft, `${folder}\n`);
  try {
    // Atomic: one of several concurrent attempts creates the whole file.
    await link(draft, pointer);
  } catch (error) {
    await rmdir(folder);
    const first = await readPointer(pointer);
    if (first === null) throw error;
    return first;
  } finally {
    await unlink(draft);
  }
  log.info({ home, folder }, "the server's account cannot reach the data directory, the database is kept outside");
  return folder;
}

/** A pointer may come with a cloned repository, and Relay runs and writes what it names: accept only our own names. */
async function readPointer(pointer: string): Promise<string | null> {
  const text = await readFile(pointer, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const folder = text.trim();
  const name = folder.startsWith(`${SYSTEM_FOLDER}/`) ? folder.slice(SYSTEM_FOLDER.length + 1) : "";
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(name)) {
    throw new RelayError("config", `${pointer} does not name a database folder of Relay; remove that file`);
  }
  const there = await stat(folder).catch(() => null);
  if (there) return folder;
  throw new RelayError(
    "config",
    `the database that ${pointer} names, ${folder}, is not there; bring it back, or remove that file to begin with an empty one`,
  );
}

function ignoreExisting(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}

/** For files that the server's account cannot access in place, such as below root's home. */
const SYSTEM_FOLDER = "/var/lib/relay";

async function systemFolder(): Promise<string> {
  // The server's account must get through regardless of the umask; an existing folder keeps its mode.
  if (await mkdir(SYSTEM_FOLDER, { recursive: true })) await chmod(SYSTEM_FOLDER, 0o755);
  return SYSTEM_FOLDER;
}

/** The location of the copied programs. */
function copyOf({ version }: Binaries): Binaries {
  return binariesIn(join(SYSTEM_FOLDER, `postgres-${version}`), version);
}

/**
 * Programs that the account can run: the installed ones, or a copy made once per version. `reached`: which of them it
 * is known to access.
 */
async function reachableBinaries(
  binaries: Binaries,
  account: Account,
  reached: ReadonlySet<string>,
): Promise<Binaries> {
  if (reached.has(binaries.postgres)) return binaries;
  const copied = copyOf(binaries);
  if (reached.has(copied.postgres)) return copied;
  await systemFolder();
  if (!(await stat(copied.postgres).catch(() => null))) await copy(binaries.root, copied.root);
  if (await reaches(account, copied.postgres)) return copied;
  throw new RelayError(
    "config",
    `the account “postgres” cannot run ${copied.postgres}; let it through (chmod o+rx), or set DATABASE_URL`,
  );
}

async function copy(from: string, target: string): Promise<void> {
  const draft = `${target}.${randomUUID()}`;
  try {
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await exec("chmod", ["-R", "a+rX", draft]);
    // A concurrent copy may have won; then its folder is used.
    await rename(draft, target).catch(() => null);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
