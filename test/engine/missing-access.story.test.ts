import { describe, statusText } from "../../src/cli/issue-status.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { endLimitWait, setLimitWait } from "../../src/storage/quotas.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { expect, test } from "vitest";
import { configWithoutFile } from "../../src/config/config.ts";
import { maintainAccount, maintain } from "../../src/app/maintenance/maintenance.ts";
import { buildEvent } from "../../src/domain/event.ts";
import { basisOf } from "../../src/domain/plan.ts";
import { silentLog } from "../../src/lib/log.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listDeadLetters } from "../../src/storage/dead-letters.ts";
import { addPlan, markPosted } from "../../src/storage/plans.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { type GithubStage, ISSUE, PROJECT, TOKEN, githubStage } from "../support/github-fixture.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";
import { type Life, openLife } from "../support/relay.ts";

const AT = { repo: PROJECT, number: 7 };
const LAB = { ...ISSUE, externalProjectId: "umbrella/lab", externalIssueId: "1" };
const ALL = { issues: "write", contents: "write", pull_requests: "write", checks: "read", statuses: "read" } as const;

/** A Relay in one repository of a GitHub, as an App or with a token. */
async function stageOf(by: "byApp" | "byToken") {
  const stage = await githubStage();
  const tracker = await stage[by].tracker();
  const life = await openLife(() => ({
    trackerFor: async () => await stage[by].tracker(),
    codeHostFor: async () => await Promise.resolve(tracker),
    engage: "anyone" as const,
  }));
  await connectRepository(
    life.db,
    {
      workspace: "default",
      provider: "github",
      baseUrl: stage[by].baseUrl,
      botUsername: tracker.bot,
      externalProjectId: PROJECT,
      stableId: String(stage.mock.world.repository(PROJECT).id),
      cloneSource: life.code.root,
    },
    life,
  );
  const keeping = {
    ...life,
    log: silentLog,
    config: configWithoutFile({}),
    connections: new Map([["github" as const, stage[by]]]),
    sendEvents: life.jobs.sendEvents,
    sendStatus: life.jobs.sendStatus,
    sendCompares: life.jobs.sendCompares,
    workspace: "default",
  };
  const [app] = stage.mock.planted.apps;
  const installation = app?.installations[0] ?? 0;
  const allow = (permissions: Partial<Record<keyof typeof ALL, "read" | "write">>) =>
    void stage.mock.act({ do: "change_permissions", installation, permissions });
  const said = () =>
    stage.mock.world
      .item(PROJECT, 7)
      .comments.filter(({ author, body }) => author === tracker.bot && !isStatusComment(body));
  return { ...stage, life, keeping, allow, said, app: app?.id ?? 0, installation };
}

const say = async (life: Life, mock: Awaited<ReturnType<typeof stageOf>>["mock"], body: string) => {
  const { comment } = mock.act({ do: "comment", as: "ann", ...AT, body });
  const about = { actor: "ann", commentId: String(comment), text: body, at: new Date() };
  await life.deliver(buildEvent({ ...ISSUE, kind: "commented", ...about }));
};

/** What the audit log says that Relay lacks for the issue. */
const lacking = async (life: Life) => {
  const issue = await life.stored(ISSUE);
  const entries = issue === null ? [] : await listAudit(life.db, issue.id);
  return entries.filter(({ what }) => what === "access.missing").map(({ why }) => why);
};

/** What `relay status` says of the issue, a day later. */
const told = async (life: Life) => {
  const issue = await life.existing(ISSUE);
  const overview = (await overviewsOf(life.db, [issue.id]))(issue.id);
  const now = new Date(Date.now() + 86_400_000);
  return statusText(issue, await describe(issue, overview, life.specStore, "relay"), { withGaps: false, now });
};

test("a permission taken away is said by its name and waited for: nothing pauses, and what was said meanwhile is heard", async () => {
  const { life, mock, keeping, allow, said } = await stageOf("byApp");
  // Either of the two lets an App comment.
  allow({ ...ALL, issues: "read", pull_requests: "read" });
  await say(life, mock, "@relay-app please look");
  await expect.poll(async () => (await lacking(life)).join(), { timeout: 20_000 }).toContain("issues=write");
  expect((await life.existing(ISSUE)).state).toBe("planning");
  expect(await told(life)).toMatch(/refused: GitHub: POST .*give Relay the permission issues=write/);
  expect(await told(life)).not.toContain("goes on at");
  allow(ALL);
  await maintainAccount("github/acme", keeping);
  await expect.poll(said, { timeout: 20_000 }).not.toEqual([]);
  expect((await life.settled(ISSUE)).state).toBe("clarifying");
  expect(said()).toHaveLength(1);
  expect(await told(life)).not.toContain("refused");
  expect(await listDeadLetters(life.db)).toEqual([]);
});

test("a token that is refused is waited for: no delivery is given up, the log says why, and it is taken up afterwards", async () => {
  const { life, mock } = await stageOf("byToken");
  await say(life, mock, "@relay please look");
  await life.settled(ISSUE);
  const { tokens } = mock.world;
  const grant = tokens.get(TOKEN);
  tokens.delete(TOKEN);
  await say(life, mock, "@relay the total is 0 where it should be -5");
  const refused = async () => await life.worked(ISSUE).then(null, (error: unknown) => error);
  for (let tries = 0; tries < 9; tries += 1) expect(await refused()).toMatchObject({ retryable: true });
  expect(await listDeadLetters(life.db)).toEqual([]);
  expect((await lacking(life)).join()).toContain("GITHUB_TOKEN");
  expect(await told(life)).toContain("refused: GitHub does not take Relay's token");
  if (grant) tokens.set(TOKEN, grant);
  const { id } = await life.existing(ISSUE);
  const done = async () => (await listAudit(life.db, id)).map(({ what }) => what);
  const twice = async () => (await done()).filter((what) => what === "cycle.planned");
  await expect.poll(twice, { timeout: 20_000 }).toHaveLength(2);
  expect(await done()).toContain("access.given");
  expect(await told(life)).not.toContain("refused");
});

test("a limit that keeps the work waiting is told by its end", async () => {
  const { life, mock } = await stageOf("byToken");
  await say(life, mock, "@relay please look");
  const { id } = await life.settled(ISSUE);
  await setLimitWait(life.db, id, 120_000);
  expect(await told(life)).toContain("limit is reached until");
  await endLimitWait(life.db, id);
  expect(await told(life)).not.toContain("limit");
});

test("what people say while the App is not installed is heard when it is installed again", async () => {
  const { life, mock, keeping, said, app, installation } = await stageOf("byApp");
  await say(life, mock, "@relay-app please look");
  await life.settled(ISSUE);
  expect(said()).toHaveLength(1);
  mock.act({ do: "uninstall", installation });
  mock.act({ do: "comment", as: "ann", ...AT, body: "Negative totals are shown as zero." });
  mock.act({ do: "install", app, account: "acme", repositories: ["shop"] });
  await maintainAccount("github/acme", keeping);
  await life.settled(ISSUE);
  const { id } = await life.existing(ISSUE);
  const cycles = async () => (await listAudit(life.db, id)).filter(({ what }) => what === "cycle.planned");
  await expect.poll(cycles, { timeout: 20_000 }).toHaveLength(2);
});

test("the first mention in a repository, whose delivery failed, is found by the App's own list of deliveries", async () => {
  const { life, mock, keeping } = await stageOf("byApp");
  mock.world.courier.fate = () => "fail";
  mock.act({ do: "comment", as: "umbrella", repo: "umbrella/lab", number: 1, body: "@relay-app please look" });
  await maintain(keeping, "start");
  await life.settled(LAB);
  expect((await life.existing(LAB)).title).toBe("Leak");
});

/** A Relay whose plan waits in issue 7, and who looks there once more although no delivery came. */
async function waiting() {
  const stage = await stageOf("byToken");
  const { life, mock } = stage;
  await say(life, mock, "@relay please look");
  const issue = await life.settled(ISSUE);
  const { id } = issue;
  const made = { triage: aTriage({ risk: "LOW" }), plan: aPlan(), sha256: "0", basisSha256: basisOf(issue) };
  const plan = await addPlan(life.db, id, { ...made, byRules: true }, life);
  const body = `The plan\n\n<!-- relay:plan:${plan.id} -->`;
  const comment = mock.act({ do: "comment", as: "relay", ...AT, body }).comment;
  await markPosted(life.db, plan.id, { commentId: String(comment), body, at: life.clock.now(), earlierThumbs: [] });
  // As old as an issue that any server of the tracker shows.
  const old = "state = 'waiting_confirmation', opened_at = now() - interval '1 day'";
  await life.db.execute(`update issues set ${old} where id = $1`, [id]);
  const look = async () => await life.orchestrator.wakeNow(id);
  const state = async () => (await stage.life.existing(ISSUE)).state;
  return { ...stage, look, state };
}

test.each([
  ["deleted", (mock: GithubStage["mock"]) => void (mock.world.item(PROJECT, 7).gone = { kind: "deleted" })],
  ["not found", (mock: GithubStage["mock"]) => void mock.world.repository(PROJECT).items.delete(7)],
])("a waiting issue that is %s is closed, although no delivery told it", async (_, lose) => {
  const { life, mock, look, state } = await waiting();
  lose(mock);
  await look();
  await expect.poll(state, { timeout: 20_000 }).toBe("closed");
  expect(await listDeadLetters(life.db)).toEqual([]);
});

test("a delivery of a deleted issue closes it, although the one that told of its end was lost", async () => {
  const { life, mock, state } = await waiting();
  mock.world.item(PROJECT, 7).gone = { kind: "deleted" };
  await life.deliver(buildEvent({ ...ISSUE, kind: "edited", actor: "ann", at: new Date() }));
  await expect.poll(state, { timeout: 20_000 }).toBe("closed");
  expect(await listDeadLetters(life.db)).toEqual([]);
});

test("an issue in a repository that Relay sees no more waits until it does again", async () => {
  const { life, mock, look, state } = await waiting();
  mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "none" });
  await look();
  await expect.poll(async () => (await lacking(life)).join(), { timeout: 20_000 }).toContain("cannot see acme/shop");
  mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "write" });
  await look();
  const done = async () => (await listAudit(life.db, (await life.existing(ISSUE)).id)).map(({ what }) => what);
  await expect.poll(done, { timeout: 20_000 }).toContain("access.given");
  expect(await state()).toBe("waiting_confirmation");
  expect(await listDeadLetters(life.db)).toEqual([]);
});
