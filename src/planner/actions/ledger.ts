import type { Issue } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { record } from "../../storage/audit.ts";
import { countAttempt, finishAction, isSettled } from "../../storage/cycles.ts";
import type { Db } from "../../storage/db.ts";
import { addFinding, listFindings, removeFinding } from "../../storage/findings.ts";
import { addGap, askGap, askWithComment, closeGap, listGaps } from "../../storage/gaps.ts";
import { proposeLearning } from "../../storage/learnings.ts";
import { settlePost } from "../../storage/posts.ts";
import { latestSpec, setSpecStatus } from "../../storage/specs.ts";
import type { ActionLedger, ActionWrites } from "./ports.ts";

export interface LedgerDeps {
  db: Db;
  issue: Issue;
  /** The commit that new findings hold for. */
  commit: string | null;
  clock: Clock;
  ids: Ids;
}

/** The writes of actions, and the transaction for actions that write more. */
export type StoreWrites = ActionWrites & { tx: Db };

/** The ledger in Relay's database: an action's effect, audit entries and status are one transaction (R-ACT-5). */
export function storeLedger(deps: LedgerDeps): ActionLedger<StoreWrites> {
  const { db, clock } = deps;
  return {
    begin: async (actionId) => await countAttempt(db, actionId, clock),
    finish: async (actionId, apply) =>
      await db.transaction(async (tx) => {
        if (await isSettled(tx, actionId)) return;
        const { outcome, audit } = await apply(writesIn(tx, deps));
        await finishAction(tx, actionId, { status: "done", outcome }, clock);
        for (const entry of audit) await record(tx, entry, deps);
      }),
    fail: async (actionId, error, audit) =>
      await db.transaction(async (tx) => {
        if (await isSettled(tx, actionId)) return;
        await finishAction(tx, actionId, { status: "failed", error }, clock);
        for (const entry of audit) await record(tx, entry, deps);
      }),
  };
}

function writesIn(tx: Db, deps: LedgerDeps): StoreWrites {
  const { issue, commit } = deps;
  return {
    tx,
    listGaps: async () => await listGaps(tx, issue.id),
    addGap: async (gap) => await addGap(tx, issue.id, gap, deps),
    askGap: async (gapId) => await askGap(tx, gapId, deps.clock),
    askWithComment: async () => await askWithComment(tx, issue.id),
    settlePost: async (key, comment) => void (await settlePost(tx, issue.id, key, comment)),
    closeGap: async (gapId, reason, outcome) => void (await closeGap(tx, gapId, reason, outcome, deps.clock)),
    listFindings: async () => await listFindings(tx, issue.id),
    addFinding: async (finding) => void (await addFinding(tx, issue.id, { ...finding, commit }, deps)),
    removeFinding: async (findingId, why) => void (await removeFinding(tx, issue.id, findingId, why, deps.clock)),
    // What is taught in a confidential issue is not told in others.
    proposeLearning: async (learning) => !issue.confidential && (await proposeLearning(tx, issue.id, learning, deps)),
    setSpecStatus: async (verdict) => {
      const before = (await latestSpec(tx, issue.id))?.status ?? null;
      await setSpecStatus(tx, issue.id, verdict, deps.clock);
      return before;
    },
  };
}

/** The position of an action within its issue. */
interface ActionPlace {
  issueId: string;
  cycleNumber: number;
  /** 0 for the first plan, 1 and 2 for replanning after failures. */
  round: number;
  position: number;
}

/** The idempotency key of an action (R-ACT-5): the same position gives the same key. */
export function idempotencyKey({ issueId, cycleNumber, round, position }: ActionPlace): string {
  return `${issueId}.${cycleNumber}.${round}.${position}`;
}
