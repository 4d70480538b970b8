import { randomBytes, randomUUID } from "node:crypto";
import { chmod, chown, link, readFile, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { ClusterLocation, Transport } from "./location.ts";
import { serverEnvironment, lastErrorLine } from "./server-process.ts";

export const USER = "relay";

const INITDB_LIMIT_MS = 600_000;

/**
 * Creates the cluster if there is none: in a draft folder that is renamed into place, so that it exists completely or
 * not at all, and one of several concurrent attempts wins. Throws `config` if the cluster belongs to another PostgreSQL
 * version, `io` if the disk fails.
 */
export async function ensureCluster(location: ClusterLocation, transport: Transport): Promise<void> {
  await removeAbandoned(location.folder);
  if (await isThere(location)) return;
  const draft = `${location.data}.${process.pid}.${randomUUID()}`;
  const auth =
    transport === "socket"
      ? ["--auth-local=trust", "--auth-host=reject"]
      : ["--auth=scram-sha-256", `--pwfile=${await ensurePassword(location)}`];
  // Case and collation by Unicode alone, the same on every machine.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  try {
    const made = await exec(
      location.binaries.initdb,
      ["-D", draft, "-U", USER, ...auth, ...locale, "--no-instructions"],
      {
        cwd: location.folder,
        env: serverEnvironment(),
        timeoutMs: INITDB_LIMIT_MS,
        ...location.account,
      },
    ).catch(raiseUnrunnable);
    if (made.code !== 0) {
      const reason = lastErrorLine(made.stderr);
      // Containers run programs under user ids without an account.
      if (/could not look up effective user ID/.test(reason)) throw nameless();
      throw new RelayError("io", `cannot make the database in ${location.folder}: ${reason}; fix that and try again`);
    }
    await chmod(draft, 0o700);
    await rename(draft, location.data).catch(async (error: unknown) => {
      if (!(await isThere(location))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isThere({ data, folder, binaries }: ClusterLocation): Promise<boolean> {
  const text = await readFile(join(data, "PG_VERSION"), "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw new RelayError("io", `cannot read the database in ${folder}: ${messageOf(error)}`, { cause: error });
  });
  if (text === null) return false;
  const [major] = binaries.version.split(".");
  if (text.trim() === major) return true;
  throw new RelayError(
    "config",
    `the database in ${folder} was made by PostgreSQL ${text.trim()}, this Relay brings ${major}; dump it with \`relay backup\` of the version that made it, move the folder away, and restore`,
  );
}

/** The file with the random password of a cluster on the loopback address; created once. */
async function ensurePassword({ folder, account }: ClusterLocation): Promise<string> {
  const file = passwordFile(folder);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomBytes(24).toString("base64url"), { mode: 0o600 });
  try {
    if (account) await chown(draft, account.uid, account.gid);
    await link(draft, file).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
  } finally {
    await unlink(draft);
  }
  return file;
}

export function passwordFile(folder: string): string {
  return join(folder, "password");
}

/** Removes drafts whose creators were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = Number(/^data\.(\d+)\b/.exec(name)?.[1] ?? 0);
    if (maker === 0 || isAlive(maker)) continue;
    // Its `initdb` may outlive the creator and keep writing for a moment; leftovers go with the next start.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function nameless(): RelayError {
  return new RelayError(
    "config",
    `the embedded PostgreSQL does not run under user number ${process.getuid?.()}, which has no name on this machine; add it to /etc/passwd, or set DATABASE_URL`,
  );
}

function raiseUnrunnable(cause: unknown): never {
  if (!(cause instanceof RelayError) || cause.code !== "config") throw cause;
  throw new RelayError(
    "config",
    `the embedded PostgreSQL does not run on this machine (${cause.message}); it needs glibc on Linux; set DATABASE_URL to another PostgreSQL`,
    { cause },
  );
}
