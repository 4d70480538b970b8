import { createExecutor } from "../../src/engine/transition.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Issue, IssueAddress } from "../../src/domain/issue.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { STATE_LABELS } from "../../src/domain/state-labels.ts";
import { detectLanguage } from "../../src/domain/text/language.ts";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { Explorer } from "../../src/code/index/explorer.ts";
import { openRepository } from "../../src/code/git/repository.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { createOrchestrator } from "../../src/engine/orchestrator.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { inTurns, lockOf, takeJobs } from "../../src/engine/take-jobs.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import type { OperatorLimits } from "../../src/config/repository-file.ts";
import { exec } from "../../src/lib/exec.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { offlinePlanner } from "../../src/planner/rules/planner.ts";
import type { Connecting } from "../../src/storage/db.ts";
import { type MemoryQueue, openMemoryQueue } from "../../src/storage/queue/memory.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";
import { fileRecords } from "../../src/engine/recording/recordings.ts";
import { offlineSpecGenerator } from "../../src/specification/rules/writer.ts";
import { localSpecStore } from "../../src/adapters/spec-stores/local.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { smallness } from "../../src/plan/fast-track.ts";
import { secretsAt, secretsOfIssues } from "../../src/app/code/repository-secrets.ts";
import { settingsReader } from "../../src/app/code/repository-settings.ts";
import { connectRepository, findRepository } from "../../src/storage/repositories.ts";
import { localPeople } from "../../src/adapters/trackers/local/people.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import { freshDatabase } from "./database.ts";

export const BOT = "relay";
const PATIENCE_MS = 120_000;

const FILES = {
  "src/cart.ts": `export function total(prices: number[]): number {
  if (prices.length === 0) throw new Error("cart is empty");
  return prices.reduce((sum, price) => sum + price, 0);
}
`,
  "README.md": "# shop\n",
};

type QueueOn = (connection: Connecting) => Promise<Queue & Partial<Pick<MemoryQueue, "drain">>>;

const inMemory: QueueOn = async (connection) =>
  await openMemoryQueue(connection, { log: silentLog, firstBackoffMs: 1 });

/** The real job engine, for what other processes take part in, or what its connections are tested for. */
export const onPgBoss: QueueOn = async (connection) => await openQueue(connection, { works: true, log: silentLog });

/** A whole Relay on a database, a repository, a tracker and a job engine of its own, with two people in the project. */
export async function openLife(
  change: (deps: OrchestratorDeps) => Partial<OrchestratorDeps> = () => ({}),
  debounceMs = 20,
  files: Record<string, string> = {},
  queueOn: QueueOn = inMemory,
) {
  const { db, connection } = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), "relay-life-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const code = await openRepository(await shop(join(folder, "shop"), { ...FILES, ...files }));
  onTestFinished(async () => await code.close());
  const explorer = await Explorer.open(code.gitDirectory, null);
  onTestFinished(() => explorer.close());
  const clock = systemClock;
  const ids = snowflakes();
  const operator: OperatorLimits = { mode: "plan", fastTrack: false };
  const tracker = localTracker(db, { bot: BOT, clock, ids });
  const people = localPeople(db, { clock, ids });
  const queue = await queueOn(connection);
  onTestFinished(async () => await queue.stop());
  const jobs = jobsOn(async () => await Promise.resolve(queue), { shownAfterMs: { settled: 5, working: 15 } });
  const deps: OrchestratorDeps = {
    db,
    transition: createExecutor({ clock, ids, sendTask: jobs.sendTask, sendStatus: jobs.sendStatus }),
    clock,
    ids,
    log: silentLog,
    sleep: async () => await sleep(1),
    home: join(folder, ".relay"),
    idleMinutes: debounceMs / 60_000,
    labels: STATE_LABELS,
    records: fileRecords(join(folder, ".relay"), { log: silentLog }),
    budgets: { issue: "off", repositoryDay: "off", workspaceMonth: "off", unpricedPerMillion: 5 },
    specStore: localSpecStore({ root: join(folder, "relay_specs"), clock }),
    detectLanguage,
    repositoryOf: async (event) => await findRepository(db, event.provider, event.externalProjectId),
    trackerFor: async () => await Promise.resolve(tracker),
    codeHostFor: async () => await Promise.resolve(tracker),
    settingsOf: settingsReader({ operator, log: silentLog, withCode: async (_, work) => await work(code) }),
    withCode: async (_, work) => await work(code),
    plannerFor: (of) => offlinePlanner(of, async () => await explorer.at(of)),
    generatorFor: offlineSpecGenerator,
    makePlanFor: () => null,
    isSmall: smallness({ clock, indexOf: async (of) => await explorer.at(of) }),
    confirmation: { confirmers: [], thumbsUp: true },
    secretsOf: secretsOfIssues({
      db: () => db,
      home: join(folder, ".relay"),
      clock,
      log: silentLog,
      secretsAt: secretsAt([]),
    }),
    withIssueLock: async (name, work) => await db.withLock(lockOf(name), work),
    jobs,
  };
  const whole = { ...deps, ...change(deps) };
  const orchestrator = createOrchestrator(whole);
  await connectRepository(
    db,
    {
      workspace: "default",
      provider: "local",
      baseUrl: "local",
      botUsername: BOT,
      externalProjectId: "shop",
      cloneSource: code.root,
    },
    { clock, ids },
  );
  await people.createProject("shop");
  await people.setMember("shop", BOT, "write", true);
  await people.setMember("shop", "ann", "read");
  await people.setMember("shop", "mia", "write");
  await takeJobs(
    queue,
    createOrchestrator({ ...whole, withIssueLock: inTurns(db) }),
    2,
    async () => await Promise.resolve(),
  );

  const deliver = async (event: TrackerEvent, id = ids.next()) =>
    await orchestrator.receive({ provider: event.provider, deliveryId: id, contentKey: null, events: [event] });
  const stored = async (address: IssueAddress) => await findIssue(db, address);
  /** Resolves with the issue when all that was delivered is worked off and no wait runs. */
  const settled = async (address: IssueAddress): Promise<Issue> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(5)) {
      await queue.drain?.();
      const issue = await stored(address);
      if (issue && (await orchestrator.isIdle(issue.id))) return await existing(address);
    }
    throw new Error(`the issue did not come to rest: ${JSON.stringify(await stored(address))}`);
  };
  const existing = async (address: IssueAddress): Promise<Issue> => {
    const issue = await stored(address);
    if (!issue) throw new Error("Relay is not engaged in the issue");
    return issue;
  };
  /** Relay's comments, without its status comment. */
  const said = async (address: IssueAddress) =>
    (await tracker.listComments(address, null)).comments
      .filter(({ author, body }) => author === BOT && !isStatusComment(body))
      .map(({ body }) => body);
  /** What its status comment says first, brought up to date. */
  const shown = async (address: IssueAddress) => {
    await orchestrator.updateStatus((await existing(address)).id);
    const { comments } = await tracker.listComments(address, null);
    return (
      comments
        .find(({ body }) => isStatusComment(body))
        ?.body.split("\n")[0]
        ?.trim() ?? null
    );
  };
  const worked = async (address: IssueAddress) => await orchestrator.processDeliveries(address);
  return {
    ...whole,
    operator,
    connection,
    code,
    orchestrator,
    tracker,
    people,
    queue,
    folder,
    deliver,
    stored,
    existing,
    settled,
    said,
    shown,
    worked,
  };
}

export type Life = Awaited<ReturnType<typeof openLife>>;

/** Ann's vague report of a bug. */
export async function report(life: Life, body = "The total is wrong.", title = "Wrong total in the cart") {
  return await life.people.openIssue("shop", {
    number: null,
    title,
    body,
    author: "ann",
    labels: ["bug"],
    assignees: [],
    url: null,
    createdAt: life.clock.now(),
  });
}

async function shop(folder: string, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const git = async (...args: string[]) => {
    const { code, stderr } = await exec("git", ["-C", folder, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  await git("init", "--quiet", "--template=", "--initial-branch=main");
  await git("add", ".");
  await git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "A shop");
  return folder;
}
