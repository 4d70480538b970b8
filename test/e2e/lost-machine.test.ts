import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { githubPlace } from "./hosted-github.ts";
import { PATIENT, type Serving, openServing, reaches, sampleIssue, stateOf } from "./serving-fixture.ts";

const TIMEOUT = 600_000;

/** All that others see of Relay: its comments at each issue and request, requests, branches. */
async function seen({ place, git }: Serving, issues: readonly number[]) {
  const own = (said: { author: string; body: string }[]) =>
    said.flatMap(({ author }) => (author === place.bot ? [author] : []));
  const requests = place.requests().map(({ number, branch, state }) => ({ number, branch, state }));
  return {
    comments: issues.map((number) => `${number}: ${own(place.issue(number).said).length}`),
    requests,
    saidOn: requests.map(({ number }) => `${number}: ${own(place.saidOn(number)).length}`),
    branches: await git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"),
  };
}

/** The tracker takes what is written as it comes. */
async function unpaced({ db }: Serving): Promise<void> {
  const body = "begin new.next_write_at := now(); return new; end";
  await db.execute(`create function at_once() returns trigger language plpgsql as '${body}'`, []);
  await db.execute(
    "create trigger at_once before insert or update on tracker_quotas for each row execute function at_once()",
    [],
  );
}

/** Nothing is due, or soon: a look at requests and their checks comes minutes later. */
async function settled({ db }: Serving): Promise<void> {
  const left = async () =>
    await db.one(
      z.object({ left: z.number() }),
      `select ((select count(*) from deliveries where processed_at is null and dead_lettered_at is null)
        + (select count(*) from cycles where status = 'running')
        + (select count(*) from issues where debounce_until is not null)
        + (select count(*) from pgboss.job where name like 'relay-%' and (state = 'active'
            or (state in ('created', 'retry') and start_after < now() + interval '15 s'))))::int as left`,
      [],
    );
  let quiet = 0;
  const still = async () => (quiet = (await left()).left === 0 ? quiet + 1 : 0);
  await expect.poll(still, { interval: 250, timeout: 120_000 }).toBeGreaterThan(8);
}

test(
  "twenty issues go on from a backup when the machine is lost, and nothing that stands in the tracker is done twice (R-SHIP-2)",
  async () => {
    const place = await githubPlace("without limits");
    const serving = await openServing(place);
    const sample = await sampleIssue(serving);
    const all = async (numbers: readonly number[], work: (number: number) => Promise<void>) =>
      void (await Promise.all(numbers.map(work)));
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    const inReview = async (number: number) => await reaches(serving, number, "in_review");
    const requestOf = (number: number) => {
      const found = place.requests().filter(({ branch }) => branch.startsWith(`fix/${number}-`));
      expect(found).toHaveLength(1);
      return found[0]?.number ?? 0;
    };
    Object.assign(serving.env, { RELAY_CONCURRENCY: "8", RELAY_APPROVAL_THUMBS_UP: "false" });
    await unpaced(serving);
    const first = await serving.start("web,planner,worker");
    // Two are reported later.
    for (const number of range(1, 18)) expect(sample.report()).toBe(number);
    await all(range(5, 18), sample.answer);
    await all(range(9, 18), sample.proceed);
    await all(range(14, 17), sample.agree);
    await all(range(14, 17), inReview);
    place.merge(requestOf(14), 14, "mia");
    await reaches(serving, 14, "done");
    expect(await serving.command(["pause", "13"])).toMatchObject({ code: 0 });
    await serving.hold(true);
    await sample.agree(18);
    await expect.poll(async () => (await serving.tasks()).length, PATIENT).toBe(5);
    await all(range(1, 4), async (number) => await reaches(serving, number, "clarifying"));
    await all(range(5, 8), async (number) => await reaches(serving, number, "awaiting_proceed"));
    await all(range(9, 12), async (number) => await reaches(serving, number, "waiting_confirmation"));

    const file = join(serving.folder, "relay.backup");
    expect(await serving.command(["backup", file])).toMatchObject({ code: 0, err: "" });

    // Each kind goes on: some by one step, some by all.
    await serving.hold(false);
    const [last, latest] = [sample.report(), sample.report()];
    const issues = [...range(1, 18), last, latest];
    await all([1, 2, latest], sample.answer);
    await all([2, 5, 6], sample.proceed);
    await all([6, 9, 10], sample.agree);
    await all([6, 9, 10, 18], inReview);
    const at = { path: "src/export/period.js", line: 9, body: "Say why, please." };
    const asked = place.review(requestOf(15), "otto", at);
    await expect.poll(() => place.thread(requestOf(15), asked), PATIENT).toHaveLength(2);
    place.merge(requestOf(16), 16, "mia");
    await reaches(serving, 16, "done");
    await all([1, latest], async (number) => await reaches(serving, number, "awaiting_proceed"));
    await all([2, 5], async (number) => await reaches(serving, number, "waiting_confirmation"));
    await settled(serving);
    const states = async () => await Promise.all(issues.map(async (n) => `${n}: ${await stateOf(serving, n)}`));
    const [before, stood] = [await seen(serving, issues), await states()];
    expect(await first.signal("SIGKILL")).toBeNull();
    await serving.lose();

    expect(await serving.command(["restore", file])).toMatchObject({ code: 0, err: "" });
    await unpaced(serving);
    await serving.start("web,planner,worker");
    await all(
      [last, latest],
      async (number) => await expect.poll(async () => await stateOf(serving, number), PATIENT).toBeDefined(),
    );
    await settled(serving);
    expect(await seen(serving, issues)).toEqual(before);
    // The spec was written anew, and so was its plan: another yes brings it to the request that stands.
    expect(await states()).toEqual(
      stood.map((state) => (state === "6: in_review" ? "6: waiting_confirmation" : state)),
    );
    await sample.agree(6);
    await inReview(6);
    await settled(serving);
    const { requests, branches } = await seen(serving, issues);
    expect({ requests, branches }).toEqual({ requests: before.requests, branches: before.branches });
  },
  TIMEOUT,
);
