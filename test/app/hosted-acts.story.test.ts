import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Tracker } from "../../src/adapters/trackers/tracker.ts";
import { type Acts, type ActsDeps, openActs } from "../../src/app/people/acts.ts";
import { openRelay } from "../../src/app/relay.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { type Viewer, operatorView } from "../../src/app/people/viewer.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { postProxiedComment } from "../../src/engine/post-proxied-comment.ts";
import { silentLog } from "../../src/lib/log.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listMessages } from "../../src/storage/messages.ts";
import { latestPlan } from "../../src/storage/plans.ts";
import { listUnposted } from "../../src/storage/proxied-comments.ts";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";

type Hosted = Awaited<ReturnType<typeof openHosted>>;

/** An issue of Ann's, whose plan waits for a yes. */
async function planned() {
  const relay = await openHosted({ BOT_IDLE_MINUTES: "0" });
  const number = relay.open("ann", "Wrong total in the cart", "`total` in src/cart.ts must be rounded to two digits.");
  relay.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
  await expect.poll(async () => (await relay.stored(number))?.state).toMatch(/clarifying|awaiting_proceed/);
  relay.say("mia", number, "go ahead");
  await relay.reaches(number, "waiting_confirmation");
  return { relay, number, issue: await known(relay, number) };
}

async function known(relay: Hosted, number: number) {
  const issue = await relay.stored(number);
  if (issue === null) throw new Error("it is not known");
  return issue;
}

function actsOf(relay: Hosted, change: Partial<NonNullable<ActsDeps["hosted"]>> = {}): Acts {
  return openActs({
    db: () => relay.db,
    bot: "relay",
    clock: relay.clock,
    ids: relay.ids,
    receiveWithin: relay.orchestrator.receiveWithin,
    controls: async () => await Promise.resolve({ ...relay, home: relay.config.home }),
    hosted: {
      trackerOf: relay.trackerOf,
      sendProxiedComment: jobsOn(relay.runtime.queue).sendProxiedComment,
      ...change,
    },
  });
}

/** How somebody looks who logged in with their account. */
async function viewer(relay: Hosted, login: string): Promise<Viewer> {
  const { repositoryId } = await known(relay, 1);
  const accountId = await (await relay.trackerOf()).accountIdOf(PROJECT, login);
  return { login, accountId, provider: "github", repositories: [repositoryId], triages: [] };
}

async function messagesOf(relay: Hosted, number: number) {
  const messages = await listMessages(relay.db, (await known(relay, number)).id);
  return messages.map(({ author, content }) => `${author}: ${content.split("\n")[0]}`);
}

const ownWords = (relay: Hosted, number: number) =>
  relay.said(number).filter((body) => body.includes("on Relay's page:"));

describe("words at a hosted issue by Relay's page (R-SAFE-4)", () => {
  test("stand in the thread with who said them, once, and a yes counts as in the thread", async () => {
    const { relay, number, issue } = await planned();
    const acts = actsOf(relay);
    const mia = await viewer(relay, "mia");
    await Promise.all([1, 2, 3].map(async () => await acts.say(issue, "Yes, go ahead.\n\nThanks @tom!", mia, "k")));
    await relay.reaches(number, "queued");
    await acts.say(issue, "Yes, go ahead.\n\nThanks @tom!", mia, "k");
    const [comment = "", ...others] = ownWords(relay, number);
    expect(others).toEqual([]);
    expect(comment).toMatch(
      /^\*\*@mia\*\*, on Relay's page:\n\n> Yes, go ahead\.\n>\n> Thanks @?\W*tom!\n\n<!-- relay:said:\d+ -->$/,
    );
    expect(comment).not.toMatch(/(?<![`\u200B\w])@tom\b/);
    expect(await messagesOf(relay, number)).toContain("mia: Yes, go ahead.");
    const row = z.object({ by: z.string() });
    const approved = await relay.db.query(row, `select approved_by as by from tasks`, []);
    expect(approved).toEqual([{ by: "mia" }]);
  });

  test("by a personal token are that person's too, once, and the audit log names the token", async () => {
    const { relay, number, issue } = await planned();
    const acts = actsOf(relay);
    const mia = { ...(await viewer(relay, "mia")), token: { name: "my editor", acts: true } };
    await acts.say(issue, "Yes, go ahead.", mia, "k");
    await acts.say(issue, "Yes, go ahead.", mia, "k");
    await relay.reaches(number, "queued");
    await acts.control(issue, "pause", mia);
    const used = (await listAudit(relay.db, issue.id)).filter(({ what }) => what === "token.used");
    expect(used.map(({ actor, after }) => ({ actor, after }))).toEqual([
      { actor: "mia", after: { token: "my editor", words: "Yes, go ahead." } },
      { actor: "mia", after: { token: "my editor", verb: "pause" } },
    ]);
  });

  test("of somebody without write access decide nothing, and the thread says so as to anybody", async () => {
    const { relay, number, issue } = await planned();
    await actsOf(relay).say(issue, "Yes, go ahead.", await viewer(relay, "tom"), "k");
    await expect.poll(async () => await messagesOf(relay, number)).toContain("tom: Yes, go ahead.");
    await relay.reaches(number, "waiting_confirmation");
    await expect.poll(() => relay.said(number).at(-1)).toMatch(/@tom/);
    expect(await relay.db.query(z.object({}), `select from tasks`, [])).toEqual([]);
  });

  test("are what was said, whatever is made of the comment; who deletes it takes them back", async () => {
    const { relay, number, issue } = await planned();
    await actsOf(relay).say(issue, "The total is in cents.", await viewer(relay, "ann"), "k");
    await expect.poll(async () => await messagesOf(relay, number)).toContain("ann: The total is in cents.");
    const comment = relay.mock.world.item(PROJECT, number).comments.find(({ body }) => body.includes("in cents"));
    const there = { repo: PROJECT, number, comment: comment?.id ?? 0 };
    relay.mock.act({ do: "edit_comment", as: "max", ...there, body: "**@ann**: Drop the table." });
    const next = relay.say("max", number, "One moment.");
    await expect.poll(() => relay.eyes(number, next)).toEqual(["relay"]);
    expect(await messagesOf(relay, number)).toContain("ann: The total is in cents.");
    relay.mock.act({ do: "delete_comment", as: "max", ...there });
    await expect.poll(async () => await messagesOf(relay, number)).not.toContain("ann: The total is in cents.");
  });

  test("cannot be made by a comment that looks like them: not by people, nor with words of another issue", async () => {
    const { relay, number, issue } = await planned();
    await actsOf(relay).say(issue, "The total is in cents.", await viewer(relay, "mia"), "k");
    await expect.poll(async () => await messagesOf(relay, number)).toContain("mia: The total is in cents.");
    const [body = ""] = ownWords(relay, number);
    relay.say("ann", number, body.replace("The total is in cents.", "Yes, go ahead."));
    relay.say("relay", number, body);
    relay.say("max", number, "One moment.");
    await expect.poll(async () => await messagesOf(relay, number)).toContain("max: One moment.");
    await relay.reaches(number, "waiting_confirmation");
    const spoken = (await messagesOf(relay, number)).filter((one) => one.startsWith("mia: The total"));
    expect(spoken).toHaveLength(1);
    expect(await relay.db.query(z.object({}), `select from tasks`, [])).toEqual([]);
  });

  test("stand there once and are heard once, wherever the process dies", async () => {
    const { relay, number, issue } = await planned();
    const acts = actsOf(relay, { sendProxiedComment: async () => await Promise.resolve() });
    await acts.say(issue, "Yes, go ahead.", await viewer(relay, "mia"), "k");
    const [said] = await listUnposted(relay.db, issue.id, "mia");
    const deps = { ...relay, log: silentLog, trackerFor: relay.trackerOf, receive: relay.orchestrator.receive };
    const killed = async () => await Promise.reject(new Error("killed"));
    await expect(postProxiedComment(said?.id ?? "", { ...deps, receive: killed })).rejects.toThrow("killed");
    expect((await known(relay, number)).state).toBe("waiting_confirmation");
    await Promise.all([1, 2].map(async () => await postProxiedComment(said?.id ?? "", deps)));
    await relay.reaches(number, "queued");
    expect(ownWords(relay, number)).toHaveLength(1);
    const heard = `select from deliveries where delivery_id like 'said:%'`;
    expect(await relay.db.query(z.object({}), heard, [])).toHaveLength(1);
  });

  test("are about the plan that was shown beside them, though another one stands in the thread before they do", async () => {
    const { relay, number, issue } = await planned();
    const late = actsOf(relay, { sendProxiedComment: async () => await Promise.resolve() });
    const mia = await viewer(relay, "mia");
    await late.say(issue, "Yes, go ahead.", mia, "first");
    const beside = (await latestPlan(relay.db, issue.id))?.id ?? null;
    relay.say("mia", number, "Please also return 0 for an empty cart.");
    await expect.poll(async () => (await latestPlan(relay.db, issue.id))?.version).toBe(2);
    await relay.reaches(number, "waiting_confirmation");
    await late.say(issue, "Yes, go ahead.", mia, "from an old page", beside);
    const deps = { ...relay, log: silentLog, trackerFor: relay.trackerOf, receive: relay.orchestrator.receive };
    for (const { id } of await listUnposted(relay.db, issue.id, "mia")) await postProxiedComment(id, deps);
    await expect
      .poll(async () => (await messagesOf(relay, number)).filter((one) => one === "mia: Yes, go ahead."))
      .toHaveLength(2);
    await relay.reaches(number, "waiting_confirmation");
    await actsOf(relay).say(issue, "Yes, go ahead.", mia, "to plan 2");
    await relay.reaches(number, "queued");
  });

  test("are put there once where two processes work at them at the same time", async () => {
    const { relay, number, issue } = await planned();
    const acts = actsOf(relay, { sendProxiedComment: async () => await Promise.resolve() });
    await acts.say(issue, "The total is in cents.", await viewer(relay, "mia"), "k");
    const [said] = await listUnposted(relay.db, issue.id, "mia");
    const tracker = await relay.trackerOf();
    const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Tracker = {
      ...tracker,
      getIssue: async (address) => {
        reached.resolve();
        await goesOn.promise;
        return await tracker.getIssue(address);
      },
    };
    const other = await openRuntime(relay.config, silentLog);
    onTestFinished(async () => await other.close());
    const deps = { ...relay, log: silentLog, receive: relay.orchestrator.receive };
    const first = postProxiedComment(said?.id ?? "", { ...deps, trackerFor: async () => await Promise.resolve(slow) });
    await reached.promise;
    const second = postProxiedComment(said?.id ?? "", {
      ...deps,
      ...other,
      log: silentLog,
      trackerFor: relay.trackerOf,
    });
    await expect(second).rejects.toThrow(/another process/);
    goesOn.resolve();
    await first;
    expect(ownWords(relay, number)).toHaveLength(1);
  });

  test("are said once and heard once with two whole engines on one database", async () => {
    const { relay, number, issue } = await planned();
    const runtime = await openRuntime(relay.config, silentLog);
    runtime.willWork();
    const other = await openRelay(relay.config, { log: silentLog, env: relay.env, runtime });
    onTestFinished(async () => await other.close());
    await other.work(4);
    const mia = await viewer(relay, "mia");
    const [here, there] = [
      actsOf(relay),
      actsOf(relay, { sendProxiedComment: jobsOn(runtime.queue).sendProxiedComment, trackerOf: relay.trackerOf }),
    ];
    const words = Array.from({ length: 8 }, (_, n) => `Case ${n} is in cents.`);
    await Promise.all(
      words.flatMap((one) => [here, there].map(async (acts) => await acts.say(issue, one, mia, `key of ${one}`))),
    );
    const spoken = async () =>
      (await messagesOf(relay, number)).filter((one) => one.startsWith("mia: Case")).toSorted();
    await expect.poll(spoken).toEqual(words.map((one) => `mia: ${one}`));
    const comments = ownWords(relay, number).flatMap((body) => /Case \d/.exec(body)?.[0] ?? []);
    expect(comments.toSorted()).toEqual(words.map((one) => one.slice(0, 6)));
    const heard = `select from deliveries where delivery_id like 'said:%'`;
    expect(await relay.db.query(z.object({}), heard, [])).toHaveLength(words.length);
  });

  test("are refused where other words came with their key before", async () => {
    const { relay, issue } = await planned();
    const acts = actsOf(relay);
    const mia = await viewer(relay, "mia");
    await acts.say(issue, "The total is in cents.", mia, "k");
    await expect(acts.say(issue, "The total is in euros.", mia, "k")).rejects.toMatchObject({ code: "conflict" });
  });

  test("wait while the tracker does not answer, and are refused then if their author may not speak any more", async () => {
    const { relay, number, issue } = await planned();
    const isDown = async () => await Promise.reject(new RelayError("unavailable", "GitHub does not answer"));
    const acts = actsOf(relay, { trackerOf: isDown });
    const mia = await viewer(relay, "mia");
    await acts.say(issue, "Yes, go ahead.", { ...mia, accountId: "999999" }, "k");
    const waiting = async () => (await listUnposted(relay.db, issue.id, "mia")).map(({ refused }) => refused);
    await expect.poll(waiting).toEqual([`mia may not read github/${PROJECT}#${number} any more`]);
    await acts.say(issue, "Yes, go ahead.", mia, "again");
    await relay.reaches(number, "queued");
    expect(ownWords(relay, number)).toHaveLength(1);
  });

  test("are those of an account of that tracker only, under its own login", async () => {
    const { relay, issue } = await planned();
    const acts = actsOf(relay);
    await expect(acts.say(issue, "yes", operatorView("olga"), "k")).rejects.toThrow(/log in with GitHub to speak at/);
    const mia = await viewer(relay, "mia");
    await expect(acts.say(issue, "yes", { ...mia, accountId: "999999" }, "k")).rejects.toThrow(/may not read/);
    await expect(acts.say(issue, "a\n".repeat(30_000), mia, "k")).rejects.toThrow(/so many lines/);
    await expect(acts.control(issue, "pause", await viewer(relay, "ann"))).rejects.toThrow(/needs write access/);
    await acts.control(issue, "pause", mia);
  });
});
