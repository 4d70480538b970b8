import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Connecting, type Database, openDatabase } from "../../src/storage/db.ts";
import { openEmbedded } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrate.ts";
import { newItem } from "../../test/mock-github/effects/issues.ts";
import { type MockGithub, startMockGithub } from "../../test/mock-github/server.ts";
import type { Comment } from "../../test/mock-github/world/entities.ts";
import { addManyIssues } from "../../test/support/many-issues.ts";

export interface Size {
  name: string;
  repositories: number;
  issues: number;
  /** All issues wait for people, instead of most being over. */
  allWait?: boolean;
}

const MESSAGES = 10;
export const SECRET = "a secret of some length";
export const METRICS_TOKEN = "metrics of some length";
/** Characters of a commit's name. */
const SHA = 40;
const TOKEN = "ghp_relay";
const CODE = { "src/total.ts": "export const total = (lines: number[]) => lines.reduce((a, b) => a + b, 0);\n" };

/** What is open, the last first; each is closed once. */
const open: (() => Promise<void>)[] = [];

/** Closes what is open still. */
export async function cleanUp(): Promise<void> {
  for (const close of open.toReversed()) await close();
}

/** Has something closed by the returned function, or by `cleanUp`. */
export function closing(close: () => Promise<unknown>): () => Promise<void> {
  const once = async () => {
    const at = open.indexOf(once);
    if (at >= 0) open.splice(at, 1);
    if (at >= 0) await close();
  };
  open.push(once);
  return once;
}

/** A server of databases: the one of `DATABASE_URL`, or the embedded one, gone with its data when it is closed. */
export async function openServer(): Promise<{ connection: Connecting; close: () => Promise<void> }> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined)
    return { connection: { connectionString: given }, close: async () => await Promise.resolve() };
  const home = await mkdtemp(join(tmpdir(), "relay-bench-"));
  const embedded = await openEmbedded({ home, log: silentLog });
  const close = closing(async () => {
    await embedded.close();
    await rm(home, { recursive: true, force: true });
  });
  return { connection: embedded.connection, close };
}

/** A database of one size, a GitHub on loopback that knows what is open in it, and what a process of Relay needs. */
export interface Stage {
  size: Size;
  db: Database;
  connection: Connecting;
  mock: MockGithub;
  env: Record<string, string>;
  close: () => Promise<void>;
}

export async function openStage(size: Size, server: Connecting): Promise<Stage> {
  const name = `relay_scale_${size.name.toLowerCase()}_${randomBytes(4).toString("hex")}`;
  const root = openDatabase(server, 1);
  await root.execute(`create database ${name}`, []);
  const connection = databaseOn(server, name);
  const db = openDatabase(connection);
  const folder = await mkdtemp(join(tmpdir(), "relay-bench-"));
  const mock = await startMockGithub({ seed: { users: ["ann", "bob", "relay"], organizations: ["acme"] } });
  const close = closing(async () => {
    await mock.close();
    await db.close();
    await root.execute(`drop database ${name} with (force)`, []);
    await root.close();
    await rm(folder, { recursive: true, force: true });
  });
  try {
    await migrate(db, join(import.meta.dirname, "../../migrations"));
    const baseUrl = new URL(mock.url).origin;
    const integration = { workspace: "default", provider: "github", baseUrl, botUsername: "relay" } as const;
    await addManyIssues(db, { ...size, messagesPerIssue: MESSAGES, integration });
    if (size.allWait === true) await db.execute("update issues set state = 'clarifying', resumes_as = null", []);
    await fillGithub(mock, db, await codeIn(join(folder, "code")), size);
    const env = {
      DATABASE_URL: urlOf(connection),
      RELAY_HOME: join(folder, "home"),
      RELAY_SPEC_ROOT: join(folder, "specs"),
      GITHUB_API_URL: mock.url,
      GITHUB_TOKEN: TOKEN,
      GITHUB_WEBHOOK_SECRET: SECRET,
      // What GitHub allows would be all that is measured.
      GITHUB_WRITES_PER_MINUTE: "100000",
      RELAY_LOG_LEVEL: "error",
      RELAY_METRICS_TOKEN: METRICS_TOKEN,
    };
    return { size, db, connection, mock, env, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function databaseOn(server: Connecting, database: string): Connecting {
  if (!("connectionString" in server)) return { ...server, database };
  const url = new URL(server.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

function urlOf(connection: Connecting): string {
  if ("connectionString" in connection) return connection.connectionString;
  const { host, port = 5432, user, database } = connection;
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

async function codeIn(folder: string): Promise<string> {
  await mkdir(join(folder, "src"), { recursive: true });
  for (const [path, text] of Object.entries(CODE)) await writeFile(join(folder, path), text);
  const by = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  const commands = [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    [...by, "commit", "--quiet", "-m", "x"],
  ];
  for (const args of commands) {
    const { code, stderr } = await exec("git", ["-C", folder, ...args]);
    if (code !== 0) throw new Error(stderr);
  }
  return folder;
}

const openIssueRow = z.object({
  id: z.string(),
  n: z.number(),
  project: z.string(),
  state: z.string(),
  title: z.string(),
});

/** Its issues and pull requests are those that Relay is not done with; their threads are equal. */
async function fillGithub(mock: MockGithub, db: Database, cloneUrl: string, size: Size): Promise<void> {
  const { world } = mock;
  const collaborators = { relay: "write", ann: "read", bob: "write" } as const;
  const names = Array.from({ length: size.repositories }, (_, n) => `acme/many-${n + 1}`);
  mock.plant({
    repositories: names.map((name) => ({ name, private: false, cloneUrl, collaborators })),
    tokens: [{ token: TOKEN, login: "relay" }],
  });
  world.limits.limit = 900_000_000;
  const repositories = new Map(names.map((name) => [name, world.repository(name)]));
  await db.execute(
    `update repositories r set stable_id = known.id, clone_source = $3
     from unnest($1::text[], $2::text[]) known(name, id) where r.external_project_id = known.name`,
    [names, [...repositories.values()].map(({ id }) => String(id)), cloneUrl],
  );
  const issues = await db.query(
    openIssueRow,
    `select s.id, s.external_issue_id::integer as n, r.external_project_id as project, s.state, s.title
     from issues s join repositories r on r.id = s.repository_id where s.state not in ('done', 'closed')`,
    [],
  );
  await db.execute(
    `update messages m set external_id = s.external_issue_id::bigint * 1000 + m.seq from issues s
     where s.id = m.issue_id and s.state not in ('done', 'closed')`,
    [],
  );
  await db.execute(`update runs r set head = rpad(r.head, ${SHA}, '0')`, []);
  const relay = { login: "relay", appId: null };
  for (const { n, project, state, title } of issues) {
    const repository = repositories.get(project);
    if (repository === undefined) continue;
    const ann = { login: "ann", appId: null };
    repository.lastNumber = n - 1;
    const item = newItem(world, repository, ann, title, "The sum of its lines differs. ".repeat(10));
    item.assignees = ["relay"];
    item.comments = Array.from({ length: MESSAGES }, (_, k) => commentOf(n, k + 1, world.now()));
    if (state !== "in_review") continue;
    repository.lastNumber = 1_000_000 + n - 1;
    const request = newItem(world, repository, relay, title, `Closes #${n}.`);
    const headSha = shaOf(n);
    repository.branches.set(`fix/${n}-total`, headSha);
    request.pull = {
      id: world.nextId(),
      headRepository: repository.id,
      head: `fix/${n}-total`,
      headSha,
      base: "main",
      baseSha: world.newSha(),
      draft: false,
      mergeable: true,
      mergedAt: null,
      mergedBy: null,
      reviewers: [],
      reviews: [],
      comments: [],
      resolved: new Set(),
    };
  }
}

function shaOf(n: number): string {
  return createHash("md5").update(String(n)).digest("hex").padEnd(SHA, "0");
}

function commentOf(n: number, k: number, at: Date): Comment {
  const author = ["bob", "ann", "relay"][k % 3] ?? "bob";
  const body = "It is the rounding of each line. ".repeat(8);
  return { id: n * 1000 + k, author, body, appId: null, createdAt: at, updatedAt: at, reactions: [] };
}
