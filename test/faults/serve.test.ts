import { randomInt } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import { exec } from "../../src/lib/exec.ts";
import type { Db } from "../../src/store/db.ts";
import { freshDatabase } from "../database.ts";
import { lineTo } from "../database-line.ts";
import { startGitServer } from "../git-server.ts";
import { newDesk } from "../relay-command.ts";
import { differencesIn } from "./compare.ts";
import { diceOf } from "./dice.ts";
import { openDoor } from "./door.ts";
import { startGithubTown } from "./github-town.ts";
import { startGitlabTown } from "./gitlab-town.ts";
import { misfortune } from "./misfortune.ts";
import { disorderIn, noteOrder } from "./order.ts";
import { peopleOf } from "./people-acts.ts";
import { comeToRest } from "./rest.ts";
import { startStaff } from "./staff.ts";

/*
 * A Relay that serves two trackers on one database while everything goes wrong: its processes are killed, the database
 * goes away, the trackers answer with errors, deliveries are lost, repeated and turned round, clocks jump. At the end
 * nothing of it may be seen. RELAY_TEST_DELIVERIES, RELAY_TEST_ISSUES and RELAY_TEST_SEED choose how long, how many
 * and how; a failure names the seed.
 */
const DELIVERIES = Number(process.env["RELAY_TEST_DELIVERIES"] ?? 60);
const ISSUES = Number(process.env["RELAY_TEST_ISSUES"] ?? 6);
const KILLS = Number(process.env["RELAY_TEST_SERVE_KILLS"] ?? 3);
const SEED = Number(process.env["RELAY_TEST_SEED"] ?? randomInt(1_000_000));
/** Milliseconds between two things that people do, on average. */
const PACE_MS = Number(process.env["RELAY_TEST_PACE_MS"] ?? 200);
const ROLES = { desk: "web", "planner-1": "planner", "planner-2": "web,planner" };

test(
  `a Relay of several processes does all once, whatever goes wrong (seed ${SEED})`,
  async () => {
    const dice = diceOf(SEED);
    const desk = await newDesk();
    const { db, connection } = await freshDatabase();
    await noteOrder(db);
    const line = await lineTo(connection);
    const served = join(desk.folder, "served");
    await exec("git", ["clone", "--quiet", "--bare", desk.repository, join(served, "shop.git")]);
    const git = await startGitServer(served);
    onTestFinished(async () => await git.close());
    const door = await openDoor();
    const code = `${git.origin}/shop.git`;
    const github = await startGithubTown(desk.folder, door.url, code);
    const gitlab = await startGitlabTown(door.url, code);
    const env = { ...github.env, ...gitlab.env, DATABASE_URL: line.url, BOT_IDLE_MINUTES: "0.005" };
    const staff = startStaff(desk, ROLES, { env, door });
    await staff.ready();

    const history: string[] = [];
    const people = [
      peopleOf(github, dice, Math.ceil(ISSUES / 2)),
      peopleOf(gitlab, dice, Math.floor(ISSUES / 2)),
    ] as const;
    const nature = misfortune({ towns: [github, gitlab], staff, door, database: line }, dice);
    let acts = 0;
    const act = async () => {
      acts += 1;
      history.push(await dice.pick(people).act());
      await sleep(dice.roll() * 2 * PACE_MS);
    };
    const killEvery = Math.max(1, Math.floor(DELIVERIES / KILLS));
    while (acts < DELIVERIES) {
      await act();
      if (dice.odds(0.3)) history.push(await nature.small());
      if (acts % killEvery !== killEvery - 1) continue;
      const how = dice.pick([nature.kill, nature.kill, nature.replace, async () => await nature.killAtComment(act)]);
      history.push(await how());
    }

    const look = async <T>(work: (looking: Db) => Promise<T>) => await work(db);
    const calm = async () => {
      for (const town of [github, gitlab]) await town.calm();
    };
    const rest = async () => await comeToRest(look, 240_000 + 500 * DELIVERIES);
    line.mend();
    for (const name of staff.names) await staff.moveClock(name, 0);
    await staff.ready();
    await calm();
    for (const one of people) await one.last();
    await calm();
    await rest();
    // Who starts looks for what was missed.
    for (const name of staff.names) await staff.replace(name);
    await staff.ready();
    await rest();
    await staff.leave();

    const wrong = [
      ...staff.deaths,
      ...(await disorderIn(db)),
      ...(await differencesIn(db, github)),
      ...(await differencesIn(db, gitlab)),
      ...(await github.violations()),
      ...(await gitlab.violations()),
      ...(await givenUpIn(db)),
    ];
    const log = staff.log();
    const told = [...github.secrets, ...gitlab.secrets].filter((secret) => log.includes(secret));
    if (wrong.length > 0) process.stderr.write(`seed ${SEED}:\n${history.join("\n")}\n`);
    expect({ wrong, told }).toEqual({ wrong: [], told: [] });
  },
  600_000 + DELIVERIES * 3_000,
);

/** Nothing here is hopeless, so nothing may be given up. */
async function givenUpIn(db: Db): Promise<string[]> {
  const row = z.object({ what: z.string() });
  const given = await db.query(
    row,
    `select 'delivery ' || delivery_id || ' is given up: ' || coalesce(error, '') as what from deliveries
       where given_up_at is not null
     union all
     select 'the wake-up of ' || external_issue_id || ' is given up: ' || coalesce(wake_error, '') from issues
       where wake_given_up_at is not null`,
    [],
  );
  return given.map(({ what }) => what);
}
