import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { z } from "zod";
import { isStatusComment } from "../../../src/domain/marker.ts";
import { exec } from "../../../src/lib/exec.ts";
import type { Database } from "../../../src/storage/db.ts";
import { connectAgain, freshDatabase } from "../../support/database.ts";
import { lineTo } from "../../support/database-proxy.ts";
import { startGitServer } from "../../support/git-server.ts";
import { newDesk } from "../cli-harness.ts";
import { startGithubWorld } from "./github-world.ts";
import { startGitlabWorld } from "./gitlab-world.ts";
import { waitUntilIdle } from "./idle.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import { type Processes, startProcesses } from "./processes.ts";
import type { World } from "./world.ts";

const PATIENT = { timeout: Number(process.env["RELAY_TEST_PATIENCE_MS"] ?? 90_000), interval: 100 };
export const PLACES = ["GitHub", "GitHub, as an App", "GitLab"] as const;
export type Place = (typeof PLACES)[number];

/** A Relay that serves one project, with all that goes wrong in it turned by hand. */
export interface Stage {
  world: World;
  processes: Processes;
  /** Its only connection to the database. */
  db: Database;
  /** Waits until Relay has nothing left to do for an issue. */
  settles(issue: number): Promise<void>;
}

/** In mode `implement`, without a worker: what is agreed stays queued. */
export async function openStage(place: Place, roles: Record<string, string>): Promise<Stage> {
  const desk = await newDesk();
  const served = join(desk.folder, "served");
  await exec("git", ["clone", "--quiet", "--bare", desk.repository, join(served, "shop.git")]);
  const git = await startGitServer(served);
  onTestFinished(async () => await git.close());
  const balancer = await openLoadBalancer();
  const cloneUrl = `${git.origin}/shop.git`;
  const world =
    place === "GitLab"
      ? await startGitlabWorld(balancer.url, cloneUrl)
      : await startGithubWorld(desk.folder, balancer.url, { cloneUrl, app: place !== "GitHub" });
  const work = { agent: "command", command: ["false"], sandbox: "none" };
  await writeFile(join(desk.folder, "relay.yaml"), JSON.stringify({ mode: "implement", work }));
  const { connection } = await freshDatabase();
  const db = connectAgain(connection, 1);
  const { url } = await lineTo(connection);
  const usual = { BOT_IDLE_MINUTES: "0.005", RELAY_APPROVAL_THUMBS_UP: "false", RELAY_CONCURRENCY: "16" };
  const processes = startProcesses(desk, roles, { env: { ...world.env, ...usual, DATABASE_URL: url }, balancer });
  await processes.ready();
  onTestFailed(() => {
    for (const { name, text } of processes.logs()) console.error(`${name}:\n${text.slice(-8_000)}`);
  });
  return {
    world,
    processes,
    db,
    settles: async (issue) => {
      const idle = await waitUntilIdle(async (look) => await look(db), PATIENT.timeout, String(issue));
      if (!idle) throw new Error("Relay always has something left to do for it");
    },
  };
}

/** One issue, and what people do and see there. */
export interface Scene {
  issue: number;
  /** What Relay holds it for; null where it does not know it. */
  state(): Promise<string | null>;
  reaches(state: string): Promise<void>;
  /** Until it was in a state that may be over by now. */
  passes(state: string): Promise<void>;
  says(as: string, body: string): Promise<number>;
  /** Relay's own comments beside the status comment, which is edited whenever there is time for it. */
  own(): Promise<string[]>;
  /** What its comments are, in order. */
  kinds(): Promise<string[]>;
  /** Its markers that are there more than once. */
  twice(): Promise<string[]>;
  does(as: string, what: "close" | "reopen" | "assign" | "unassign"): Promise<void>;
  edits(as: string, comment: number, body: string): Promise<void>;
  deletes(as: string, comment: number): Promise<void>;
  /** Makes the issue Relay's: by assigning it, or by a mention where an App cannot be assigned. */
  calls(): Promise<void>;
  /** Until so many comments of Relay's are there. */
  has(own: number): Promise<void>;
  /** When Relay asked for comments of its own, in milliseconds. */
  posted(): Promise<number[]>;
  /** When Relay read something of it, in milliseconds. */
  read(): Promise<number[]>;
  /** Until it has asked for so many in all. */
  posts(many: number): Promise<void>;
}

const MARKER = /<!-- relay:(\S+) -->\s*$/;

function markersOf(bodies: readonly string[]): string[] {
  return bodies.map((body) => MARKER.exec(body)?.[1] ?? "none");
}

/** Ann reports something vague; nobody has called Relay yet. */
export async function openScene({ world, db }: Stage): Promise<Scene> {
  const opened = await world.act({
    do: "open",
    as: "ann",
    title: "Wrong total in the cart",
    body: "The total is wrong.",
    assigned: false,
  });
  const { issue } = z.object({ issue: z.number() }).parse(opened);
  const state = async () => {
    const rows = await db.query(
      z.object({ state: z.string() }),
      "select state from issues where external_issue_id = $1",
      [String(issue)],
    );
    return rows[0]?.state ?? null;
  };
  const comments = async () => (await world.look()).find(({ number }) => number === String(issue))?.comments ?? [];
  const all = async () => (await comments()).filter(({ author }) => author === world.bot).map(({ body }) => body);
  const own = async () => (await all()).filter((body) => !isStatusComment(body));
  const requested = async (method: string, path: RegExp) =>
    (await world.requests()).filter((one) => one.method === method && path.test(one.path)).map(({ at }) => at);
  const posted = async () => await requested("POST", new RegExp(`/issues/${issue}/(comments|notes|discussions)$`));
  const says = async (as: string, body: string) => {
    const said = await world.act({ do: "comment", as, issue, body });
    return z.object({ comment: z.number() }).parse(said).comment;
  };
  return {
    issue,
    state,
    reaches: async (wanted) => await expect.poll(state, PATIENT).toBe(wanted),
    passes: async (wanted) => {
      const passed = async () =>
        await db.query(
          z.object({}),
          `select from audit_log a join issues i on i.id = a.issue_id
           where i.external_issue_id = $1 and a.what = 'state.changed' and a.after #>> '{}' = $2`,
          [String(issue), wanted],
        );
      await expect.poll(passed, PATIENT).not.toEqual([]);
    },
    says,
    own,
    kinds: async () => markersOf(await own()).map((marker) => marker.split(":")[0] ?? ""),
    twice: async () => {
      const markers = markersOf(await all());
      return markers.filter((marker, at) => markers.indexOf(marker) !== at);
    },
    does: async (as, what) => void (await world.act({ do: what, as, issue })),
    edits: async (as, comment, body) => void (await world.act({ do: "edit_comment", as, issue, comment, body })),
    deletes: async (as, comment) => void (await world.act({ do: "delete_comment", as, issue, comment })),
    calls: async () => {
      if (world.bot.endsWith("[bot]")) await says("mia", `@${world.bot.slice(0, -"[bot]".length)} please have a look.`);
      else await world.act({ do: "assign", as: "mia", issue });
    },
    has: async (many) => await expect.poll(async () => (await own()).length, PATIENT).toBeGreaterThanOrEqual(many),
    posted,
    read: async () => await requested("GET", new RegExp(`/issues/${issue}(/|\\?|$)`)),
    posts: async (many) => await expect.poll(async () => (await posted()).length, PATIENT).toBeGreaterThanOrEqual(many),
  };
}

/** Relay has asked what is unclear. */
export async function asked(stage: Stage): Promise<Scene> {
  const scene = await openScene(stage);
  await scene.calls();
  await scene.reaches("clarifying");
  return scene;
}

/** Relay has posted its plan. */
export async function planned(stage: Stage): Promise<Scene> {
  const scene = await asked(stage);
  await nextSecond();
  await scene.says("mia", "go ahead");
  await scene.reaches("waiting_confirmation");
  return scene;
}

/** Nobody answers in the second in which something comes, and GitHub knows no parts of one. */
export async function nextSecond(): Promise<void> {
  const begun = Math.floor(Date.now() / 1_000);
  await expect.poll(() => Math.floor(Date.now() / 1_000), PATIENT).toBeGreaterThan(begun);
}
