import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { HOSTED } from "../../adapters/trackers/registry.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import { type HeldBranch, holdBranch } from "../../code/mirror/held-branch.ts";
import type { MirrorSource } from "../../code/mirror/remote.ts";
import { prepareHome } from "../data-directory.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { LOGIN_TABLES, copyTables, emptyOwn, pasteTables } from "../../storage/copy-tables.ts";
import type { Database } from "../../storage/db.ts";
import { openEmbedded } from "../../storage/embedded/server.ts";
import { MIGRATIONS } from "../runtime.ts";

const FILE = "state.txt";
const README = `# The state of Relay

\`${FILE}\` is what Relay knows of this repository's issues between two jobs: a copy of its tables. It has the texts of issues
and comments, specs, plans, costs and the log of runs, and no token or key. Each job replaces this commit. If you delete it,
Relay starts over from what the threads show.
`;

/** Relay's tables while a job runs; a branch keeps them between two jobs. */
export interface StateBranch {
  /** Data directory whose embedded database has the tables. */
  home: string;
  /** The same database, which saves everything to the branch before each outside effect (R-IN-12). */
  guarded: (db: Database) => Database;
  /** Whether another job took the branch over; then no outside effect happens any more. */
  isLost: () => boolean;
  /** Saves the tables, releases the branch, and stops the database. */
  close: () => Promise<void>;
}

export interface StateOptions {
  connection: ForgeConnection;
  project: string;
  branch: string;
  home: string;
  leaseMs: number;
  patienceMs: number;
  signal: AbortSignal;
  sleep: (ms: number) => Promise<void>;
  log: Log;
}

/** Takes the branch and fills a database from it; null if another job holds it for longer than the patience. */
export async function openStateBranch(options: StateOptions): Promise<StateBranch | null> {
  const { branch, home, log } = options;
  await prepareHome(options.home);
  await prepareHome(home);
  const held = await holdBranch(await sourceOf(options), {
    ...options,
    branch,
    file: FILE,
    readme: README,
    author: { name: "relay", email: "relay@users.noreply.invalid" },
    holder: randomUUID(),
  }).catch((error: unknown) => {
    throw stateRefused(error, branch);
  });
  if (held === null) return null;
  try {
    const server = await openEmbedded({ home, log });
    try {
      await emptyOwn(server.connection);
      if (held.content !== null) await pasteTables(server.connection, Readable.from([held.content]), MIGRATIONS);
    } catch (error) {
      await server.close();
      throw stateUnreadable(error, branch);
    }
    return stateOn(held, server, home);
  } catch (error) {
    await held.release(null).catch(() => {});
    throw error;
  }
}

/** What refuses Relay its branch, with the branch that it is about. */
export function stateRefused(error: unknown, branch: string): unknown {
  if (!(error instanceof RelayError) || error.code !== "forbidden") return error;
  const { status, accessLost, message } = error;
  const more = { cause: error, accessLost, ...(status === undefined ? {} : { status }) };
  return new RelayError(
    error.code,
    `the branch ${branch}, which keeps Relay's state, cannot be pushed: ${message}`,
    more,
  );
}

/** What is no copy of the tables, with the branch that has it, and what to do. */
export function stateUnreadable(error: unknown, branch: string): unknown {
  if (!(error instanceof RelayError) || error.code !== "invalid") return error;
  const mend = `delete the branch, and Relay starts over from what the threads show (docs/ci.md)`;
  const what = `the branch ${branch} has no state that this version of Relay can read`;
  return new RelayError("invalid", `${what}; run the version that wrote it, or ${mend}`, { cause: error });
}

async function sourceOf({ connection, project }: StateOptions): Promise<MirrorSource> {
  const { cloneUrl } = await (await connection.tracker()).getProject(project);
  const url = new URL(cloneUrl);
  if (url.protocol === "file:") return { url: cloneUrl };
  const { pushNeeds } = HOSTED[connection.provider];
  return {
    url: cloneUrl,
    pushNeeds,
    credential: async (why) => await connection.gitCredential(project, why === "refused"),
  };
}

type Server = Awaited<ReturnType<typeof openEmbedded>>;

function stateOn(held: HeldBranch, server: Server, home: string): StateBranch {
  const copy = async () => await buffer(copyTables(server.connection, MIGRATIONS, { without: LOGIN_TABLES }));
  let next: Promise<void> | null = null;
  let turn = Promise.resolve();
  const keepAfter = async (earlier: Promise<void>) => {
    await earlier;
    next = null;
    await held.keep(await copy());
  };
  /** Calls during a copy share the next one. */
  const keep = async () => {
    if (next === null) {
      next = keepAfter(turn);
      turn = next.catch(() => {});
    }
    await next;
  };
  return {
    home,
    guarded: (db) => ({
      ...db,
      confirmLocks: async () => {
        await db.confirmLocks();
        await keep();
      },
    }),
    isLost: held.isLost,
    close: async () => {
      try {
        await held.release(held.isLost() ? null : await copy());
      } finally {
        await server.close();
      }
    },
  };
}
