import { array, assert, constantFrom, oneof, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action } from "../../domain/action.ts";
import type { AuditEntry, StoredAction } from "../../domain/cycle.ts";
import { type Finding, FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import { actionKey, marker } from "../../domain/marker.ts";
import { memoryPosts } from "../../../test/support/memory-posts.ts";
import type { Gap } from "../../domain/gap.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import type { TrackerComment } from "../../adapters/trackers/tracker.ts";
import type { BatchState, JudgedMessage } from "./batch-state.ts";
import { executeBatch } from "./execute.ts";
import { idempotencyKey } from "./ledger.ts";
import type { ActionWrites, AuditDraft, ExecutorDeps } from "./ports.ts";
import { parseSubmission } from "./submission.ts";
import { validateBatch } from "./validate.ts";
import { triesOf } from "../../../test/support/tries.ts";

const noon = new Date(Date.UTC(2026, 0, 1, 12));
const at = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);
const address = { provider: "local", externalProjectId: "local/demo", externalIssueId: "1" } as const;

/** What the next calls of the tracker do; when they run out, all goes well. */
type Fault = "ok" | "502 before" | "502 after" | "429" | "429 for long" | "403" | "strange answer";

class CutOff extends Error {}

interface Tables {
  gaps: Gap[];
  findings: Finding[];
  learnings: string[];
  specStatus: string | null;
  audit: (AuditDraft | Pick<AuditEntry, "what">)[];
  actions: StoredAction[];
  nextId: number;
}

/** A store, a tracker and a spec store in memory; the store's transactions roll back. */
function world(actions: Action[], { cutOffAt = Infinity, faults = [] }: { cutOffAt?: number; faults?: Fault[] } = {}) {
  let tables: Tables = {
    gaps: [gap(1), gap(2, { severity: "blocking" }), gap(3, { status: "pending", askedAt: null })],
    findings: [
      {
        id: "91",
        issueId: "1",
        number: 1,
        synthesis: "old",
        sources: [{ location: "a.ts", snippet: "" }],
        commit: null,
        createdAt: noon,
      },
    ],
    learnings: [],
    specStatus: null,
    audit: [],
    actions: actions.map((action, position) => stored(action, position)),
    nextId: 100,
  };
  const comments: TrackerComment[] = [];
  const specs = new Map<string, string>();
  const waits: number[] = [];
  const posts = memoryPosts();
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps === cutOffAt) throw new CutOff("the power went out");
  };
  const transaction = async (work: () => Promise<void>) => {
    step();
    const before = structuredClone(tables);
    try {
      await work();
      step();
    } catch (error) {
      tables = before;
      throw error;
    }
    step();
  };
  const row = (id: string) => tables.actions.find((action) => action.id === id) ?? stored(undefined, 0);
  const id = () => String((tables.nextId += 1));

  const changeGap = (gapId: string, change: Partial<Gap>) => {
    tables.gaps = tables.gaps.map((each) => (each.id === gapId ? { ...each, ...change } : each));
  };
  let posted: { id: string; createdAt: Date } | null = null;
  const writes: ActionWrites = {
    listGaps: async () => structuredClone(tables.gaps),
    addGap: async (added) => {
      const status = added.pending ? "pending" : "open";
      const made = gap(tables.gaps.length + 1, { ...added, id: id(), status, askedAt: added.pending ? null : at(60) });
      tables.gaps.push(made);
      return made;
    },
    askGap: async (gapId) => changeGap(gapId, { status: "open", askedAt: at(60) }),
    askWithComment: async () => {
      if (posted === null) return;
      const asked = { askedAt: posted.createdAt, askedIn: posted.id };
      for (const each of tables.gaps) if (each.askedAt !== null && each.askedIn === null) Object.assign(each, asked);
    },
    settlePost: async (_, comment) => {
      posted = comment;
    },
    closeGap: async (gapId, closedReason, { note, answeredIn }) =>
      changeGap(gapId, { status: "closed", closedReason, closedNote: note, answeredIn }),
    listFindings: async () => structuredClone(tables.findings),
    addFinding: async (finding) => {
      const added = id();
      tables.findings = [
        ...tables.findings,
        { ...finding, id: added, number: Number(added), issueId: "1", commit: null, createdAt: noon },
      ].slice(-FINDINGS_PER_ISSUE);
    },
    removeFinding: async (findingId) => {
      tables.findings = tables.findings.filter((each) => each.id !== findingId);
    },
    proposeLearning: async ({ content }) => {
      if (tables.learnings.includes(content)) return false;
      tables.learnings.push(content);
      return true;
    },
    setSpecStatus: async ({ status }) => {
      const before = tables.specStatus;
      if (before !== null) tables.specStatus = status;
      return before;
    },
  };
  const writeSpec = async (text: string, attempt: { idempotencyKey: string; repeated: boolean }) => {
    step();
    const known = attempt.repeated && specs.has(attempt.idempotencyKey);
    if (!known) specs.set(`${attempt.idempotencyKey}${specs.has(attempt.idempotencyKey) ? " again" : ""}`, text);
    step();
    return async () => {
      tables.specStatus = "draft";
      const audit = { issueId: "1", actor: "relay", what: "spec.written", why: null, before: null, after: text };
      return { outcome: null, audit: [audit] };
    };
  };
  const answer = (fault: Fault | undefined, when: "before" | "after") => {
    if (fault === `502 ${when}`) throw new RelayError("unavailable", "bad gateway", { status: 502 });
    if (when === "after" && fault === "strange answer") throw new RelayError("invalid", "the answer has no id");
    if (when === "after") return;
    if (fault === "429") throw new RelayError("rate_limited", "slow down", { status: 429, retryAfterMs: 5_000 });
    if (fault === "429 for long")
      throw new RelayError("rate_limited", "come back", { status: 429, retryAfterMs: 90_000 });
    if (fault === "403") throw new RelayError("forbidden", "locked", { status: 403 });
  };

  const deps: ExecutorDeps<ActionWrites> = {
    issue: { id: "1", url: "https://e.org/7", body: "", reporter: "alice", ...address },
    reasoning: "because",
    messages,
    writerOf: async ({ externalId }) => await Promise.resolve(externalId === "m1" ? "alice" : null),
    participants: ["alice"],
    tracker: {
      bot: "relay",
      settlesAfterMs: 0,
      permissionOf: async () => await Promise.resolve("none"),
      isBot: async () => await Promise.resolve(false),
      createComment: async (_, body, threadId) => {
        step();
        const fault = faults.shift();
        answer(fault, "before");
        const comment = trackerComment(comments.length + 1, body, "relay", threadId);
        comments.push(comment);
        answer(fault, "after");
        step();
        return comment;
      },
      updateComment: async (_, edited, body) => {
        const comment = comments.find((one) => one.id === edited);
        if (comment === undefined) throw new RelayError("not_found", "there is no such comment");
        return Object.assign(comment, { body });
      },
      listComments: async (_, cursor) => {
        step();
        const start = Number(cursor ?? 0);
        return {
          comments: comments.slice(start, start + 2),
          next: start + 2 < comments.length ? String(start + 2) : null,
        };
      },
      listChangedComments: async (_, since) => {
        step();
        const changed = comments.filter(({ createdAt }) => createdAt >= since);
        return changed.length > 3 ? null : changed;
      },
    },
    lostComment: async () => await Promise.resolve(null),
    posts: {
      ...posts,
      begin: async (key) => {
        step();
        await posts.begin(key);
        step();
      },
    },
    clock: { now: () => at(60) },
    ledger: {
      begin: async (actionId) => {
        step();
        row(actionId).attempts += 1;
        step();
      },
      finish: async (actionId, apply) =>
        await transaction(async () => {
          if (row(actionId).status === "done") return;
          const { outcome, audit } = await apply(writes);
          tables.audit.push(...audit);
          Object.assign(row(actionId), { status: "done", outcome });
        }),
      fail: async (actionId, error, audit) =>
        await transaction(async () => {
          if (row(actionId).status === "done") return;
          tables.audit.push(...audit);
          Object.assign(row(actionId), { status: "failed", error });
        }),
    },
    generateSpec: async (handoff, attempt) => await writeSpec(handoff.context_summary, attempt),
    writeSpec: async (spec, attempt) => await writeSpec(spec.content_markdown, attempt),
    linked: async (text) => text.replaceAll("`src/a.ts:3`", "[`src/a.ts:3`](https://e.org/a#L3)"),
    sleep: async (ms) => {
      waits.push(ms);
    },
    log: silentLog,
  };
  return {
    deps,
    comments,
    specs,
    waits,
    tables: () => tables,
    steps: () => steps,
    cutOffAgainAt: (next: number) => {
      cutOffAt = steps + next;
    },
    run: async () => await executeBatch(structuredClone(tables.actions), deps),
  };
}

function gap(number: number, change: Partial<Gap> = {}): Gap {
  return {
    id: `90000000000000000${number}`,
    issueId: "1",
    number,
    question: "Why?",
    evidence: null,
    severity: "high",
    respondent: "reporter",
    topic: null,
    proposedDefault: null,
    status: "open",
    askedAt: at(1),
    askedIn: null,
    closedAt: null,
    closedReason: null,
    closedNote: null,
    answeredIn: null,
    createdAt: noon,
    ...change,
  };
}

function stored(action: Action | undefined, position: number): StoredAction {
  return {
    id: `action ${position}`,
    cycleId: "7",
    issueId: "1",
    round: 0,
    position,
    action: action ?? { type: "set_spec_status", data: { status: "rejected" } },
    idempotencyKey: idempotencyKey({ issueId: "1", cycleNumber: 1, round: 0, position }),
    status: "pending",
    attempts: 0,
    outcome: null,
    error: null,
  };
}

function trackerComment(number: number, body: string, author: string, threadId: string | null = null): TrackerComment {
  return {
    id: `c${number}`,
    threadId,
    replyToId: null,
    author,
    isBot: author === "relay",
    body,
    createdAt: noon,
    editedAt: null,
  };
}

const messages: JudgedMessage[] = [
  {
    seq: 1,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp: at(5),
    editedAt: null,
    isNew: true,
    content: "Please go ahead",
    externalId: "m1",
    externalThreadId: "t1",
    permitted: true,
  },
];

function parsed(actions: unknown[]): Action[] {
  const submission = parseSubmission(actions);
  if (submission.kind === "refused") throw new Error(JSON.stringify(submission.problems));
  return submission.batch.actions;
}

/** New findings. */
function filled(count: number) {
  return Array.from({ length: count }, (_, n) => ({ synthesis: `f${n}`, sources: [{ location: "a.ts" }] }));
}

const everything = parsed([
  { type: "post_comment", content: "Understood." },
  { type: "ready_for_spec_generation", context_summary: "all", proceed_signal: "go ahead" },
  { type: "update_findings", add: [{ synthesis: "new", sources: [{ location: "b.ts:1" }] }], remove: ["91"] },
  { type: "update_gaps", add: [{ question: "More?", severity: "low", respondent: "assignee" }], ask: [3] },
  { type: "update_gaps", close: [1, 2, 3, 4].map((gap_id) => ({ gap_id, reason: "answered", note: "so" })) },
  { type: "update_learnings", propose: [{ type: "code_learnings", content: "We like tests" }] },
  { type: "set_spec_status", status: "approved" },
  { type: "post_comment", content: "The spec follows from @stranger's words.", reply_to_id: "m1" },
]);
const bodyOf = (position: number) =>
  marker(actionKey(idempotencyKey({ issueId: "1", cycleNumber: 1, round: 0, position })));

describe("the executor", () => {
  test("carries everything out, the spec after what it is written from", async () => {
    const { run, tables, comments, specs } = world(everything);
    const report = await run();
    expect(report).toMatchObject({ failures: [], postponedMs: null });
    expect(report.done.map(({ position }) => position)).toEqual([0, 2, 3, 4, 5, 1, 6, 7]);
    expect(tables().gaps.map(({ status }) => status)).toEqual(["closed", "closed", "closed", "closed"]);
    expect(tables().findings.map(({ synthesis }) => synthesis)).toEqual(["new"]);
    expect(tables().specStatus).toBe("approved");
    expect([...specs.values()]).toEqual(["all"]);
    expect(comments.map(({ body, threadId }) => [body, threadId])).toEqual([
      [`Understood.\n\n${bodyOf(0)}`, null],
      [`The spec follows from stranger's words.\n\n${bodyOf(7)}`, "t1"],
    ]);
    expect(
      tables()
        .audit.map(({ what }) => what)
        .join(" "),
    ).toBe(
      "comment.posted finding.removed finding.added gap.asked gap.asked gap.closed gap.closed gap.closed gap.closed " +
        "learning.proposed spec.written spec.approved comment.posted",
    );
  });

  test("posts a comment with links to the places that it names (R-SPEC-17)", async () => {
    const { run, comments } = world([{ type: "post_comment", data: { content: "I would start at `src/a.ts:3`." } }]);
    await run();
    expect(comments[0]?.body).toContain("I would start at [`src/a.ts:3`](https://e.org/a#L3).\n");
  });

  test("does nothing a second time", async () => {
    const { run, tables, comments } = world(everything);
    await run();
    const before = structuredClone(tables());
    expect(await run()).toMatchObject({ failures: [], postponedMs: null });
    expect(tables()).toEqual(before);
    expect(comments).toHaveLength(2);
  });

  const oneComment = parsed([{ type: "post_comment", content: "Hello" }]);
  test.each<[Fault[], number[], string[], number]>([
    [["502 before"], [1_000], [], 1],
    [["502 after"], [1_000], [], 1],
    [["502 before", "502 after"], [1_000, 2_000], [], 1],
    [["502 before", "502 before", "502 after"], [1_000, 2_000, 4_000], [], 1],
    [["502 before", "502 before", "502 before"], [1_000, 2_000, 4_000], ["FAILED: post_comment | 502 | retryable"], 0],
    [["429", "429"], [5_000, 5_000], [], 1],
    [["403"], [], ["FAILED: post_comment | 403 | permanent"], 0],
    [["strange answer"], [1_000], [], 1],
  ])("with %j waits %j, reports %j, and has posted %i times", async (faults, expectedWaits, failures, posted) => {
    const { run, waits, comments, tables } = world(oneComment, { faults });
    expect(await run()).toMatchObject({ failures, postponedMs: null });
    expect(waits).toEqual(expectedWaits);
    expect(comments).toHaveLength(posted);
    expect(tables().audit.map(({ what }) => what)).toEqual([posted === 1 ? "comment.posted" : "action.failed"]);
  });

  test("leaves the actions pending when it is asked to wait for long, and goes on later", async () => {
    const { run, tables, comments } = world([...oneComment, ...oneComment], { faults: ["ok", "429 for long"] });
    expect(await run()).toMatchObject({ failures: [], postponedMs: 90_000 });
    expect(tables().actions.map(({ status }) => status)).toEqual(["done", "pending"]);
    expect(await run()).toMatchObject({ failures: [], postponedMs: null });
    expect(comments).toHaveLength(2);
  });

  test("is not fooled by a marker that somebody else pasted, nor by its own marker in the middle of a text", async () => {
    const { run, comments } = world(oneComment, { faults: ["502 before"] });
    comments.push(
      trackerComment(1, `mine\n\n${bodyOf(0)}`, "mallory"),
      trackerComment(2, `${bodyOf(0)}\nquoted`, "relay"),
    );
    expect(await run()).toMatchObject({ failures: [] });
    expect(comments.map(({ author }) => author)).toEqual(["mallory", "relay", "relay"]);
  });

  test("counts questions as asked when the tracker says that their comment was posted", async () => {
    const question = { question: "Why?", severity: "high", respondent: "reporter" };
    const { run, tables } = world(
      parsed([
        { type: "update_gaps", add: [question] },
        { type: "post_comment", content: "Why?" },
      ]),
    );
    await run();
    // By Relay's own clock it is an hour later.
    expect(tables().gaps.find(({ question: asked }) => asked === "Why?")?.askedAt).toEqual(noon);
  });

  test("keeps which message answered a question: the named one, else the one with its words", async () => {
    const close = (gap_id: number, rest: object) => ({ gap_id, reason: "answered", note: "so", ...rest });
    const { run, tables } = world(parsed([{ type: "update_gaps", close: [close(1, { message: 1 }), close(2, {})] }]));
    await run();
    expect(tables().gaps.map(({ answeredIn }) => answeredIn)).toEqual(["m1", "m1", null]);
    const byWords = world(parsed([{ type: "update_gaps", close: [close(1, { note: "GO  ahead", message: "#9" })] }]));
    await byWords.run();
    expect(byWords.tables().gaps[0]).toMatchObject({ status: "closed", answeredIn: "m1" });
  });

  test("finds the comment of an earlier try on a later page where the tracker cannot tell what is new", async () => {
    const { run, comments, tables } = world(oneComment, { faults: ["502 after"] });
    comments.push(...[1, 2, 3].map((number) => trackerComment(number, "chat", "alice")));
    await run();
    expect(comments).toHaveLength(4);
    expect(tables().actions[0]?.outcome).toEqual({ comment_id: "c4", thread_id: null, adopted: true });
  });

  test("a failure stops what rests on it, and nothing else", async () => {
    const { run, tables, specs } = world(
      parsed([
        {
          type: "update_gaps",
          add: [{ question: "More?", severity: "low", respondent: "assignee" }],
          close: [{ gap_id: 123, reason: "answered", note: "so" }],
        },
        { type: "update_gaps", close: [{ gap_id: 1, reason: "answered", note: "so" }] },
        { type: "post_comment", content: "Hello" },
        { type: "ready_for_spec_generation", context_summary: "all", proceed_signal: "go ahead" },
        { type: "set_spec_status", status: "approved" },
      ]),
    );
    const failures = [
      "FAILED: update_gaps[gap_123] | not found | permanent",
      "FAILED: update_gaps | update_gaps failed before | retryable",
      "FAILED: ready_for_spec_generation | update_gaps failed before | retryable",
      "FAILED: set_spec_status | ready_for_spec_generation failed before | retryable",
    ];
    expect(await run()).toMatchObject({ failures, done: [{ position: 2 }] });
    expect(tables().gaps).toHaveLength(3);
    expect(specs.size).toBe(0);
    expect((await run()).failures).toEqual(failures);
  });

  test("the oldest findings go when there are too many, and the record says so", async () => {
    const { run, tables } = world(parsed([{ type: "update_findings", add: filled(20) }]));
    await run();
    expect(tables().findings).toHaveLength(20);
    expect(tables().audit.filter(({ what }) => what === "finding.removed")).toHaveLength(1);
  });
});

describe("cut off anywhere and run again", () => {
  test.each<[string, Fault[]]>([
    ["a good day", []],
    ["a tracker that takes the comment and then answers 502", ["502 after", "502 after"]],
    ["a tracker that is down for a while", ["502 before", "502 before"]],
  ])("on %s, every effect is there exactly once", async (_, faults) => {
    const calm = world(everything, { faults: [...faults] });
    await calm.run();
    for (let first = 1; first <= calm.steps(); first += 1) {
      for (const second of [1, 8, Infinity, 2, 3, 5, 13, 21].slice(0, triesOf(8) + 1)) {
        const torn = world(everything, { cutOffAt: first, faults: [...faults] });
        await expect(torn.run()).rejects.toThrow(CutOff);
        torn.cutOffAgainAt(second);
        await torn.run().catch((error: unknown) => {
          if (!(error instanceof CutOff)) throw error;
        });
        torn.cutOffAgainAt(Infinity);
        expect(await torn.run()).toMatchObject({ failures: [], postponedMs: null });

        expect(torn.comments.map(({ body }) => body)).toEqual(calm.comments.map(({ body }) => body));
        expect(torn.tables().audit).toEqual(calm.tables().audit);
        expect(torn.tables().gaps).toEqual(calm.tables().gaps);
        expect(torn.tables().findings).toEqual(calm.tables().findings);
        expect(torn.tables().specStatus).toBe("approved");
        expect([...torn.specs.values()]).toEqual(["all"]);
      }
    }
  });
});

test("what the validator takes never fails for want of what it names", async () => {
  const reference = constantFrom(1, 2, 3, 4, 5, 6, "gap 3", "900000000000000001");
  const closing = record({
    gap_id: reference,
    reason: constantFrom("answered", "inferred", "not_relevant"),
    note: constantFrom("so", null),
  });
  const adding = record({
    question: constantFrom("Why?"),
    evidence: constantFrom("src/a.ts:3"),
    proposed_default: constantFrom("so"),
    severity: constantFrom("blocking", "high"),
    respondent: constantFrom("reporter", "assignee"),
    pending: constantFrom(true, false),
  });
  const few = { maxLength: 2 };
  const ready = { type: "ready_for_spec_generation", context_summary: "c", proceed_signal: "go ahead" };
  const action = oneof(
    record({
      type: constantFrom("post_comment"),
      content: constantFrom("Hi", "@all **3.** **4.** **5.**"),
      reply_to_id: constantFrom(null, "t1", "m1", "x"),
    }),
    record({
      type: constantFrom("update_gaps"),
      add: array(adding, few),
      ask: array(reference, { maxLength: 1 }),
      close: array(closing, few),
    }),
    // What random parts rarely make: a handoff with all gaps closed, and findings that push out the one removed.
    constantFrom(ready, {
      type: "update_gaps",
      close: [1, 2].map((gap_id) => ({ gap_id, reason: "inferred", note: "so" })),
    }),
    record({
      type: constantFrom("update_findings"),
      add: constantFrom(filled(0), filled(1), filled(20)),
      remove: constantFrom([], ["91"], ["92"]),
    }),
    constantFrom(
      { type: "update_spec", content_markdown: "# Spec", mode: "overwrite" },
      { type: "set_spec_status", status: "approved" },
    ),
  );
  const batches: Action[][] = [];
  assert(
    property(array(action, { minLength: 1, maxLength: 5 }), (submitted) => {
      const actions = parsed(submitted);
      const { tables } = world(actions);
      const { gaps, findings } = tables();
      const state: BatchState = {
        issue: "7",
        gaps,
        findings,
        nextGapNumber: 4,
        messages,
        participants: ["alice"],
        bot: "relay",
        hasSpec: false,
        proceedAsked: false,
        wishes: [],
        quickWay: false,
        textEdited: false,
        now: at(60),
      };
      if (validateBatch({ actions, reasoning: "" }, state).length === 0) batches.push(actions);
    }),
    { numRuns: triesOf(5_000) },
  );
  expect(batches.length).toBeGreaterThan(triesOf(500));
  expect(batches.some((actions) => actions.some(({ type }) => type === "ready_for_spec_generation"))).toBe(true);
  for (const actions of batches) {
    const { failures } = await world(actions).run();
    expect({ actions, failures }).toEqual({ actions, failures: [] });
  }
});
