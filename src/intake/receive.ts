import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { SqlExecutor } from "../storage/queue/queue.ts";
import type { Database, Statement } from "../storage/db.ts";
import type { NewDelivery } from "../storage/deliveries.ts";
import { savingDeliveries } from "../storage/deliveries.ts";

/** What a tracker told in one call. */
export interface Delivery extends NewDelivery {
  /** Found by looking rather than told: it may wait for what people are waiting for. */
  background?: boolean;
}

/** `repeated`: it is stored already, or the issue's last delivery told the same. */
export type Receipt = { kind: "stored"; deliveryIds: [string, ...string[]] } | { kind: "repeated" };

/** The job that works off what waits of an issue. */
export interface EventJob {
  /** Its name. */
  issue: string;
  background: boolean;
}

export interface ReceiveDeps {
  db: Pick<Database, "batch">;
  clock: Clock;
  ids: Ids;
  /** Gives the statements that send the jobs, instead of running them. */
  enqueue: (jobs: EventJob[], within: SqlExecutor) => Promise<void>;
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
    if (waiting.length > 0) await takeIn(waiting.splice(0, unrelated(waiting)), deps);
    busy = waiting.length > 0;
    if (busy) begin();
  };
  // After this turn of the loop: whatever came with the same turn goes together.
  const begin = () => setImmediate(() => void work());
  return async (delivery) =>
    await new Promise<Receipt>((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
      if (!busy) begin();
      busy = true;
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

async function store(deliveries: Delivery[], { db, enqueue, ...deps }: ReceiveDeps): Promise<Receipt[]> {
  const { statements, read } = savingDeliveries(deliveries, deps);
  const sending: Statement[] = [];
  await enqueue(jobsFor(deliveries), {
    executeSql: async (sql, parameters = []) => {
      sending.push({ sql, parameters });
      return await Promise.resolve({ rows: [] });
    },
  });
  const ids = read(await db.batch([...statements, ...sending]));
  return ids.map(([first, ...others]): Receipt => {
    return first === undefined ? { kind: "repeated" } : { kind: "stored", deliveryIds: [first, ...others] };
  });
}

/** One job for each issue. What is repeated has one as well, which finds nothing to do. */
function jobsFor(deliveries: Delivery[]): EventJob[] {
  const jobs = new Map<string, EventJob>();
  for (const { events, background = false } of deliveries) {
    for (const event of events) {
      const name = issueName(event);
      jobs.set(name, { issue: name, background: background && (jobs.get(name)?.background ?? true) });
    }
  }
  return [...jobs.values()];
}

function isPassing(error: unknown): boolean {
  return error instanceof RelayError && error.retryable;
}

function refusal(delivery: Delivery, error: unknown): unknown {
  if (!(error instanceof RelayError)) return error;
  const what = `delivery ${delivery.deliveryId} of ${delivery.provider} is not stored: ${messageOf(error)}`;
  return new RelayError(isPassing(error) ? "unavailable" : error.code, what, { cause: error });
}
