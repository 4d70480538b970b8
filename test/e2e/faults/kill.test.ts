import { createHash, randomInt } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { sleep } from "../../../src/lib/clock.ts";
import { type Desk, specArgs, clusterOf, newDesk, relay, startRelay, withDatabaseOf } from "../cli-harness.ts";
import { rngOf } from "./rng.ts";
import { killServer } from "./kill-server.ts";
import { violationsIn } from "./cli-invariants.ts";

/*
 * `relay spec` killed at random moments, at times with the database server, until it is let through.
 * RELAY_TEST_KILLS and RELAY_TEST_SEED choose how often and when; a failure names the seed that repeats it.
 */
const KILLS = Number(process.env["RELAY_TEST_KILLS"] ?? 2);
const SEED = Number(process.env["RELAY_TEST_SEED"] ?? randomInt(1_000_000));
/** Kills on one home before it is let through and looked at, and a fresh one begun. */
const KILLS_PER_HOME = 4;

const specRefSchema = z.object({ spec_ref: z.object({ path: z.string(), sha256: z.string() }) });

test(
  `relay spec survives ${KILLS} kills (seed ${SEED})`,
  async () => {
    const random = rngOf(SEED);
    const undisturbed = await newDesk();
    const begun = performance.now();
    expect(await leftBehind(undisturbed)).toEqual(WHOLE);
    // Two of the three commands that were run just now do little.
    const usual = (performance.now() - begun) / 1.5;
    for (let kills = 0; kills < KILLS;) {
      const desk = await newDesk();
      const moments: string[] = [];
      for (let n = 0; n < KILLS_PER_HOME && kills < KILLS; n += 1, kills += 1) {
        const ms = Math.floor(random.roll() * usual);
        const victim = VICTIMS[Math.floor(random.roll() * VICTIMS.length)] ?? "the command";
        moments.push(`${victim} after ${ms} ms`);
        const ended = await killAfter(desk, ms, victim);
        expect({ moments, ...ended }).toEqual({ moments, code: ended.code, err: expect.stringMatching(A_SENTENCE) });
      }
      expect({ moments, ...(await leftBehind(desk)) }).toEqual({ moments, ...WHOLE });
    }
  },
  300_000 + KILLS * 120_000,
);

const VICTIMS = ["the command", "the command", "both", "the server"] as const;
/** Also the one who only loses the database ends with a sentence. */
const A_SENTENCE = /^(relay: (?!something unexpected)[^\n]+\n)?$/;

async function killAfter(desk: Desk, ms: number, victim: (typeof VICTIMS)[number]) {
  const running = startRelay(desk, specArgs(desk));
  running.child.stdin.end();
  await Promise.race([sleep(ms), running.ended]);
  if (victim !== "the command") await killServer(desk);
  if (victim !== "the server") running.child.kill("SIGKILL");
  const { code, err } = await running.ended;
  return { code, err };
}

const WHOLE = {
  code: 0,
  err: "",
  sha256IsTheStoredOne: true,
  valid: true,
  cluster: ["data", "server.log", "start.lock"],
  specFolder: [".lock", "spec.md"],
  troubles: [],
};

/** Lets the command through and looks at all that it left. */
async function leftBehind(desk: Desk): Promise<typeof WHOLE | Record<string, unknown>> {
  const { code, err, out } = await relay(desk, specArgs(desk));
  if (code !== 0) return { code, err };
  const { path, sha256 } = specRefSchema.parse(JSON.parse(out)).spec_ref;
  const file = join(desk.folder, path);
  const text = await readFile(file, "utf8");
  const checked = await relay(desk, ["validate", file, "--repo", desk.repository, "--json"]);
  return {
    code,
    err,
    sha256IsTheStoredOne: createHash("sha256").update(text).digest("hex") === sha256,
    valid: checked.code === 0,
    cluster: (await readdir(await clusterOf(desk))).toSorted(),
    // An earlier version is there where the kill came between the file and the database.
    specFolder: [
      ...(await readdir(desk.specs)).filter((name) => name.startsWith(".")),
      ...(await readdir(dirname(file))).filter((name) => name !== "history"),
    ],
    troubles: await withDatabaseOf(desk, violationsIn),
  };
}
