import { allIssues } from "../support/all-issues.ts";
import { transitions } from "../support/transitions.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { configWithoutFile } from "../../src/config/config.ts";
import { learnNow, repositoryOf } from "../../src/app/trackers/known-repositories.ts";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { reconcile } from "../../src/intake/reconcile.ts";
import { createReceive } from "../../src/intake/receive.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";
import { silentLog } from "../../src/lib/log.ts";
import { listAudit } from "../../src/storage/audit.ts";
import type { Database } from "../../src/storage/db.ts";
import { listMessages } from "../../src/storage/messages.ts";
import { addPlan } from "../../src/storage/plans.ts";
import { addTask } from "../../src/storage/tasks.ts";
import { listRepositories } from "../../src/storage/repositories.ts";
import { processDeliveries } from "../../src/engine/process-deliveries.ts";
import { freshDatabase } from "../support/database.ts";
import { ISSUE, PROJECT, githubStage } from "../support/github-fixture.ts";

const NEW_NAME = "acme/store";
const states = z.object({ status: z.string() });
const decisions = z.object({ decision: z.string().nullable() });

async function temporaryHome() {
  const home = await mkdtemp(join(tmpdir(), "relay-renamed-"));
  onTestFinished(async () => await rm(home, { recursive: true, force: true }));
  return { home };
}

/** A Relay that works off what it is told of a GitHub, as far as its intake goes. */
async function stage(repositories: string[] = []) {
  const { db } = await freshDatabase();
  const { mock, byToken } = await githubStage();
  mock.act({ do: "assign", as: "ann", repo: PROJECT, number: Number(ISSUE.externalIssueId), login: "relay" });
  const id = String(mock.world.repository(PROJECT).id);
  const now = { clock: systemClock, ids: snowflakes() };
  const jobs: string[] = [];
  const sendEvents = async (sent: { issue: string }[]) =>
    void (await Promise.resolve(jobs.push(...sent.map(({ issue }) => issue))));
  const nothing = async () => await Promise.resolve();
  const receive = createReceive({ db, ...now, enqueue: nothing });
  const connecting = { db, ...now, log: silentLog, workspace: "default", config: await temporaryHome(), sendEvents };
  const connections = new Map([["github" as const, byToken]]);
  const config = configWithoutFile(repositories.length === 0 ? {} : { RELAY_REPOSITORIES: repositories.join(",") });
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: unknown, message: string) => void warnings.push(message) };
  const work = async (project: string) =>
    await processDeliveries(
      { ...ISSUE, externalProjectId: project },
      {
        db,
        ...now,
        log,
        transition: transitions(now),
        detectLanguage: () => "en",
        repositoryOf: async (event) => await repositoryOf(event, connections, config, connecting),
        trackerFor: async () => await byToken.tracker(),
        codeHostFor: async () => await byToken.tracker(),
        withIssueLock: async (_, step) => await step(),
        jobs: { sendEvents, sendAcknowledgements: nothing, setWake: nothing, ensureWakes: nothing },
        debounce: nothing,
        syncLabels: nothing,
      },
    );
  let told = 0;
  const tell = async (project: string, change: Partial<TrackerEvent>) => {
    told += 1;
    const event: TrackerEvent = {
      provider: "github",
      externalProjectId: project,
      externalIssueId: ISSUE.externalIssueId,
      kind: "commented",
      stableProjectId: id,
      actor: "ann",
      actorIsBot: false,
      at: new Date(),
      assignee: null,
      commentId: null,
      threadId: null,
      text: null,
      branch: null,
      outcome: null,
      ...change,
    };
    await receive({ provider: "github", deliveryId: `d${told}`, contentKey: null, events: [event] });
  };
  const rename = () => mock.act({ do: "rename_repository", as: "ann", repo: PROJECT, name: "store" });
  const worked = async () => await db.query(decisions, "select decision from deliveries order by position", []);
  /** Looks for what no delivery told. */
  const compare = async () => {
    const [repository] = await listRepositories(db, "github");
    if (repository === undefined) throw new Error("no repository is known");
    const missedDeliveries = async () => await Promise.resolve([]);
    await reconcile(repository, { db, tracker: await byToken.tracker(), missedDeliveries, receive, log });
  };
  return { db, mock, now, byToken, connecting, jobs, tell, work, rename, worked, compare, warnings };
}

/** The tracker's own ids of repositories by their names, after that. */
async function stableNames(db: Database, step: () => Promise<void>) {
  await step();
  const repositories = await listRepositories(db, "github");
  return new Map(repositories.map(({ externalProjectId, stableId }) => [externalProjectId, stableId]));
}

test("a repository that is renamed stays the same, with its issues and all that was told under either name", async () => {
  const { db, mock, byToken, jobs, tell, work, rename, worked } = await stage();
  const at = { repo: PROJECT, number: 7, as: "ann" };
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  mock.act({ do: "comment", ...at, body: "Told, and not yet heard." });
  await tell(PROJECT, {});
  rename();
  mock.act({ do: "comment", ...at, repo: NEW_NAME, body: "Told under the new name." });
  await tell(NEW_NAME, {});
  // The job of the new name is the first to run, and the old one's delivery still goes first.
  await work(NEW_NAME);
  expect(jobs).toContain(`github/${NEW_NAME}#7`);
  await work(NEW_NAME);
  await tell(PROJECT, {});
  await work(PROJECT);

  expect((await worked()).map(({ decision }) => decision)).toEqual(["engage", "refresh", "refresh", "refresh"]);
  const [repository, ...others] = await listRepositories(db, "github");
  expect(repository).toMatchObject({ externalProjectId: NEW_NAME });
  expect(others).toEqual([]);
  const [issue, ...more] = await allIssues(db);
  expect(issue).toMatchObject({ externalProjectId: NEW_NAME, externalIssueId: "7" });
  expect(more).toEqual([]);
  const messages = await listMessages(db, issue?.id ?? "");
  expect(messages.map(({ content }) => content)).toEqual(["Told, and not yet heard.", "Told under the new name."]);
  // Who still goes by the old name is led on, and what it writes is written once.
  const tracker = await byToken.tracker();
  expect((await tracker.getIssue(ISSUE)).title).toBe("Broken");
  await tracker.createComment(ISSUE, "Here I am.", null);
  expect(mock.world.item(NEW_NAME, 7).comments.map(({ body }) => body)).toContain("Here I am.");
});

test("a new name is found by asking, where nothing told it", async () => {
  const { db, byToken, connecting, tell, work, rename } = await stage();
  await tell(PROJECT, { text: "@relay please look", actor: "ann" });
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  for (const repository of await listRepositories(db, "github")) await learnNow(repository, byToken, connecting);
  expect(await listRepositories(db, "github")).toMatchObject([{ externalProjectId: NEW_NAME }]);
});

test("what no delivery told is heard after a rename, where the configuration knows the old name only", async () => {
  const { db, mock, tell, work, rename, worked, compare, warnings } = await stage([PROJECT]);
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  await tell(NEW_NAME, {});
  await work(NEW_NAME);
  mock.act({ do: "comment", as: "ann", repo: NEW_NAME, number: 7, body: "Nobody told you." });
  await compare();
  await work(NEW_NAME);
  expect((await worked()).map(({ decision }) => decision)).toEqual(["engage", "refresh", "refresh"]);
  const [issue] = await allIssues(db);
  const messages = await listMessages(db, issue?.id ?? "");
  expect(messages.map(({ content }) => content)).toEqual(["Nobody told you."]);
  expect(warnings.filter((warning) => warning.includes("dropped"))).toEqual([]);
});

test("what was found in a repository that is served no longer is dropped with a warning", async () => {
  const { db, mock, tell, work, rename, worked, compare, warnings } = await stage([PROJECT]);
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  await tell(NEW_NAME, {});
  await work(NEW_NAME);
  await db.execute("update repositories set former_names = '{}'", []);
  mock.act({ do: "comment", as: "ann", repo: NEW_NAME, number: 7, body: "Nobody told you." });
  await compare();
  await work(NEW_NAME);
  expect((await worked()).at(-1)).toEqual({ decision: "drop: unknown repository" });
  expect(warnings).toContain("found without a delivery, but of an unknown repository: dropped");
});

test("two repositories that swapped their names are told apart by asking, each with its own issues", async () => {
  const { db, mock, byToken, connecting, tell, work, rename } = await stage();
  const before = await stableNames(db, async () => {
    mock.plant({
      repositories: [{ name: "acme/blog", private: true, collaborators: { relay: "write", ann: "admin" } }],
    });
    const blog = String(mock.world.repository("acme/blog").id);
    for (const [name, stableProjectId] of [[PROJECT], ["acme/blog", blog]] as const) {
      const change = stableProjectId === undefined ? {} : { stableProjectId };
      await tell(name, { ...change, kind: "commented", text: "@relay please look", at: new Date(0) });
      await work(name);
    }
  });
  const [shop, blog] = [before.get(PROJECT), before.get("acme/blog")];
  rename();
  mock.act({ do: "rename_repository", as: "ann", repo: "acme/blog", name: PROJECT.split("/")[1] ?? "" });
  mock.act({ do: "rename_repository", as: "ann", repo: NEW_NAME, name: "blog" });
  const after = await stableNames(db, async () => {
    for (const repository of await listRepositories(db, "github")) await learnNow(repository, byToken, connecting);
  });
  expect(after).toEqual(
    new Map([
      [PROJECT, blog],
      ["acme/blog", shop],
    ]),
  );
});

test("where another repository has the name by now, nothing more is asked or said under it", async () => {
  const { db, mock, byToken, connecting, tell, work, rename } = await stage();
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  mock.plant({ repositories: [{ name: PROJECT, private: true, collaborators: { relay: "write", ann: "admin" } }] });
  for (const repository of await listRepositories(db, "github")) await learnNow(repository, byToken, connecting);
  const [aside] = await listRepositories(db, "github");
  expect(aside).toMatchObject({ cloneSource: null });
  const tracker = await byToken.tracker();
  const page = tracker.listIssues(aside?.externalProjectId ?? "", { since: null, assignee: null }, null);
  await expect(page).rejects.toMatchObject({ code: "not_found" });
  // Its next event tells what it is called.
  await tell(NEW_NAME, {});
  await work(NEW_NAME);
  expect(await listRepositories(db, "github")).toMatchObject([
    { id: aside?.id, externalProjectId: NEW_NAME, cloneSource: expect.stringContaining(NEW_NAME) },
  ]);
});

test("what was told under the old name is heard, also where Relay may not see who has that name by now", async () => {
  const { mock, tell, work, rename, worked } = await stage();
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  await tell(NEW_NAME, {});
  await work(NEW_NAME);
  mock.plant({ repositories: [{ name: PROJECT, private: true, collaborators: { ann: "admin" } }] });
  await tell(PROJECT, {});
  await work(PROJECT);
  expect((await worked()).map(({ decision }) => decision)).toEqual(["engage", "refresh", "refresh"]);
});

test("another repository that takes the old name is not taken for the one that had it", async () => {
  const { db, tell, work, rename, worked } = await stage();
  await tell(PROJECT, { kind: "assigned", assignee: "relay" });
  await work(PROJECT);
  rename();
  await tell(PROJECT, { stableProjectId: "4711" });
  await work(PROJECT);
  expect((await worked()).at(-1)).toEqual({ decision: "drop: unknown repository" });
  expect(await allIssues(db)).toHaveLength(1);
});

test.each(["transferred", "deleted"])(
  "an issue that was %s is closed and its task taken back, though nobody can be told there any more",
  async (outcome) => {
    const { db, mock, now, tell, work, worked } = await stage();
    await tell(PROJECT, { kind: "assigned", assignee: "relay" });
    await work(PROJECT);
    const [issue] = await allIssues(db);
    const id = issue?.id ?? "";
    const plan = { triage: aTriage(), plan: aPlan(), sha256: "", basisSha256: "", byRules: true };
    const { id: planId } = await addPlan(db, id, plan, now);
    await addTask(db, { issueId: id, planId, approvedBy: "ann", mode: "plan" }, now);
    mock.plant({ repositories: [{ name: "acme/blog", private: true, collaborators: { ann: "admin" } }] });
    if (outcome === "deleted") mock.act({ do: "delete", as: "ann", repo: PROJECT, number: 7 });
    else mock.act({ do: "transfer", as: "ann", repo: PROJECT, number: 7, to: "acme/blog" });
    await tell(PROJECT, { kind: "closed", outcome });
    await work(PROJECT);
    expect((await worked()).at(-1)).toEqual({ decision: "stop" });
    expect(await allIssues(db)).toMatchObject([{ state: "closed" }]);
    expect(await db.query(states, "select status from tasks", [])).toEqual([{ status: "cancelled" }]);
    const changes = (await listAudit(db, id)).filter(({ what }) => what === "state.changed");
    expect(changes.at(-1)).toMatchObject({ why: outcome, after: "closed" });
  },
);
