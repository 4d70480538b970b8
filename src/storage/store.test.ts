import { pagesWithDeliveries } from "./unfinished.ts";
import { allIssues } from "../../test/support/all-issues.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import { LEARNINGS_READ } from "../domain/learning.ts";
import type { SpecRef } from "../domain/spec.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { listAudit, record } from "./audit.ts";
import { addActions, beginCycle, endCycle, finishAction, lastFailures, listActions } from "./cycles.ts";
import type { Database, Db } from "./db.ts";
import { countUnprocessed, markProcessed, nextDelivery } from "./deliveries.ts";
import { addEval } from "./model-calls.ts";
import { addFinding, listFindings, listRemovedFindings, removeFinding } from "./findings.ts";
import { addGap, askGap, askWithComment, closeGap, listGaps, nextGapNumber } from "./gaps.ts";
import { endDebounce, forgetIssue, getIssue, saveIssue, setDebounceUntil } from "./issues.ts";
import { changeLearning, listKept, listLearnings, proposeLearning } from "./learnings.ts";
import { listMessages, listReadIn, listUnreadSeqs, markRead, markUnread, saveThread } from "./messages.ts";
import { settlePost } from "./posts.ts";
import { savingDeliveries } from "./saving-deliveries.ts";
import { type NewSpecVersion, addSpecVersion, latestSpec, setSpecStatus } from "./specs.ts";
import { connectRepository } from "./repositories.ts";

async function waiting(db: Db) {
  const all = [];
  for await (const page of pagesWithDeliveries(db)) all.push(...page);
  return all;
}

const now = { clock: systemClock, ids: snowflakes() };

const SHOP = {
  workspace: "default",
  provider: "local" as const,
  baseUrl: "local",
  botUsername: "relay",
  externalProjectId: "shop",
  cloneSource: null,
};

async function open() {
  const { db } = await freshDatabase();
  const repository = await connectRepository(db, SHOP, now);
  const issue = await issueIn(db, repository.id, "1");
  return { db, repository, issue };
}

async function issueIn(db: Db, repositoryId: string, externalIssueId: string) {
  const snapshot = {
    externalIssueId,
    title: "Wrong total",
    body: "",
    labels: [],
    assignees: [],
    reporter: "ann",
    url: null,
    confidential: false,
    openedAt: new Date(0),
    language: "en",
  };
  return await saveIssue(db, repositoryId, snapshot, now);
}

function message(seq: number, change: Partial<ThreadMessage> = {}): ThreadMessage {
  return {
    seq,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp: new Date(seq * 1_000),
    editedAt: null,
    replyToSeq: null,
    content: `message ${seq}`,
    externalId: `c${seq}`,
    externalThreadId: null,
    externalReplyId: null,
    ...change,
  };
}

const GAP = {
  question: "Which total?",
  evidence: null,
  severity: "high" as const,
  respondent: "reporter" as const,
  topic: null,
  proposedDefault: null,
  pending: false,
};

async function cycleOf(db: Db, issueId: string) {
  return await beginCycle(db, issueId, { planner: "offline", reasoning: "because" }, now);
}

describe("the thread", () => {
  test("is replaced as a whole; what was read stays read unless it was edited", async () => {
    const { db, issue } = await open();
    await saveThread(db, issue.id, [message(1), message(2), message(3), message(4, { role: "self" })]);
    expect(await listUnreadSeqs(db, issue.id)).toEqual([1, 2, 3]);
    const cycle = await cycleOf(db, issue.id);
    await markRead(db, issue.id, [1, 2, 3], cycle.id);
    const edited = message(2, { externalId: "c3", content: "said better", editedAt: new Date(9_000) });
    await saveThread(db, issue.id, [message(1), edited, message(3, { externalId: "c5" })]);
    expect((await listMessages(db, issue.id)).map((one) => [one.seq, one.externalId])).toEqual([
      [1, "c1"],
      [2, "c3"],
      [3, "c5"],
    ]);
    expect(await listUnreadSeqs(db, issue.id)).toEqual([2, 3]);
  });

  test("a cycle that fails gives back what it read, and only that", async () => {
    const { db, issue } = await open();
    await saveThread(db, issue.id, [message(1), message(2), message(3)]);
    const [first, second] = [await cycleOf(db, issue.id), await cycleOf(db, issue.id)];
    await markRead(db, issue.id, [1], first.id);
    await markRead(db, issue.id, [2, 3], second.id);
    expect(await listReadIn(db, second.id)).toEqual([2, 3]);
    await markUnread(db, second.id);
    expect(await listUnreadSeqs(db, issue.id)).toEqual([2, 3]);
    expect(await listReadIn(db, first.id)).toEqual([1]);
  });

  test("may become empty, and a limit gives the newest", async () => {
    const { db, issue } = await open();
    await saveThread(db, issue.id, [message(1), message(2), message(3)]);
    expect((await listMessages(db, issue.id, 2)).map((one) => one.seq)).toEqual([2, 3]);
    await saveThread(db, issue.id, []);
    expect(await listMessages(db, issue.id)).toEqual([]);
  });
});

describe("gaps", () => {
  test("get the next number, which is never used twice", async () => {
    const { db, issue } = await open();
    expect(await nextGapNumber(db, issue.id)).toBe(1);
    const first = await addGap(db, issue.id, GAP, now);
    await db.execute("delete from gaps where id = $1", [first.id]);
    const failing = db.transaction(async (tx) => {
      await addGap(tx, issue.id, GAP, now);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const numbers = await Promise.all(
      Array.from({ length: 8 }, async () => (await addGap(db, issue.id, GAP, now)).number),
    );
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("are asked once and closed once", async () => {
    const { db, issue } = await open();
    const gap = await addGap(db, issue.id, { ...GAP, pending: true }, now);
    expect(gap).toMatchObject({ status: "pending", askedAt: null });
    await askGap(db, gap.id, now.clock);
    expect(
      (await closeGap(db, gap.id, "answered", { note: "this one", answeredIn: "c7" }, now.clock))?.closedNote,
    ).toBe("this one");
    expect(await closeGap(db, gap.id, "inferred", { note: "another", answeredIn: null }, now.clock)).toBeNull();
    await askGap(db, gap.id, now.clock);
    expect(await listGaps(db, issue.id)).toMatchObject([
      { status: "closed", closedNote: "this one", answeredIn: "c7" },
    ]);
  });
});

test("questions are asked when the tracker says that their comment stands, earlier or later (R-CONF-11)", async () => {
  const { db, issue } = await open();
  const asked = async () => (await listGaps(db, issue.id)).map(({ askedAt, askedIn }) => [askedAt, askedIn]);
  const posted = async (cycle: number, id: string, createdAt: Date) => {
    await settlePost(db, issue.id, `action:${issue.id}.${cycle}.0.0`, { id, createdAt });
    await askWithComment(db, issue.id);
  };
  const [earlier, later] = [new Date("2020-01-01"), new Date("2099-01-01")];
  const first = await beginCycle(db, issue.id, { planner: "rules", reasoning: "" }, now);
  await addGap(db, issue.id, GAP, now);
  await askWithComment(db, issue.id);
  expect((await asked())[0]?.[1]).toBeNull();
  await posted(1, "c1", later);
  await endCycle(db, first.id, "done", now.clock);
  await beginCycle(db, issue.id, { planner: "rules", reasoning: "" }, now);
  await addGap(db, issue.id, GAP, now);
  await posted(2, "c2", earlier);
  expect(await asked()).toEqual([
    [later, "c1"],
    [earlier, "c2"],
  ]);
});

test("an issue keeps its 20 newest findings (R-ACT-6)", async () => {
  const { db, repository, issue } = await open();
  const other = await issueIn(db, repository.id, "2");
  await addFinding(db, other.id, { synthesis: "elsewhere", sources: [], commit: null }, now);
  for (let n = 1; n <= 23; n += 1) {
    await addFinding(db, issue.id, { synthesis: `finding ${n}`, sources: [], commit: null }, now);
  }
  expect((await listFindings(db, issue.id)).map((one) => one.synthesis)).toEqual(
    Array.from({ length: 20 }, (_, index) => `finding ${index + 4}`),
  );
  expect(await listFindings(db, other.id)).toHaveLength(1);
});

test("a finding keeps its number, also when others are removed, and no other gets it", async () => {
  const { db, issue } = await open();
  const add = async (synthesis: string, snippet = "") =>
    await addFinding(db, issue.id, { synthesis, sources: [{ location: "a.ts:1", snippet }], commit: "c" }, now);
  const numbers = async () => (await listFindings(db, issue.id)).map(({ number, synthesis }) => [number, synthesis]);
  const first = await add("first", "let it = 1;");
  const second = await add("second");
  expect(await removeFinding(db, issue.id, first, "replaced", systemClock)).toBe(true);
  expect(await removeFinding(db, issue.id, first, "replaced", systemClock)).toBe(false);
  await add("third");
  expect(await numbers()).toEqual([
    [2, "second"],
    [3, "third"],
  ]);
  expect(await listRemovedFindings(db, issue.id)).toMatchObject([
    { number: 1, id: first, synthesis: "first", sources: [{ location: "a.ts:1", snippet: "" }], why: "replaced" },
  ]);
  await removeFinding(db, issue.id, second, "withdrawn", systemClock);
  await add("first", "let it = 2;");
  expect(await numbers()).toEqual([
    [3, "third"],
    [1, "first"],
  ]);
  expect(await listRemovedFindings(db, issue.id)).toMatchObject([{ number: 2, why: "withdrawn" }]);
  for (let n = 4; n <= 22; n += 1) await add(`finding ${n}`);
  expect((await listRemovedFindings(db, issue.id)).map(({ number, why }) => [number, why])).toEqual([
    [2, "withdrawn"],
    [3, "crowded_out"],
  ]);
});

const learning = (content: string) => ({
  type: "domain_learnings" as const,
  content,
  proposedBy: "mia",
  sourceMessageId: "m1",
});

test("learnings that say the same are one, and are in force once a person approved them (R-PLAN-9, R-SAFE-8)", async () => {
  const { db, repository, issue } = await open();
  const propose = async (content: string) => await proposeLearning(db, issue.id, learning(content), now);
  expect(await propose("Prices are in cents.")).toBe(true);
  expect(await propose("  prices are in CENTS")).toBe(false);
  expect(await propose("Preise sind in Cent.")).toBe(true);
  expect(await listLearnings(db, repository.id)).toEqual([]);
  const [first, second] = await listKept(db, { repository: null, status: "proposed" });
  const by = { operator: "omar", ...now };
  await changeLearning(db, first?.id ?? "", { kind: "approve", everywhere: false }, by);
  expect(await listLearnings(db, repository.id)).toMatchObject([{ content: "Prices are in cents." }]);
  const same = { kind: "edit", content: "prices are in cents" } as const;
  await expect(changeLearning(db, second?.id ?? "", same, by)).rejects.toMatchObject({ code: "invalid" });
  await changeLearning(db, second?.id ?? "", { kind: "edit", content: "Amounts are whole numbers." }, by);
  await changeLearning(db, first?.id ?? "", { kind: "remove" }, by);
  await expect(changeLearning(db, first?.id ?? "", { kind: "remove" }, by)).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await listKept(db, { repository: null, status: null })).toMatchObject([
    { content: "Amounts are whole numbers.", status: "proposed", proposedBy: "mia", approvedBy: null },
  ]);
  const audit = (await listAudit(db, issue.id)).map(({ what, actor }) => [what, actor]);
  expect(audit.slice(1)).toEqual([
    ["learning.approved", "omar"],
    ["learning.edited", "omar"],
    ["learning.removed", "omar"],
  ]);
});

test("the newest learnings are read, however many there are, oldest first (R-SCALE-1)", async () => {
  const { db, repository } = await open();
  await db.execute(
    `insert into learnings (id, workspace_id, repository_id, type, content, content_key, status, created_at)
     select n, $1, case when n % 2 = 0 then $2::bigint end, 'code_learnings', 'Lesson ' || n, 'lesson ' || n, 'approved', now()
     from generate_series(1, $3::int) n`,
    [repository.workspaceId, repository.id, LEARNINGS_READ + 50],
  );
  const read = (await listLearnings(db, repository.id)).map(({ content }) => content);
  expect([read.length, read[0], read.at(-1)]).toEqual([LEARNINGS_READ, "Lesson 51", `Lesson ${LEARNINGS_READ + 50}`]);
});

test("a learning holds in its own repository, and in the others only when a person widens it (R-SAFE-8)", async () => {
  const { db, issue } = await open();
  const other = await connectRepository(db, { ...SHOP, externalProjectId: "other" }, now);
  const elsewhere = await issueIn(db, other.id, "9");
  expect(await proposeLearning(db, issue.id, learning("Prices are in cents."), now)).toBe(true);
  expect(await proposeLearning(db, elsewhere.id, learning("Prices are in cents."), now)).toBe(true);
  const [first, second] = await listKept(db, { repository: null, status: null });
  const by = { operator: "omar", ...now };
  await changeLearning(db, first?.id ?? "", { kind: "approve", everywhere: false }, by);
  expect(await listLearnings(db, other.id)).toEqual([]);
  await changeLearning(db, second?.id ?? "", { kind: "remove" }, by);
  await changeLearning(db, first?.id ?? "", { kind: "approve", everywhere: true }, by);
  expect(await listLearnings(db, other.id)).toHaveLength(1);
  expect(await proposeLearning(db, elsewhere.id, learning("Prices are in cents!"), now)).toBe(false);
  expect(await listKept(db, { repository: other.externalProjectId, status: null })).toMatchObject([
    { repository: null },
  ]);
});

const version = (sha256: string): NewSpecVersion => {
  const ref: SpecRef = {
    version: 1,
    backend: "local",
    path: "x/spec.md",
    updated_at: new Date(0).toISOString(),
    sha256: sha256.padEnd(64, "0"),
    format: "markdown",
  };
  const rest = {
    content: "# Spec",
    complexityReason: "",
    summary: [],
    changelog: "",
    metadata: {},
    commit: null,
    read: { text: "", messages: {} },
  };
  return { ref, complexity: "L1", validationStatus: "valid", ...rest };
};

describe("versions of a spec", () => {
  test("the same content twice in a row is one version, again later it is a new one (R-SPEC-11)", async () => {
    const { db, issue } = await open();
    const versions: (number | undefined)[] = [];
    for (const sha256 of ["a", "a", "b", "b", "a"]) {
      await addSpecVersion(db, issue.id, version(sha256), now);
      versions.push((await latestSpec(db, issue.id))?.version);
    }
    expect(versions).toEqual([1, 1, 2, 2, 3]);
  });

  test("a verdict is on the newest one", async () => {
    const { db, issue } = await open();
    await addSpecVersion(db, issue.id, version("a"), now);
    await setSpecStatus(db, issue.id, { status: "approved", by: "mia" }, now.clock);
    await addSpecVersion(db, issue.id, version("b"), now);
    expect(await latestSpec(db, issue.id)).toMatchObject({ status: "draft", decidedBy: null, decidedAt: null });
    await setSpecStatus(db, issue.id, { status: "rejected", by: "otto" }, now.clock);
    expect(await latestSpec(db, issue.id)).toMatchObject({
      status: "rejected",
      decidedBy: "otto",
      decidedAt: expect.any(Date),
    });
  });
});

describe("debounces", () => {
  test("a debounce that was restarted is not ended with the old one", async () => {
    const { db, issue } = await open();
    await setDebounceUntil(db, issue.id, new Date(1_000));
    const old = await getIssue(db, issue.id);
    await setDebounceUntil(db, issue.id, new Date(2_000));
    await endDebounce(db, old);
    const current = await getIssue(db, issue.id);
    expect(current.debounceUntil).toEqual(new Date(2_000));
    await endDebounce(db, current);
    expect((await getIssue(db, issue.id)).debounceUntil).toBeNull();
  });
});

test("the failures of the last ended cycle are told, none of an earlier or a running one (R-ACT-4)", async () => {
  const { db, issue } = await open();
  const fail = async (error: string) => {
    const cycle = await cycleOf(db, issue.id);
    const action = { type: "post_comment" as const, data: { content: "x" } };
    await addActions(db, cycle, 0, { actions: [action], reasoning: "" }, () => `${cycle.id}.0`, now);
    for (const { id } of await listActions(db, cycle.id)) {
      await finishAction(db, id, { status: "failed", error }, now.clock);
    }
    return cycle;
  };
  await endCycle(db, (await fail("first")).id, "failed", now.clock);
  await endCycle(db, (await fail("second")).id, "failed", now.clock);
  await fail("running");
  expect(await lastFailures(db, issue.id)).toEqual(["second"]);
});

const event = (externalIssueId: string) => ({
  provider: "local" as const,
  externalProjectId: "shop",
  externalIssueId,
  kind: "commented" as const,
  actor: "ann",
  actorIsBot: false,
  at: new Date(0),
  assignee: null,
  commentId: null,
  threadId: null,
  text: "words",
  branch: null,
  outcome: null,
});

async function store(db: Database, deliveryId: string, issue: string): Promise<string[][]> {
  const delivery = { provider: "local" as const, deliveryId, contentKey: null, events: [event(issue)] as const };
  const { statements, read } = savingDeliveries([delivery], { ...now, halts: () => false });
  return read(await db.batch(statements));
}

describe("deliveries", () => {
  test("of one id are one; each is counted until it is worked off, in its order", async () => {
    const { db, issue } = await open();
    const [ids] = await store(db, "d1", "1");
    expect(await store(db, "d1", "1")).toEqual([[]]);
    await store(db, "d2", "2");
    await store(db, "d3", "1");
    const id = ids?.[0];
    if (id === undefined) throw new Error("none was stored");
    expect(await countUnprocessed(db, issue)).toBe(2);
    expect((await waiting(db)).map((one) => one.externalIssueId).toSorted()).toEqual(["1", "2"]);
    expect((await nextDelivery(db, issue))?.id).toBe(id);
    await markProcessed(db, id, "refresh", now.clock);
    expect(await countUnprocessed(db, issue)).toBe(1);
    expect((await nextDelivery(db, issue))?.id).not.toBe(id);
  });

  test("go with the issue that is forgotten, and so does everything else; one line tells of it", async () => {
    const { db, repository, issue } = await open();
    const other = await issueIn(db, repository.id, "2");
    await store(db, "d1", "1");
    await store(db, "d2", "2");
    await saveThread(db, issue.id, [message(1)]);
    await addGap(db, issue.id, GAP, now);
    await addFinding(db, issue.id, { synthesis: "x", sources: [], commit: null }, now);
    const cycle = await cycleOf(db, issue.id);
    await markRead(db, issue.id, [1], cycle.id);
    const action = { type: "post_comment" as const, data: { content: "x" } };
    await addActions(db, cycle, 0, { actions: [action], reasoning: "" }, () => "key", now);
    const model = { stage: "planner" as const, model: "offline", input: {}, output: {}, latencyMs: 1 };
    await addEval(db, { issueId: issue.id, cycleId: cycle.id, ...model }, now);
    await forgetIssue(db, issue, "operator", now);

    expect((await allIssues(db)).map((one) => one.id)).toEqual([other.id]);
    expect((await waiting(db)).map((one) => one.externalIssueId)).toEqual(["2"]);
    for (const table of ["messages", "gaps", "findings", "cycles", "actions", "llm_evals"]) {
      const rows = await db.query(z.unknown(), `select * from ${table}`, []);
      expect([table, rows]).toEqual([table, []]);
    }
    expect(await listAudit(db, issue.id)).toEqual([]);
    const left = z.object({ what: z.string(), actor: z.string() });
    expect(await db.query(left, "select what, actor from audit_log where issue_id is null", [])).toEqual([
      { what: "issue.forgotten", actor: "operator" },
    ]);
  });
});

test("the record can be added to, not changed (R-ACT-7)", async () => {
  const { db, issue } = await open();
  await record(db, { issueId: issue.id, actor: "ann", what: "x", before: null, after: { n: 1 } }, now);
  await expect(db.execute("update audit_log set actor = 'somebody'", [])).rejects.toThrow("audit_log is append-only");
  expect((await listAudit(db, issue.id)).at(-1)).toMatchObject({ actor: "ann", what: "x", after: { n: 1 } });
});
