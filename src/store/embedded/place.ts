import { createHash, randomUUID } from "node:crypto";
import {
  chown,
  cp,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { binariesIn } from "./binaries.ts";

/** Where the cluster of a home is, and the programs to run it with. */
export interface Place {
  /** Holds `data`, the socket and the server's log; belongs to the server's account. */
  folder: string;
  binaries: Binaries;
}

/** Used where the server's account cannot reach the home or the programs, as below root's own folder. */
const SYSTEM_FOLDER = "/var/lib/relay";
const POINTER = "postgres-is-at";

export async function choosePlace(home: string, binaries: Binaries, account: Account | null, log: Log): Promise<Place> {
  try {
    await mkdir(home, { recursive: true });
    if (account === null) return { folder: await folderFor(join(home, "postgres"), null), binaries };
    const folder = (await reachable(home, account)) ? join(home, "postgres") : await elsewhere(home, log);
    const usable = (await reachable(binaries.postgres, account)) ? binaries : await copyBinaries(binaries);
    return { folder: await folderFor(folder, account), binaries: usable };
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("io", `cannot make the database folder for ${home}: ${messageOf(cause)}`, { cause });
  }
}

/** The path that clients and server use for the socket: the folder itself, or a short link to it (107 bytes is the limit). */
export async function socketFolder(folder: string): Promise<string> {
  if (Buffer.byteLength(folder) <= 80) return folder;
  const short = join(tmpdir(), `relay-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  await symlink(folder, short).catch(async (error: unknown) => {
    if (systemCode(error) === "EEXIST" && (await readlink(short)) === folder) return;
    throw new RelayError("io", `cannot link ${short} to ${folder}: ${messageOf(error)}`, { cause: error });
  });
  return short;
}

async function folderFor(folder: string, account: Account | null): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

/** A new folder of its own for each home: one that was thrown away and made again must not find the old data. */
async function elsewhere(home: string, log: Log): Promise<string> {
  const pointer = join(home, POINTER);
  const folder = join(SYSTEM_FOLDER, randomUUID());
  const known = await readFile(pointer, "utf8").catch(() => null);
  if (known !== null) return known.trim();
  // A link shows the whole text or none, to whoever comes at the same time and after a crash.
  const draft = `${pointer}.${randomUUID()}`;
  try {
    await writeFile(draft, `${folder}\n`);
    await link(draft, pointer);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return (await readFile(pointer, "utf8")).trim();
  } finally {
    await rm(draft, { force: true });
  }
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  log.info({ home, folder }, "the database is kept outside of the data directory, which its account cannot reach");
  return folder;
}

async function copyBinaries(binaries: Binaries): Promise<Binaries> {
  const version = basename(dirname(dirname(binaries.root))) + (await stat(binaries.postgres)).size.toString(36);
  const target = join(SYSTEM_FOLDER, `programs-${version.replaceAll(/[^\w.-]/g, "")}`);
  if (await stat(join(target, "bin")).catch(() => null)) return binariesIn(target);
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  const copy = await mkdtemp(join(SYSTEM_FOLDER, "copying-"));
  await cp(binaries.root, join(copy, "native"), { recursive: true, verbatimSymlinks: true });
  // Whoever comes second finds the folder full and uses it.
  await rename(join(copy, "native"), target).catch(() => null);
  await rm(copy, { recursive: true, force: true });
  return binariesIn(target);
}

/** Whether every folder on the way, and the thing itself, lets the account through. */
async function reachable(path: string, account: Account): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const needed = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & needed) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
