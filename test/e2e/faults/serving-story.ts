import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { readReply } from "../../../src/approval/read-reply.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { exec } from "../../../src/lib/exec.ts";
import { isWish } from "../../../src/approval/wishes.ts";
import type { Db } from "../../../src/storage/db.ts";
import type { DatabaseLine } from "../../support/database-proxy.ts";
import { startGitServer } from "../../support/git-server.ts";
import type { Desk } from "../cli-harness.ts";
import { differencesIn } from "./invariants.ts";
import { listenAfter, recordClosings, storedClosings } from "./after-close.ts";
import { rngOf } from "./rng.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import { keepArtifacts } from "./artifacts.ts";
import { startGithubWorld } from "./github-world.ts";
import { startGitlabWorld } from "./gitlab-world.ts";
import { faultInjector } from "./fault-injector.ts";
import { reorderedIn, recordOrder } from "./ordering.ts";
import { peopleOf } from "./people.ts";
import { waitUntilIdle } from "./idle.ts";
import { startProcesses } from "./processes.ts";
import { pendingWorkIn } from "./pending-work.ts";
import { BOT } from "./world.ts";

export interface Story {
  seed: number;
  /** Things that people do; most make one delivery, some two. */
  acts: number;
  issues: number;
  /** Times that a process is killed or replaced. */
  kills: number;
  /** Instead, milliseconds from one kill to the next; 0 for none by the clock. */
  killEveryMs: number;
  /** Milliseconds between two things that people do, on average. */
  paceMs: number;
  desk: Desk;
  /** Names of processes, and what each does. */
  roles: Record<string, string>;
  env: Record<string, string>;
  database: Pick<DatabaseLine, "cut" | "mend">;
  look: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
}

/**
 * A Relay that serves two trackers on one database while everything goes wrong: its processes are killed, the database
 * goes away, the trackers answer with errors, deliveries are lost, repeated and turned round, clocks jump. At the end
 * nothing of it may be seen; throws what is. Returns how many comments Relay made.
 */
export async function playServingStory(story: Story): Promise<{ said: number }> {
  const { seed, acts, kills, killEveryMs, paceMs, desk, roles, database, look } = story;
  const rng = rngOf(seed);
  const served = join(desk.folder, "served");
  await exec("git", ["clone", "--quiet", "--bare", desk.repository, join(served, "shop.git")]);
  const git = await startGitServer(served);
  onTestFinished(async () => await git.close());
  const balancer = await openLoadBalancer();
  const code = `${git.origin}/shop.git`;
  const github = await startGithubWorld(desk.folder, balancer.url, { cloneUrl: code });
  const gitlab = await startGitlabWorld(balancer.url, code);
  const worlds = [github, gitlab] as const;
  // A Relay that looks for thumbs now and then is never idle.
  const usual = { BOT_IDLE_MINUTES: "0.005", RELAY_APPROVAL_THUMBS_UP: "false" };
  const env = { ...github.env, ...gitlab.env, ...usual, ...story.env };
  const processes = startProcesses(desk, roles, { env, balancer });
  await processes.ready();
  await look(recordOrder);
  await look(recordClosings);

  const history: string[] = [];
  const people = [
    peopleOf(github, rng, Math.ceil(story.issues / 2)),
    peopleOf(gitlab, rng, Math.floor(story.issues / 2)),
  ] as const;
  const nature = faultInjector({ worlds: [github, gitlab], processes, balancer, database }, rng);
  const done = { acts: 0 };
  const act = async () => {
    done.acts += 1;
    history.push(await rng.pick(people).act());
    await sleep(rng.roll() * 2 * paceMs);
  };
  const ends = [
    [nature.killAtComment],
    [nature.kill],
    [nature.standStill, nature.kill],
    [nature.replace, nature.kill],
    [nature.kill],
  ] as const;
  const killEvery = Math.max(1, Math.floor(acts / kills));
  const storm = async () => {
    while (done.acts < acts) {
      await sleep(killEveryMs);
      history.push(await nature.kill());
    }
  };
  const storming = killEveryMs > 0 ? storm() : Promise.resolve();
  while (done.acts < acts) {
    await act();
    if (rng.odds(0.3)) history.push(await nature.small());
    if (done.acts % 500 === 0) process.stderr.write(`seed ${seed}: ${done.acts} of ${acts} acts\n`);
    if (killEveryMs > 0 || done.acts % killEvery !== killEvery - 1) continue;
    for (const end of ends[Math.floor(done.acts / killEvery) % ends.length] ?? []) history.push(await end());
  }
  await storming;
  if (killEveryMs > 0) process.stderr.write(`${await look(progressIn)}\n`);
  try {
    const calm = async () => {
      for (const world of worlds) await world.calm();
    };
    const untilIdle = async () => {
      if (await waitUntilIdle(look, 240_000 + 500 * acts)) return;
      throw new Error(
        `it did not become idle:\n${await look(async (db) => await pendingWorkIn(db, processes.logs()))}`,
      );
    };
    database.mend();
    for (const name of processes.names) await processes.moveClock(name, 0);
    await processes.ready();
    await calm();
    await untilIdle();
    // Who starts looks for what was missed. Of a comment that was deleted, GitLab tells nobody, nor shows its age.
    for (const name of processes.names) await processes.replace(name);
    await processes.ready();
    await untilIdle();
    const wrong = await look(async (db) => [
      ...(await differencesIn(db, github)),
      ...(await differencesIn(db, gitlab, "but not what its thread is")),
      ...(await unreadIn(db)),
    ]);
    for (const one of people) await one.last();
    await calm();
    await untilIdle();
    // Whatever was said before, this is where it leads to undisturbed.
    const agreed: string[] = [];
    for (const words of ["go ahead with the spec", "yes"]) {
      // Nobody answers in the second in which something comes.
      await sleep(1_500);
      for (const [at, world] of worlds.entries()) {
        const numbers = (await people[at]?.agree(words)) ?? [];
        agreed.push(...numbers.map((number) => `${world.provider} #${number}`));
      }
      await calm();
      await untilIdle();
    }
    const later = await look(async (db) => [
      ...(await unagreedIn(db, agreed)),
      ...(await reorderedIn(db)),
      ...(await differencesIn(db, github)),
      ...(await differencesIn(db, gitlab)),
      ...(await givenUpIn(db)),
      ...(await unreadIn(db)),
    ]);
    wrong.push(...later.filter((one) => !wrong.includes(one)).map((one) => `at last: ${one}`));
    await processes.leave();
    let listened = 0;
    for (const [at, world] of worlds.entries()) {
      const stored = await look(async (db) => await storedClosings(db, world.provider));
      const silences = await listenAfter(world, people[at]?.closings ?? [], stored);
      listened += silences.listened;
      wrong.push(...silences.heard);
    }
    wrong.push(...processes.deaths, ...(await github.violations()), ...(await gitlab.violations()));
    const log = processes
      .logs()
      .map(({ text }) => text)
      .join("");
    const told = worlds.flatMap(({ secrets }) => secrets).filter((secret) => log.includes(secret));
    if (wrong.length + told.length > 0)
      throw new Error([...wrong, ...told.map(() => "a secret is in a log")].join("\n"));
    const issues = (await Promise.all(worlds.map(async (world) => await world.look()))).flat();
    const closings = people.flatMap((one) => one.closings);
    if (process.env["RELAY_TEST_DELIVERIES"] !== undefined) {
      const killed = history.filter((one) => one.includes("killed")).length;
      process.stderr.write(
        `${done.acts} acts, ${killed} kills, ${closings.length} closings, ${listened} of them listened to\n`,
      );
      await tell(history, look);
    }
    return { said: issues.flatMap(({ comments }) => comments.filter(({ author }) => author === BOT)).length };
  } catch (error) {
    const issues = await Promise.all(worlds.map(async (world) => await world.look()));
    const kept = await look(async (db) => await keepArtifacts(seed, db, { logs: processes.logs(), history, issues }));
    process.stderr.write(`seed ${seed}; what is left of it is in ${kept}\n${processes.deaths.join("\n")}\n`);
    throw error;
  }
}

/** How far the work came while processes were killed, for whoever reads along. */
async function progressIn(db: Db): Promise<string> {
  const { stored, worked } = await db.one(
    z.object({ stored: z.number(), worked: z.number() }),
    "select count(*)::int as stored, count(processed_at)::int as worked from deliveries",
    [],
  );
  return `when the kills ended, ${worked} of ${stored} deliveries were worked off`;
}

/** How much happened, for whoever reads along. */
async function tell(history: readonly string[], look: Story["look"]): Promise<void> {
  const rows = await look(
    async (db) =>
      await db.query(
        z.object({ what: z.string(), n: z.number() }),
        `select 'deliveries, ' || coalesce(decision, '') as what, count(*)::int as n from deliveries group by 1
         union all select 'found by comparing', count(*)::int from deliveries where delivery_id like 'reconcile:%'
         union all select 'issues, ' || state, count(*)::int from issues group by 1
         union all select 'cycles, ' || status, count(*)::int from cycles group by 1
         union all select 'actions, ' || status, count(*)::int from actions group by 1
         union all select 'actions tried again', count(*)::int from actions where attempts > 1
         union all select 'comments found again', count(*)::int from actions where outcome ->> 'adopted' = 'true'`,
        [],
      ),
  );
  const ends = history.filter((one) => /killed|replaced|stands still|nothing was said/.test(one));
  process.stderr.write(`${rows.map(({ what, n }) => `${what}: ${n}`).join("\n")}\n${ends.join("\n")}\n`);
}

/** Which of these issues are not agreed on, and what they wait for instead. */
async function unagreedIn(db: Db, agreed: readonly string[]): Promise<string[]> {
  const found = await db.query(
    z.object({ issue: z.string(), state: z.string() }),
    `select g.provider || ' #' || i.external_issue_id as issue, i.state from issues i
       join repositories r on r.id = i.repository_id join integrations g on g.id = r.integration_id`,
    [],
  );
  const states = new Map(found.map(({ issue, state }) => [issue, state]));
  return [...new Set(agreed)]
    .filter((issue) => states.get(issue) !== "queued")
    .map((issue) => `${issue} was agreed on, and is ${states.get(issue) ?? "not known"}`);
}

/** Nothing here is hopeless, so nothing may be given up. */
async function givenUpIn(db: Db): Promise<string[]> {
  const row = z.object({ what: z.string() });
  const given = await db.query(
    row,
    `select 'delivery ' || delivery_id || ' is given up: ' || coalesce(error, '') as what from deliveries
       where dead_lettered_at is not null
     union all
     select 'the wake-up of ' || external_issue_id || ' is given up: ' || coalesce(wake_error, '') from issues
       where wake_dead_lettered_at is not null`,
    [],
  );
  return given.map(({ what }) => what);
}

const unreadRow = z.object({
  comment: z.string(),
  issue: z.string(),
  state: z.string(),
  author: z.string(),
  words: z.string(),
});

/** What somebody said in an issue that Relay works in, and no cycle has read. */
async function unreadIn(db: Db): Promise<string[]> {
  const unread = await db.query(
    unreadRow,
    `select m.external_id as comment, i.external_issue_id as issue, i.state, m.author, m.content as words
     from messages m join issues i on i.id = m.issue_id
     where not m.seen and m.role <> 'self' and not m.is_bot and i.state not in ('closed', 'paused')
     union all
     select 'none', external_issue_id, state, 'nobody', title || body from issues
     where state <> 'closed' and not exists (select from cycles where issue_id = issues.id)`,
    [],
  );
  // A plan needs no cycle for a yes or for thanks.
  const planned = new Set(["waiting_confirmation", "queued"]);
  return (
    unread
      // Who has no say takes nothing back: such words are for the next cycle.
      .filter(({ state, author }) => !planned.has(state) || author !== "guest")
      .filter(({ state, words }) => !planned.has(state) || isWish(words) || readReply(words).kind === "stop")
      .map(
        ({ comment, issue, state, author, words }) =>
          `no cycle has read the comment ${comment} by ${author} in #${issue}, which is ${state}: ${words.slice(0, 40)}`,
      )
  );
}
