import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { z } from "zod";
import { METRICS_TOKEN } from "../support/web-server.ts";
import { answerComment, readAnswers } from "../../src/cli/answers-file.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { exec } from "../../src/lib/exec.ts";
import type { Database } from "../../src/storage/db.ts";
import { parseIssueFile } from "../../src/adapters/trackers/issue-file/parse.ts";
import { emptyDatabase } from "../support/database.ts";
import { lineTo } from "../support/database-proxy.ts";
import { type Seen, startGitServer } from "../support/git-server.ts";
import type { HostedPlace, SeenRequest } from "./hosted-tracker.ts";
import { EXAMPLES, startRelay } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";

export const PATIENT = { interval: 100, timeout: 120_000 };

const announcement = z.object({ address: z.string().nullable() });

/** What the coding agent does: the sample's patch first, then one line more for each further run; `hold` keeps it. */
const AGENT = `
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const [folder, patch] = process.argv.slice(2);
const task = readFileSync(".relay-task/task.md", "utf8");
appendFileSync(folder + "/tasks.jsonl", JSON.stringify(task) + "\\n");
while (existsSync(folder + "/hold")) await new Promise((resolve) => setTimeout(resolve, 100));
if (readFileSync("src/export/period.js", "utf8").includes("dayIn")) execFileSync("git", ["apply", patch]);
else appendFileSync("src/export/period.js", "// Days are as printed.\\n");
writeFileSync(".relay-task/done.md", "The days are exported as printed.");
console.log("Mended the export.");
`;

export interface Serving {
  db: Database;
  place: HostedPlace;
  folder: string;
  /** Loses the database and the data directory, and has empty ones. */
  lose: () => Promise<void>;
  /** Starts a process with these roles; resolves when it serves. */
  start: (roles: string) => Promise<Served>;
  git: (...args: string[]) => Promise<string>;
  /** Each task that the agent was given. */
  tasks: () => Promise<string[]>;
  /** Has runs of the agent wait, or go on. */
  hold: (on: boolean) => Promise<void>;
  pushes: () => Seen[];
  only: () => SeenRequest;
  env: Record<string, string>;
  command: (args: readonly string[]) => Promise<{ code: number | null; out: string; err: string }>;
}

export interface Served {
  address: string | null;
  said: { out: string; err: string };
  signal: (name: "SIGKILL" | "SIGTERM") => Promise<number | null>;
}

/** Everything that a Relay on a hosted tracker needs: the tracker, git with a login, a database, a coding agent. */
export async function openServing(place: HostedPlace): Promise<Serving> {
  const desk = await newSetUpDesk();
  const bare = join(desk.folder, "code.git");
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await exec("git", ["-C", bare, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.toString("utf8").trim();
  };
  await exec("git", ["clone", "--quiet", "--bare", desk.repository, bare]);
  await git("config", "http.receivepack", "true");
  const server = await startGitServer(desk.folder);
  onTestFinished(async () => await server.close());
  server.login = place.login;
  const tell = async () => {
    const refs = await git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads");
    place.setBranches(new Map(refs.split("\n").map((line) => parts(line))));
  };
  server.pushed = tell;
  await tell();
  place.setCode(`${server.origin}/code.git`);
  await writeFile(join(desk.folder, "agent.mjs"), AGENT);
  const patch = join(EXAMPLES, "fix.patch");
  const command = [process.execPath, join(desk.folder, "agent.mjs"), desk.folder, patch];
  const work = { agent: "command", command, sandbox: "none" };
  await writeFile(join(desk.folder, "relay.yaml"), JSON.stringify({ mode: "implement", work }));
  const env = { ...place.env, BOT_IDLE_MINUTES: "0", RELAY_CONCURRENCY: "2", RELAY_METRICS_TOKEN: METRICS_TOKEN };
  const serving: Serving = {
    place,
    db: desk.db,
    folder: desk.folder,
    lose: async () => {
      for (const folder of [desk.home, desk.specs]) await rm(folder, { recursive: true, force: true });
      const { db, connection } = await emptyDatabase();
      desk.env["DATABASE_URL"] = (await lineTo(connection)).url;
      serving.db = db;
    },
    env,
    git,
    start: async (roles) => {
      const { child, said, ended } = startRelay(desk, ["serve", "--port", "0", "--json", "--role", roles], { env });
      onTestFinished(async () => {
        child.kill("SIGKILL");
        await ended;
      });
      onTestFailed(() => console.error(said.err.slice(-8_000)));
      await expect.poll(() => said.out, { ...PATIENT, message: said.err }).toContain("\n");
      const { address } = announcement.parse(JSON.parse(said.out));
      if (address !== null) place.setHook(address);
      const signal = async (name: "SIGKILL" | "SIGTERM") => {
        child.kill(name);
        return (await ended).code;
      };
      return { address, said, signal };
    },
    tasks: async () => {
      const lines = await readFile(join(desk.folder, "tasks.jsonl"), "utf8").catch(() => "");
      return lines.split("\n").flatMap((line) => (line === "" ? [] : z.string().parse(JSON.parse(line))));
    },
    hold: async (on) => {
      const file = join(desk.folder, "hold");
      await exec(on ? "touch" : "rm", on ? [file] : ["-f", file]);
    },
    pushes: () => server.seen.filter(({ method, path }) => method === "POST" && path.endsWith("/git-receive-pack")),
    only: () => {
      const all = place.requests();
      const [request] = all;
      if (request === undefined || all.length > 1) throw new Error(`there are ${all.length} requests`);
      return request;
    },
    command: async (args) => {
      const { child, ended } = startRelay(desk, args, { env });
      child.stdin.end();
      return await ended;
    },
  };
  return serving;
}

function parts(line: string): [string, string] {
  const [name = "", sha = ""] = line.split(" ");
  return [name, sha];
}

/** The state in which Relay has an issue; undefined where it does not know it. */
export async function stateOf({ place, db }: Serving, number: number): Promise<string | undefined> {
  return (await stored({ place, db }, number))?.state;
}

async function stored({ place, db }: Pick<Serving, "place" | "db">, number: number) {
  return await findIssue(db, { ...place, externalProjectId: place.project, externalIssueId: String(number) });
}

export async function reaches(serving: Serving, number: number, state: string): Promise<void> {
  await expect.poll(async () => await stateOf(serving, number), PATIENT).toBe(state);
}

/** What the reporter and a maintainer say of the sample's issue, each when it is time; with the mark, if any. */
export async function sampleIssue(serving: Serving, mark?: string) {
  const { place } = serving;
  const { title, body } = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "issue.md");
  const answers = await readAnswers(join(EXAMPLES, "answers.yaml"));
  const marked = (words: string) => (mark === undefined ? words : `${words} (${mark})`);
  return {
    report: () => place.assign("ruthg", marked(title), marked(body)),
    answer: async (number: number) => {
      await reaches(serving, number, "clarifying");
      const questions = await listGaps(serving.db, (await stored(serving, number))?.id ?? "");
      place.say(number, "ruthg", marked(answerComment(answers, questions)));
    },
    proceed: async (number: number) => {
      await reaches(serving, number, "awaiting_proceed");
      place.say(number, "ruthg", answers.proceed ?? "");
    },
    agree: async (number: number) => {
      await reaches(serving, number, "waiting_confirmation");
      // Nobody reads a plan in the second in which it comes, and GitHub knows no parts of one.
      const planned = Date.now();
      await expect.poll(() => Date.now() - planned, PATIENT).toBeGreaterThan(1_000);
      place.say(number, "mia", "Yes, go ahead.");
    },
  };
}

/** The sample's issue up to the yes: the number of the issue whose task is queued. All that is said of it has the mark, if any. */
export async function agree(serving: Serving, mark?: string): Promise<number> {
  const sample = await sampleIssue(serving, mark);
  const number = sample.report();
  await sample.answer(number);
  await sample.proceed(number);
  await sample.agree(number);
  return number;
}
