import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missing } from "../../src/adapters/trackers/missing.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { sleep } from "../../src/lib/clock.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listCycles } from "../../src/storage/cycles.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { listMessages, listUnreadSeqs } from "../../src/storage/messages.ts";
import { latestSpec } from "../../src/storage/specs.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

type Address = Awaited<ReturnType<typeof report>>;

const ANSWERS = "I put two books in the cart and open it. The total shows 0, I expect 30.";

async function assigned(life: Life, issue: Address) {
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  return await life.settled(issue);
}

async function says(life: Life, issue: Address, who: string, text: string) {
  await life.deliver(await life.people.comment(issue, who, text));
  return await life.settled(issue);
}

/** Answers by number whatever is open, then says go. */
async function toSpec(life: Life, issue: Address) {
  const asked = await assigned(life, issue);
  const open = (await listGaps(life.db, asked.id)).filter((gap) => gap.status === "open");
  const answers = open.map((gap) => `${gap.number}. ${ANSWERS}`).join("\n");
  await says(life, issue, "ann", answers);
  return await says(life, issue, "mia", "go ahead with the spec");
}

describe("from a report to a spec", () => {
  test("a look at an issue that waits for people, who have written and edited nothing, is no cycle", async () => {
    const life = await openLife();
    const issue = await report(life);
    const { id } = await assigned(life, issue);
    await life.orchestrator.wake(id, "directly");
    await life.orchestrator.wake(id, "directly");
    expect(await listCycles(life.db, id)).toHaveLength(1);
    await life.deliver(await life.people.editIssue(issue, "ann", { title: "Wrong total", body: "It shows 0." }));
    await life.settled(issue);
    expect(await listCycles(life.db, id)).toHaveLength(2);
  });

  test("where nobody is assigned, a maintainer in the thread is asked how it is to be done (R-PLAN-16)", async () => {
    const life = await openLife();
    const issue = await report(
      life,
      "We need taxes in `total` of src/cart.ts.",
      "Feature request: add tax to the total",
    );
    await life.people.comment(issue, "mia", "Thanks, that has been asked before.");
    const { id } = await assigned(life, issue);
    const asked = await listGaps(life.db, id);
    expect(asked.map(({ respondent }) => respondent)).toEqual(["reporter", "maintainer"]);
    expect((await life.said(issue)).at(-1)).toMatch(/^@mia/);
    await says(life, issue, "mia", `${asked[1]?.number ?? 0}. Callers keep working.`);
    expect(await listGaps(life.db, id)).toMatchObject([{ status: "open" }, { closedReason: "answered" }]);
  });

  test("where somebody may have refused it before, the gate says so, and asks all the same", async () => {
    const life = await openLife();
    const issue = await report(
      life,
      "We need taxes in `total` of src/cart.ts.",
      "Feature request: add tax to the total",
    );
    await life.people.comment(issue, "mia", "We talked about it and decided against it, the shop adds them.");
    const { state } = await assigned(life, issue);
    expect(state).toBe("awaiting_proceed");
    expect((await life.said(issue)).at(-1)).toMatch(/mia may have refused this.*Shall I write the spec all the same\?/);
  });

  test("questions, answers, the gate, the go-ahead, the spec, done; silence moves nothing", async () => {
    const life = await openLife();
    const issue = await report(life);
    const asked = await assigned(life, issue);
    expect(asked.state).toBe("clarifying");
    expect(await life.tracker.listReactions(issue, null, "eyes")).toEqual([BOT]);
    const open = (await listGaps(life.db, asked.id)).filter((gap) => gap.status === "open");
    expect(open.length).toBeGreaterThan(0);
    expect(await life.said(issue)).toHaveLength(1);

    await life.orchestrator.wake(asked.id, "directly");
    expect((await life.existing(issue)).state).toBe("clarifying");
    expect(await life.said(issue)).toHaveLength(1);

    const gate = await says(life, issue, "ann", open.map((gap) => `${gap.number}. ${ANSWERS}`).join("\n"));
    expect(gate.state).toBe("awaiting_proceed");
    expect((await listGaps(life.db, gate.id)).every((gap) => gap.closedReason === "answered")).toBe(true);
    const words = (await life.said(issue)).length;
    await life.orchestrator.wake(gate.id, "directly");
    expect((await life.existing(issue)).state).toBe("awaiting_proceed");
    expect(await life.said(issue)).toHaveLength(words);

    const done = await says(life, issue, "mia", "go ahead with the spec");
    expect(done.state).toBe("done");
    expect(done.spec).not.toBeNull();
    expect(await life.shown(issue)).toBe("**The spec is ready. If something should be different, say so here.**");
    expect((await latestSpec(life.db, done.id))?.version).toBe(1);
    expect((await life.tracker.getIssue(issue)).labels).toEqual(["bug", "relay:done"]);
  });

  test("words at the gate that may be meant as the go-ahead are answered, and again where they hold a yes, three times at most", async () => {
    const life = await openLife();
    await life.people.setMember("shop", "guest", "read");
    const issue = await report(life);
    const { id } = await assigned(life, issue);
    const open = (await listGaps(life.db, id)).filter((gap) => gap.status === "open");
    await says(life, issue, "ann", open.map((gap) => `${gap.number}. ${ANSWERS}`).join("\n"));
    const answers: string[] = [];
    let before = (await life.said(issue)).length;
    for (const [who, text] of [
      ["mia", "go ahead tomorrow"],
      ["mia", "fine, if the tests stay green"],
      ["ann", "yes?"],
      ["ann", "@mia what do you think?"],
      ["guest", "go ahead"],
      ["guest", "yes, go ahead"],
      ["mia", "thanks!"],
      ["mia", "The customers are in a hurry."],
      ["mia", "Back from lunch, go on."],
      ["mia", "The weather is fine, so: yes."],
      ["mia", "Not yet."],
      ["mia", "no thanks"],
      ["mia", "Can you explain why you think so?"],
    ] as const) {
      expect((await says(life, issue, who, text)).state).toBe("awaiting_proceed");
      const said = await life.said(issue);
      answers.push(...said.slice(before));
      before = said.length;
    }
    expect(answers.map((answer) => answer.split("\n")[0])).toEqual([
      "@mia, I don’t take that as a go-ahead yet. Reply “go ahead” when I should start; I’ll take into account what you wrote.",
      expect.stringMatching(
        /^@mia, I still wait for a go-ahead: .* A reply of “go ahead”, and nothing else, starts me\.$/,
      ),
      "@ann, I don’t take that as a go-ahead yet. Reply “go ahead” when I should start; I’ll take into account what you wrote.",
      expect.stringMatching(
        /^@guest, the go-ahead has to come from someone who decides here: .*\bmia\b.* or anyone with write access\./,
      ),
      expect.stringMatching(/^@mia, I still wait for a go-ahead: /),
      "@mia, all right, I start nothing. If you change your mind, reply “go ahead”.",
      "@mia, I can’t answer questions without a model. Reply “go ahead” when I should start.",
    ]);
    expect((await says(life, issue, "mia", "OK, I changed my mind, please go ahead.")).state).toBe("done");
  });

  test("a go-ahead by somebody without a say is no go-ahead", async () => {
    const life = await openLife();
    await life.people.setMember("shop", "guest", "read");
    const issue = await report(life);
    await assigned(life, issue);
    const before = (await life.said(issue)).length;
    expect((await says(life, issue, "guest", "go ahead with the spec")).state).toBe("clarifying");
    await says(life, issue, "guest", "Go ahead, please.");
    await says(life, issue, "guest", "That is good news.");
    expect((await life.said(issue)).slice(before)).toEqual([
      expect.stringMatching(/^@guest, the go-ahead has to come from someone who decides here: ann/),
    ]);
  });

  test("several people whose go-ahead does not count are told at once who decides, each of them once", async () => {
    const life = await openLife();
    for (const login of ["guest", "eve", "bob"]) await life.people.setMember("shop", login, "read");
    const issue = await report(life);
    const { id } = await assigned(life, issue);
    const open = (await listGaps(life.db, id)).filter((gap) => gap.status === "open");
    await says(life, issue, "ann", open.map((gap) => `${gap.number}. ${ANSWERS}`).join("\n"));
    const before = (await life.said(issue)).length;
    const first = await life.people.comment(issue, "guest", "Looks right, go ahead with the spec.");
    const second = await life.people.comment(issue, "eve", "Looks right, go ahead with the spec.");
    await life.deliver(first);
    await life.deliver(second);
    await life.settled(issue);
    await says(life, issue, "eve", "go ahead");
    await says(life, issue, "bob", "go ahead");
    const answers = (await life.said(issue)).slice(before).join("\n");
    expect(answers.match(/@\w+/g)?.toSorted()).toEqual(["@bob", "@eve", "@guest"]);
  });

  test("a comment after the spec leads to the gate, a go-ahead to a second version with history", async () => {
    const life = await openLife();
    const issue = await report(life);
    const first = await toSpec(life, issue);
    const gate = await says(life, issue, "ann", "Please also show the total in the page title.");
    expect(gate.state).toBe("awaiting_proceed");
    const second = await says(life, issue, "mia", "go ahead with the spec");
    expect(second.state).toBe("done");
    expect((await latestSpec(life.db, second.id))?.version).toBe(2);
    expect(second.spec?.path).toBe(first.spec?.path);
    if (!second.spec) throw new Error("no spec");
    const text = await life.specStore.read(second.spec);
    expect(text).toMatch(/## Changelog[\s\S]*@(ann|mia)/);
    const folder = join(life.folder, "relay_specs", second.spec.path.split("/").at(-2) ?? "");
    expect(await readdir(join(folder, "history"))).toHaveLength(1);
  });

  test("thanks after the spec move nothing", async () => {
    const life = await openLife();
    const issue = await report(life);
    await toSpec(life, issue);
    const words = (await life.said(issue)).length;
    expect((await says(life, issue, "ann", "thanks!")).state).toBe("done");
    expect(await life.said(issue)).toHaveLength(words);
  });
});

describe("engagement", () => {
  test("a mention by a permitted person skips the wait", async () => {
    const life = await openLife(undefined, 600_000);
    const issue = await report(life);
    await life.deliver(await life.people.comment(issue, "mia", "@relay please have a look"));
    expect((await life.settled(issue)).state).toBe("clarifying");
  });

  test("strangers' mentions, comments and other people's assignment engage nothing", async () => {
    const life = await openLife();
    await life.people.setMember("shop", "guest", "read");
    const issue = await report(life);
    for (const event of [
      issue,
      await life.people.comment(issue, "guest", "@relay do it"),
      await life.people.comment(issue, "mia", "ask `@relay` some day"),
      await life.people.assign(issue, "mia", "mia"),
    ]) {
      const receipt = await life.deliver(event);
      if (receipt.kind === "stored") await life.worked(issue);
    }
    expect(await life.stored(issue)).toBeNull();
    expect(await life.said(issue)).toEqual([]);
  });

  test("a repeated delivery does nothing", async () => {
    const life = await openLife();
    const issue = await report(life);
    const event = await life.people.assign(issue, "mia", BOT);
    expect((await life.deliver(event, "delivery-1")).kind).toBe("stored");
    expect((await life.deliver(event, "delivery-1")).kind).toBe("repeated");
    await life.settled(issue);
    expect(await life.said(issue)).toHaveLength(1);
  });

  test("a delivery that two jobs take at once is worked off once", async () => {
    const life = await openLife((deps) => ({
      jobs: { ...deps.jobs, sendEvents: async () => await Promise.resolve() },
    }));
    const issue = await report(life);
    const receipt = await life.deliver(await life.people.assign(issue, "mia", BOT));
    if (receipt.kind !== "stored") throw new Error("not stored");
    const both = await Promise.all([
      life.orchestrator.processDeliveries(issue),
      life.orchestrator.processDeliveries(issue),
    ]);
    expect(both.flat().map((one) => one.decision)).toEqual(["engage"]);
  });

  test("each comment restarts the quiet wait", async () => {
    const life = await openLife(undefined, 600_000);
    const issue = await report(life);
    const first = await life.deliver(await life.people.assign(issue, "mia", BOT));
    if (first.kind === "stored") await life.worked(issue);
    const before = (await life.existing(issue)).debounceUntil;
    const second = await life.deliver(await life.people.comment(issue, "ann", "one more thing"));
    if (second.kind === "stored") await life.worked(issue);
    const after = await life.existing(issue);
    expect(after.debounceUntil?.getTime()).toBeGreaterThan(before?.getTime() ?? 0);
    await life.orchestrator.wake(after.id);
    expect(await life.existing(issue)).toMatchObject({ state: "pending_plan", debounceUntil: after.debounceUntil });
  });

  test("bots never wake, and what they say is kept as context", async () => {
    const life = await openLife();
    await life.people.setMember("shop", "ci", "write", true);
    const issue = await report(life);
    await assigned(life, issue);
    const cycles = (await listCycles(life.db, (await life.existing(issue)).id)).length;
    const after = await says(life, issue, "ci", "go ahead with the spec, @relay");
    expect(after.state).toBe("clarifying");
    expect(await listCycles(life.db, after.id)).toHaveLength(cycles);
    expect((await listMessages(life.db, after.id)).at(-1)).toMatchObject({ author: "ci", isBot: true });
  });
});

describe("stop, rest and go on", () => {
  test.each(["unassign", "close"] as const)("%s stops; the opposite resumes where it stood", async (way) => {
    const life = await openLife();
    const issue = await report(life);
    await assigned(life, issue);
    await life.deliver(
      way === "close"
        ? await life.people.setState(issue, "mia", "closed")
        : await life.people.unassign(issue, "mia", BOT),
    );
    expect(await life.settled(issue)).toMatchObject({ state: "closed", resumesAs: "clarifying" });
    expect((await says(life, issue, "ann", "1. nobody is listening")).state).toBe("closed");
    await life.deliver(
      way === "close" ? await life.people.setState(issue, "mia", "open") : await life.people.assign(issue, "mia", BOT),
    );
    // What was said meanwhile counts: the wait is over, the answer is read.
    const resumed = await life.settled(issue);
    expect(["clarifying", "awaiting_proceed"]).toContain(resumed.state);
    expect((await listGaps(life.db, resumed.id)).some((gap) => gap.closedNote === "nobody is listening")).toBe(true);
  });

  test("stopping during the wait leaves no wait behind", async () => {
    const life = await openLife(undefined, 600_000);
    const issue = await report(life);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.worked(issue);
    expect(await life.stored(issue)).toMatchObject({ state: "pending_plan" });
    await life.deliver(await life.people.unassign(issue, "mia", BOT));
    expect(await life.settled(issue)).toMatchObject({ state: "closed", debounceUntil: null });
  });

  test("the operator's pause survives comments, and what was said meanwhile is read after the resume", async () => {
    const life = await openLife();
    const issue = await report(life);
    const asked = await assigned(life, issue);
    await life.transition(life.db, asked.id, "pause_requested", { why: "asked", actor: "operator" });
    expect(await says(life, issue, "ann", `1. ${ANSWERS}`)).toMatchObject({ state: "paused", resumesAs: "clarifying" });
    expect(await says(life, issue, "mia", "@relay go ahead with the spec")).toMatchObject({ state: "paused" });
    await life.transition(life.db, asked.id, "resume_requested", { why: "resumed", actor: "operator" });
    await life.orchestrator.wakeNow(asked.id);
    expect((await life.settled(issue)).state).toBe("done");
  });

  test("a pause in the middle of a cycle stands when the cycle ends", async () => {
    const life = await openLife((deps) => ({
      plannerFor: (code, spending) => {
        const planner = deps.plannerFor(code, spending);
        const plan: typeof planner.plan = async (context, problems) => {
          await deps.transition(deps.db, context.issue.id, "pause_requested", { why: "asked", actor: "operator" });
          return await planner.plan(context, problems);
        };
        return { ...planner, plan };
      },
    }));
    const issue = await report(life);
    expect(await assigned(life, issue)).toMatchObject({ state: "paused", resumesAs: "pending_plan" });
  });
});

describe("when something fails", () => {
  test("three failed cycles pause with one comment; a resume takes the same go-ahead", async () => {
    let broken = true;
    const life = await openLife((deps) => ({
      specStore: {
        ...deps.specStore,
        write: async (...args) => {
          if (broken) throw new RelayError("io", "cannot write to the spec folder");
          return await deps.specStore.write(...args);
        },
      },
    }));
    const issue = await report(life);
    const paused = await toSpec(life, issue);
    expect(paused).toMatchObject({ state: "paused", failedCycles: 3, resumesAs: "awaiting_proceed" });
    expect((await life.said(issue)).filter((text) => text.includes("relay:paused"))).toHaveLength(1);
    expect((await life.tracker.getIssue(issue)).labels).toEqual(["bug", "relay:stuck"]);
    expect((await listCycles(life.db, paused.id)).slice(-3).map((cycle) => cycle.status)).toEqual(
      Array.from({ length: 3 }, () => "failed"),
    );
    broken = false;
    await life.transition(life.db, paused.id, "resume_requested", { why: "resumed", actor: "operator" });
    await life.orchestrator.wakeNow(paused.id);
    expect(await life.settled(issue)).toMatchObject({ state: "done", failedCycles: 0 });
    expect((await life.tracker.getIssue(issue)).labels).toEqual(["bug", "relay:done"]);
  });

  test("a new version that was written and not recorded is recorded by the next try", async () => {
    let writes = 0;
    const life = await openLife((deps) => ({
      specStore: {
        ...deps.specStore,
        write: async (...args) => {
          const result = await deps.specStore.write(...args);
          writes += 1;
          if (writes === 2) throw new RelayError("unavailable", "the database went away", { retryable: true });
          return result;
        },
      },
    }));
    const issue = await report(life);
    await toSpec(life, issue);
    await says(life, issue, "ann", "Please also show the total in the page title.");
    const { state, spec } = await says(life, issue, "mia", "go ahead with the spec");
    expect(state).toBe("done");
    if (spec === null) throw new Error("no spec");
    const changes = (await life.specStore.read(spec)).split(/## (?:Changelog|Evidence)/)[1] ?? "";
    expect(changes.match(/@(ann|mia)/g)).toHaveLength(1);
  });

  test("questions that could not be posted are posted by the next try", async () => {
    let refusals = 7;
    const life = await openLife((deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const createComment: typeof tracker.createComment = async (...args) => {
          if (isStatusComment(args[1])) return await tracker.createComment(...args);
          refusals -= 1;
          if (refusals >= 0) throw new RelayError("unavailable", "503", { status: 503 });
          return await tracker.createComment(...args);
        };
        return { ...tracker, createComment };
      },
    }));
    const issue = await report(life);
    expect(await assigned(life, issue)).toMatchObject({ state: "clarifying", failedCycles: 0 });
    expect(await life.said(issue)).toHaveLength(1);
  });

  test("a go-ahead from before the questions stand does not close them by assumption (R-CONF-11)", async () => {
    let early: (() => Promise<void>) | null = null;
    const life = await openLife((deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const createComment: typeof tracker.createComment = async (...args) => {
          await early?.();
          early = null;
          return await tracker.createComment(...args);
        };
        return { ...tracker, createComment };
      },
    }));
    const issue = await report(life);
    early = async () => {
      await life.deliver(await life.people.comment(issue, "mia", "go ahead"));
      await sleep(5);
    };
    expect(await assigned(life, issue)).toMatchObject({ state: "clarifying", spec: null });
    await life.deliver(await life.people.comment(issue, "mia", "go ahead"));
    expect((await life.settled(issue)).spec).not.toBeNull();
  });

  const askingForPatience = async () => {
    let refusals = 1;
    return await openLife((deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const createComment: typeof tracker.createComment = async (...args) => {
          // What the cycle says; its status may be told later.
          if (!args[1].includes("relay:status")) refusals -= 1;
          else if (refusals > 0) throw new RelayError("rate_limited", "429", { status: 429, retryAfterMs: 90_000 });
          if (refusals >= 0) throw new RelayError("rate_limited", "429", { status: 429, retryAfterMs: 90_000 });
          return await tracker.createComment(...args);
        };
        return { ...tracker, createComment };
      },
    }));
  };
  const isPatient = async (life: Life, issue: Address) =>
    ((await life.stored(issue))?.debounceUntil?.getTime() ?? 0) > Date.now() + 60_000;

  test("a tracker that asks for patience gets it, and then the very same comment", async () => {
    const life = await askingForPatience();
    const issue = await report(life);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    while (!(await isPatient(life, issue))) await sleep(25);
    const { id } = await life.existing(issue);
    expect(await life.orchestrator.isIdle(id)).toBe(false);
    await life.orchestrator.wake(id);
    expect(await life.said(issue)).toEqual([]);
    await life.orchestrator.wake(id, "directly");
    expect((await life.settled(issue)).state).toBe("clarifying");
    expect(await life.said(issue)).toHaveLength(1);
    expect(await listCycles(life.db, id)).toHaveLength(1);
  });

  test.each(["says", "changes"] as const)(
    "what somebody %s while a cycle waits to go on is not forgotten when that ends",
    async (does) => {
      const life = await askingForPatience();
      const issue = await report(life);
      await life.deliver(await life.people.assign(issue, "mia", BOT));
      while (!(await isPatient(life, issue))) await sleep(25);
      const event =
        does === "says"
          ? await life.people.comment(issue, "ann", ANSWERS)
          : await life.people.editIssue(issue, "ann", { title: "Wrong total in the cart", body: ANSWERS });
      await life.deliver(event);
      const { id } = await life.settled(issue);
      expect(await listUnreadSeqs(life.db, id)).toEqual([]);
      expect(await listCycles(life.db, id)).toHaveLength(2);
    },
  );

  test("a delivery about a deleted issue does not hold up the ones behind it", async () => {
    const life = await openLife();
    const issue = await report(life);
    const event = await life.people.assign(issue, "mia", BOT);
    await life.people.erase(issue);
    const receipt = await life.deliver({ ...event, at: new Date(event.at.getTime() - 600_000) });
    if (receipt.kind !== "stored") throw new Error("not stored");
    await life.worked(issue);
    expect(await life.stored(issue)).toBeNull();
  });

  test("an issue that the tracker does not show yet is waited for, though the process's clock is a day ahead", async () => {
    let asked = 0;
    const life = await openLife((deps) => ({
      clock: { now: () => new Date(deps.clock.now().getTime() + 86_400_000) },
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const getIssue: typeof tracker.getIssue = async (address) => {
          asked += 1;
          if (asked === 1) throw missing("there is no such issue");
          return await tracker.getIssue(address);
        };
        return { ...tracker, getIssue };
      },
    }));
    expect((await assigned(life, await report(life))).state).toBe("clarifying");
  });

  test("labels and state files that cannot be written keep nothing from being done", async () => {
    const life = await openLife(() => ({ home: "/dev/null/relay" }));
    await life.people.setMember("shop", BOT, "read", true);
    const issue = await report(life);
    expect((await assigned(life, issue)).state).toBe("clarifying");
    expect(await life.said(issue)).toHaveLength(1);
  });

  test("what was left undone is taken up again: deliveries without a job, waits without a wake-up", async () => {
    let lost = true;
    const life = await openLife((deps) => ({
      jobs: {
        ...deps.jobs,
        sendEvents: async (...args) => (lost ? await Promise.resolve() : await deps.jobs.sendEvents(...args)),
        setWake: async (...args) => (lost ? await Promise.resolve() : await deps.jobs.setWake(...args)),
      },
    }));
    const issue = await report(life);
    const receipt = await life.deliver(await life.people.assign(issue, "mia", BOT));
    expect(await life.stored(issue)).toBeNull();
    if (receipt.kind === "stored") await life.worked(issue);
    await life.deliver(await life.people.comment(issue, "ann", "more"));
    await sleep(600);
    expect((await life.existing(issue)).state).toBe("pending_plan");
    lost = false;
    await life.orchestrator.recover();
    expect((await life.settled(issue)).state).toBe("clarifying");
  });
});

describe("state in plain files", () => {
  test("a waiting issue has one, with the fields of R-LIFE-6; a finished one has none", async () => {
    const life = await openLife();
    const issue = await report(life);
    await assigned(life, issue);
    const file = join(life.home, "state", `${issue.externalIssueId}.md`);
    expect(await readFile(file, "utf8")).toMatch(
      /^---\nstate: clarifying\nrepo: shop\nissue_number: 1\ntitle: Wrong total in the cart\nassigned_at: .+\n---\n/,
    );
    await says(life, issue, "mia", "go ahead with the spec");
    expect(await readdir(join(life.home, "state"))).toEqual([]);
  });
});

test("every change of state is in the record, with its reason", async () => {
  const life = await openLife();
  const issue = await report(life);
  const done = await toSpec(life, issue);
  const moves = (await listAudit(life.db, done.id)).filter((entry) => entry.what === "state.changed");
  expect(moves.map((entry) => entry.after)).toEqual([
    "planning",
    "clarifying",
    "planning",
    "awaiting_proceed",
    "planning",
    "specifying",
    "done",
  ]);
  expect(moves.every((entry) => entry.why !== null && entry.why !== "")).toBe(true);
});
