import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { VARIABLES } from "../../src/config/variables.ts";
import { exec } from "../../src/lib/exec.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Database, openDatabase } from "../../src/storage/db.ts";
import { openEmbedded } from "../../src/storage/embedded/server.ts";

const ROOT = join(import.meta.dirname, "../..");
export const EXAMPLES = join(ROOT, "examples");

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  out: string;
  err: string;
}

/** A folder of a test's own, with a clone of the sample repository; databases that were made below it go with it. */
export interface Desk {
  folder: string;
  home: string;
  specs: string;
  repository: string;
  env: Record<string, string>;
}

export async function newDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), "relay-desk-"));
  const home = join(folder, "home");
  const specs = join(folder, "specs");
  const repository = join(folder, "quillbill");
  const desk = { folder, home, specs, repository, env: { RELAY_HOME: home, RELAY_SPEC_ROOT: specs } };
  onTestFinished(async () => {
    // Run by root, the database lies elsewhere, where its account can reach it.
    for (const made of [await clusterOf(desk), folder]) {
      await rm(made, { recursive: true, force: true, maxRetries: 20 });
    }
  });
  const cloned = await exec("git", ["clone", "--quiet", join(EXAMPLES, "sample.bundle"), repository]);
  if (cloned.code !== 0) throw new Error(cloned.stderr);
  await mkdir(home);
  return desk;
}

/** Folder of the desk's database cluster. */
export async function clusterOf(desk: Desk): Promise<string> {
  const elsewhere = await readFile(join(desk.home, "postgres-is-at"), "utf8").catch(() => "");
  return elsewhere.trim() === "" ? join(desk.home, "postgres") : elsewhere.trim();
}

/** Looks into the desk's database, as one more user of it. */
export async function withDatabaseOf<T>(desk: Desk, look: (db: Database) => Promise<T>): Promise<T> {
  const server = await openEmbedded({ home: desk.home, log: silentLog });
  const db = openDatabase(server.connection, 2);
  try {
    return await look(db);
  } finally {
    await db.close();
    await server.close();
  }
}

/** The sample issue, with all that people answer. */
export function specArgs(desk: Desk, issue = join(EXAMPLES, "issue.md")): string[] {
  return ["spec", issue, "--repo", desk.repository, "--answers", join(EXAMPLES, "answers.yaml"), "--json"];
}

const SECRETS = [
  "GITHUB_TOKEN",
  "GITHUB_PRIVATE_KEY",
  "GITHUB_WEBHOOK_SECRET",
  "GITLAB_TOKEN",
  "GITLAB_WEBHOOK_SECRET",
];

/** The variables that could change what a command does, taken out. */
export const QUIET = Object.fromEntries(
  ["RELAY_CONFIG", ...Object.keys(VARIABLES), ...SECRETS.flatMap((name) => [name, `${name}_FILE`])].map((name) => [
    name,
    undefined,
  ]),
);

/** `program`: a Node and the file to start, for another Relay than this checkout's. */
interface Starting {
  env?: Record<string, string>;
  program?: readonly [node: string, file: string];
}

/** Starts `relay` as a user's shell would. */
export function startRelay(desk: Desk, args: readonly string[], options: Starting = {}) {
  const [node, file] = options.program ?? [process.execPath, join(ROOT, "bin/relay.js")];
  const child = spawn(node, [file, ...args], {
    cwd: desk.folder,
    env: { ...process.env, ...QUIET, ...desk.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString("utf8")));
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...said })));
  return { child, said, ended };
}

export async function relay(
  desk: Desk,
  args: readonly string[],
  options: Starting & { input?: string | Buffer } = {},
): Promise<Ended> {
  const started = startRelay(desk, args, options);
  started.child.stdin.end(options.input ?? "");
  return await started.ended;
}
