import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { readDatabaseUrl } from "../config/database-url.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Connecting } from "../storage/db.ts";
import { hasCluster } from "../storage/embedded/location.ts";
import { openEmbedded } from "../storage/embedded/server.ts";

/** The database given, or the embedded one of the data directory. */
export async function connect(
  config: Config,
  log: Log,
): Promise<{ connection: Connecting; location: string; leave: () => Promise<void> }> {
  await prepareHome(config.home);
  if (config.database_url !== undefined) {
    const { host, database } = readDatabaseUrl(config.database_url) ?? { host: "", database: "" };
    const location = `${host}/${database}`;
    return { connection: { connectionString: config.database_url }, location, leave: async () => {} };
  }
  const server = await openEmbedded({ home: config.home, log });
  return { connection: server.connection, location: server.folder, leave: async () => await server.close() };
}

/** Whether there is a database that `connect` would open rather than make. */
export async function hasDatabase(config: Config): Promise<boolean> {
  return config.database_url !== undefined || (await hasCluster(config.home));
}

/** Folders that earlier versions made readable for everybody. */
const ONCE_OPEN = ["index", "queue", "state"];

/**
 * The data directory ignores itself in the repository that it may be in, and is for its own account alone (R-SAFE-10).
 * Other accounts may pass through that of root, as the one of the embedded database has to, but read nothing in it.
 */
export async function prepareHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true });
    await shut(home, process.getuid?.() === 0 ? 0o711 : 0o700);
    for (const name of ONCE_OPEN) await shut(join(home, name), 0o700);
    await writeFile(join(home, ".gitignore"), "*\n");
  } catch (cause) {
    throw new RelayError(
      "io",
      `cannot write to the data directory ${resolve(home)}: ${messageOf(cause)}; make it writable, or set RELAY_HOME`,
      { cause },
    );
  }
}

/** Takes the rights beyond these from a folder of this account, if it is there. */
async function shut(folder: string, rights: number): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
  if (found === null || found.uid !== process.getuid?.() || (found.mode & 0o777 & ~rights) === 0) return;
  await chmod(folder, found.mode & (0o7000 | rights));
}
