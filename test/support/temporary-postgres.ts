import { spawn } from "node:child_process";
import { chmod, mkdtemp, open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/lib/log.ts";
import { sleep } from "../../src/lib/clock.ts";
import { type Connecting, openDatabase } from "../../src/storage/db.ts";
import { findBinaries } from "../../src/storage/embedded/binaries.ts";
import { USER, ensureCluster } from "../../src/storage/embedded/cluster.ts";
import { locateCluster } from "../../src/storage/embedded/location.ts";
import { serverEnvironment } from "../../src/storage/embedded/server-process.ts";
import { SOCKET_PORT, socketFolder } from "../../src/storage/embedded/socket.ts";

/**
 * Nothing here outlives the run, so nothing needs to be safe from a power cut: databases of tests come and go in a
 * fraction of the time.
 */
const SETTINGS = {
  fsync: "off",
  max_wal_size: "256MB",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  shared_buffers: "32MB",
  max_connections: "200",
  timezone: "UTC",
  listen_addresses: "",
  unix_socket_permissions: "0700",
};
const PATIENCE_MS = 60_000;
const MEMORY = "/dev/shm";
/** Bytes: far more than the databases of the tests that run at one time. */
const ROOM = 4 * 1024 ** 3;

/** The longest that the processes of a server need to end: tenths of a second. */
const LAST_BREATH = 100;
/**
 * Waits for its input to end, as it does with this program, however that ends; then ends the server and takes all away.
 */
const UNDERTAKER = `
  server=$1; shift
  read -r _
  kill -QUIT "$server" 2>/dev/null
  for _ in $(seq ${LAST_BREATH}); do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
  rm -rf "$@"`;

export interface FleetingServer {
  connection: Connecting;
  /** Ends it at once and takes all its data away. */
  close(): Promise<void>;
}

/** In memory where there is room: the hundreds of files of a database are made there in a fraction of the time. */
async function fleetingFolder(): Promise<string> {
  const room = await statfs(MEMORY)
    .then(({ bavail, bsize }) => bavail * bsize)
    .catch(() => 0);
  return room > ROOM ? MEMORY : tmpdir();
}

/** The embedded PostgreSQL as a server of tests, in a folder of their own. */
export async function startTemporaryPostgres(): Promise<FleetingServer> {
  const home = await mkdtemp(join(await fleetingFolder(), "relay-test-"));
  // The account that runs the server where root does not gets through.
  await chmod(home, 0o711);
  const place = await locateCluster(home, findBinaries(), silentLog);
  await ensureCluster(place, "socket");
  const host = await socketFolder(place.folder, place.account);
  const settings = { ...SETTINGS, unix_socket_directories: `"${host}"` };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = await open(join(place.folder, "server.log"), "a");
  const server = spawn(place.binaries.postgres, ["-D", place.data, "-p", String(SOCKET_PORT), ...options], {
    cwd: place.folder,
    env: serverEnvironment(),
    stdio: ["ignore", log.fd, log.fd],
    ...place.account,
  });
  const ended = new Promise<void>((resolve) => server.on("close", () => resolve()));
  await log.close();
  const connection = { host, port: SOCKET_PORT, user: USER, database: "postgres" };
  const last = ["-c", UNDERTAKER, "sh", String(server.pid), place.folder, home];
  // In a group of its own: a signal to all of this one leaves it.
  const undertaker = spawn("sh", last, { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  const buried = new Promise<void>((resolve) => undertaker.on("close", () => resolve()));
  const close = async () => {
    undertaker.stdin.end();
    await Promise.all([ended, buried]);
  };
  for (let waited = 0; ; waited += 20) {
    const db = openDatabase(connection, 1);
    const answers = await db.execute("select 1", []).catch(() => null);
    await db.close();
    if (answers !== null) return { connection, close };
    if (server.exitCode !== null || waited > PATIENCE_MS) {
      throw new Error(`the server of the tests does not start; see ${place.folder}/server.log`);
    }
    await sleep(20);
  }
}
