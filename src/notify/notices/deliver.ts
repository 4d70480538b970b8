import type { Notice, NoticeAddress } from "../../domain/notice.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import { type WaitingNotice, endNotice, nextNotice, postponeNotice } from "../../storage/notices.ts";
import { type Answer, sendNotice } from "./send.ts";

/** A target, with its secrets resolved. */
export interface Receiver {
  address: NoticeAddress;
  /** Whether it gets notices about confidential issues. */
  confidential: boolean;
}

export interface DeliverDeps {
  db: Database;
  clock: Clock;
  log: Log;
  /** Null for a target that is not configured here. */
  receiverOf: (target: string) => Receiver | null;
  /** Ensures that the target's job runs again by then. */
  sendAgain: (target: string, at: Date | "now") => Promise<void>;
  /** Aborted when the process stops. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one call. */
  timeoutMs?: number;
  /** Milliseconds before the second try; each further wait is twice as long. */
  firstBackoffMs?: number;
}

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 15 * 60_000;
/** Notices of one job: other targets come between. */
const MOST_AT_ONCE = 50;
/** Milliseconds that a job waits for another of the same target, and after which it looks again. */
const LOCK_WAIT_MS = 1_000;
const BUSY_MS = 2_000;

/**
 * The job `notice`: sends what a target waits for, one after the other, in the order in which it happened. A notice is
 * recorded as sent after its answer: if the process dies in between, it is sent again with the same id. If nothing gets
 * through, all wait; after some tries, a notice that the receiver itself refuses lets the others go first. Nothing is
 * tried for longer than a day.
 */
export async function deliverNotices(target: string, deps: DeliverDeps): Promise<void> {
  const receiver = deps.receiverOf(target);
  if (receiver === null) return;
  const attempt = await deps.db.tryLock(
    `notices ${target}`,
    async () => await deliverAlone(target, receiver, deps),
    LOCK_WAIT_MS,
  );
  if (attempt.kind === "done") return;
  throw new RelayError("conflict", `notices are being sent to ${target}`, { retryable: true, retryAfterMs: BUSY_MS });
}

async function deliverAlone(target: string, receiver: Receiver, deps: DeliverDeps): Promise<void> {
  for (let sent = 0; ; sent += 1) {
    const next = await nextNotice(deps.db, target);
    if (next === null) return;
    const isPaused = sent === MOST_AT_ONCE || deps.signal?.aborted === true;
    if (!next.isDue) return await deps.sendAgain(target, next.dueAt);
    if (isPaused) return await deps.sendAgain(target, "now");
    await deliver(target, next, receiver, deps);
  }
}

async function deliver(target: string, notice: WaitingNotice, receiver: Receiver, deps: DeliverDeps): Promise<void> {
  const { db, log } = deps;
  const facts = { target, notice: notice.body.id, type: notice.body.type };
  if (notice.confidential && !receiver.confidential) {
    log.info(facts, "a notice is not sent: its issue has become confidential");
    return await endNotice(db, notice.id, "withheld", { status: null, error: null });
  }
  // Another process may send to this target by now.
  await db.confirmLocks();
  const body = notice.confidential ? withoutTitle(notice.body) : notice.body;
  const answer = await sendNotice(body, receiver.address, deps);
  const { kind, status, error } = answer;
  if (kind === "taken") return await endNotice(db, notice.id, "sent", answer);
  if (kind === "gone") {
    log.error({ ...facts, status }, "a notice is given up: its receiver wants none any more (410)");
    return await endNotice(db, notice.id, "given_up", answer);
  }
  const waitMs = waitAfter(answer, notice.tries, deps);
  const isGivenUp = await postponeNotice(db, notice.id, waitMs, { status, error, refused: kind === "refused" });
  if (isGivenUp) log.error({ ...facts, status, error }, "a notice is given up after a day");
  else log.warn({ ...facts, status, error, tries: notice.tries + 1 }, "a notice was not taken; it will be sent again");
}

function waitAfter(
  { retryAfterMs }: Answer,
  tries: number,
  { firstBackoffMs = FIRST_BACKOFF_MS }: DeliverDeps,
): number {
  return retryAfterMs ?? Math.min(firstBackoffMs * 2 ** tries, LONGEST_BACKOFF_MS);
}

/** The notice without the issue's title, which became confidential after the notice was stored. */
function withoutTitle(notice: Notice): Notice {
  const { issue } = notice;
  return issue === null ? notice : { ...notice, issue: { ...issue, title: null, confidential: true } };
}
