import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Database, Db } from "../store/db.ts";
import type { NewDelivery } from "../store/deliveries.ts";
import { saveDeliveries } from "../store/deliveries.ts";

/** What a tracker told in one call. */
export interface Delivery extends NewDelivery {
  /** Found by looking rather than told: it may wait for what people are waiting for. */
  background?: boolean;
}

/** `repeated`: it is stored already, or the issue's last delivery told the same. */
export type Receipt = { kind: "stored"; deliveryIds: [string, ...string[]] } | { kind: "repeated" };

/** The job that works off what waits of an issue. */
export interface EventJob {
  issue: string;
  /** A stored delivery of the issue. */
  deliveryId: string;
  background: boolean;
}

export interface ReceiveDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  /** Sends the jobs as part of the given transaction. */
  enqueue: (tx: Db, jobs: EventJob[]) => Promise<void>;
}

/** Takes a delivery in; see `createReceive`. */
export type Receive = (delivery: Delivery) => Promise<Receipt>;

/** Deliveries in one transaction. */
const MOST_AT_ONCE = 100;

interface Caller {
  delivery: Delivery;
  resolve: (receipt: Receipt) => void;
  reject: (error: unknown) => void;
}

/**
 * Takes deliveries in: stored, deduplicated and enqueued in one transaction (R-IN-2). When a call returns, its
 * delivery survives a crash; when it throws, nothing of it was stored and the tracker must deliver again.
 *
 * While a commit is under way, calls gather, and the next commit takes them all: a disk writes one commit of many as
 * fast as one of one. Nobody waits for company. Throws `unavailable` when the database does not take it.
 */
export function createReceive(deps: ReceiveDeps): Receive {
  const waiting: Caller[] = [];
  let busy = false;

  const work = async () => {
    busy = true;
    while (waiting.length > 0) await takeIn(waiting.splice(0, unrelated(waiting)), deps);
    busy = false;
  };
  return async (delivery) =>
    await new Promise<Receipt>((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
      if (!busy) void work();
    });
}

/**
 * How many of the first ones can be judged together. A delivery that may repeat an earlier one is judged after that
 * is stored, and what came after it stays behind it.
 */
function unrelated(waiting: Caller[]): number {
  const seen = new Set<string>();
  let count = 0;
  for (const { delivery } of waiting.slice(0, MOST_AT_ONCE)) {
    const { provider, deliveryId, contentKey, events } = delivery;
    const marks = [`${provider} ${deliveryId}`];
    if (contentKey !== null) marks.push(`${issueName(events[0])} ${contentKey}`);
    if (marks.some((mark) => seen.has(mark))) break;
    for (const mark of marks) seen.add(mark);
    count += 1;
  }
  return count;
}

/** Answers each caller; does not throw. One that the database refuses must not keep its neighbours from being stored. */
async function takeIn(callers: Caller[], deps: ReceiveDeps): Promise<void> {
  try {
    const receipts = await store(
      callers.map((caller) => caller.delivery),
      deps,
    );
    for (const [index, { resolve, reject }] of callers.entries()) {
      const receipt = receipts[index];
      if (receipt) resolve(receipt);
      else reject(new RelayError("internal", "a delivery was stored without a receipt"));
    }
  } catch (error) {
    if (isPassing(error) || callers.length === 1) {
      for (const { delivery, reject } of callers) reject(refusal(delivery, error));
    } else {
      for (const caller of callers) await takeIn([caller], deps);
    }
  }
}

async function store(deliveries: Delivery[], deps: ReceiveDeps): Promise<Receipt[]> {
  return await deps.db.transaction(async (tx) => {
    const stored = await saveDeliveries(tx, deliveries, deps);
    const jobs = new Map<string, EventJob>();
    const receipts = deliveries.map(({ events, background }, index): Receipt => {
      const [first, ...others] = stored[index] ?? [];
      if (first === undefined) return { kind: "repeated" };
      const deliveryIds: [string, ...string[]] = [first, ...others];
      for (const [n, event] of events.entries()) {
        const issue = issueName(event);
        const known = jobs.get(issue);
        const job = known ?? { issue, deliveryId: deliveryIds[n] ?? first, background: true };
        jobs.set(issue, { ...job, background: job.background && background === true });
      }
      return { kind: "stored", deliveryIds };
    });
    if (jobs.size > 0) await deps.enqueue(tx, [...jobs.values()]);
    return receipts;
  });
}

function isPassing(error: unknown): boolean {
  return error instanceof RelayError && error.retryable;
}

function refusal(delivery: Delivery, error: unknown): unknown {
  if (!(error instanceof RelayError)) return error;
  const what = `delivery ${delivery.deliveryId} of ${delivery.provider} is not stored: ${messageOf(error)}`;
  return new RelayError(isPassing(error) ? "unavailable" : error.code, what, { cause: error });
}
