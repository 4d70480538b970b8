import { type EventKind, type TrackerEvent, isFound } from "../domain/event.ts";
import { haltsUnread } from "./deciding-words.ts";
import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { type Priority, moreUrgent } from "../lib/priority.ts";
import type { Ids } from "../lib/ids.ts";
import { currentTrace, inSpan, noteInSpan } from "../lib/trace.ts";
import type { SqlExecutor } from "../storage/queue/queue.ts";
import type { Statement } from "../storage/batches.ts";
import type { Database, Db } from "../storage/db.ts";
import { type NewDelivery, nameOfEvent, saveDelivery, savingDeliveries } from "../storage/saving-deliveries.ts";
import { isNothingUnlessEngaged } from "./decide.ts";

/** The content of one webhook call. */
export interface Delivery extends NewDelivery {
  /** That of the work that found it; by default what it says decides (R-SCALE-2). */
  priority?: Priority;
}

/** `repeated`: it is stored already, or repeats the issue's last delivery. */
export type Receipt = { kind: "stored"; deliveryIds: [string, ...string[]] } | { kind: "repeated" };

/** The job that processes an issue's pending deliveries. */
export interface EventJob {
  /** Its name. */
  issue: string;
  priority: Priority;
  /** Whether something in it may halt work: it goes before others then. */
  first?: boolean;
  /** The names of events that a person may wait to see acknowledged (R-LIFE-8). */
  acknowledge?: string[];
  /** Its parent span; by default the active one. */
  trace?: string | null;
}

export interface ReceiveDeps {
  db: Pick<Database, "batch">;
  clock: Clock;
  ids: Ids;
  /** Returns the statements that enqueue the jobs, instead of running them. */
  enqueue: (jobs: EventJob[], within: SqlExecutor) => Promise<void>;
  /**
   * Whether what can only be dropped is stored as processed at once, without a job: most webhook calls are such. Not by
   * default.
   */
  dropsIrrelevant?: boolean;
}

/** Stores a delivery; see `createReceive`. */
export type Receive = (delivery: Delivery) => Promise<Receipt>;

/** Deliveries in one transaction. */
const MOST_AT_ONCE = 100;
/** Transactions at a time: the database works at one while another is made ready or written to disk. */
const MOST_TRANSACTIONS = 2;
/** Fewer deliveries are not shared out among transactions: one more costs as much as some deliveries. */
const FEW = 8;

interface Caller {
  delivery: Delivery;
  resolve: (receipt: Receipt) => void;
  reject: (error: unknown) => void;
}

/**
 * Stores, deduplicates and enqueues deliveries in one transaction (R-IN-2). When a call returns, its delivery survives
 * a crash; when it throws, nothing was stored and the tracker must redeliver.
 *
 * Group commit: calls that arrive while all transactions are under way share the next one, which costs little more than
 * one of a single call. No call waits to be joined by others. Throws `unavailable` if the database does not store it.
 */
export function createReceive(deps: ReceiveDeps): Receive {
  const waiting: Caller[] = [];
  const underWay = new Set<Caller[]>();
  let begins = false;

  const work = async (callers: Caller[]) => {
    underWay.add(callers);
    await takeIn(await storeDropped(callers, deps), deps);
    underWay.delete(callers);
    begin();
  };
  const share = () => {
    begins = false;
    while (waiting.length > 0 && underWay.size < MOST_TRANSACTIONS) {
      const fair = Math.ceil(waiting.length / (MOST_TRANSACTIONS - underWay.size));
      const most = Math.min(MOST_AT_ONCE, Math.max(FEW, fair));
      const callers = takeUnrelated(waiting, most, [...underWay].flat());
      if (callers.length === 0) return;
      void work(callers);
    }
  };
  // After this turn of the event loop, so that calls of one turn share a commit.
  const begin = () => {
    if (begins || waiting.length === 0) return;
    begins = true;
    setImmediate(share);
  };
  const join = async (delivery: Delivery) =>
    await new Promise<Receipt>((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
      begin();
    });
  return async (delivery) => {
    const { provider, deliveryId, events } = delivery;
    const about = { "relay.delivery.id": deliveryId, "relay.issue": issueName(events[0]) };
    const attributes = { "relay.provider": provider, "relay.event.kind": events[0].kind, ...about };
    return await inSpan("store delivery", { attributes, ...ownTrace(delivery) }, async () => {
      const receipt = await join({ ...delivery, trace: currentTrace() });
      noteInSpan({ "relay.delivery.result": receipt.kind });
      return receipt;
    });
  };
}

/** Deliveries found by comparing with the tracker are each processed in a trace of their own, like those of webhooks. */
function ownTrace({ priority }: Delivery) {
  const found = priority === "background" ? currentTrace() : null;
  return found === null ? {} : { parent: null, links: [found] };
}

/**
 * Stores a delivery and its job in the caller's transaction, together with the change that it reports. For changes that
 * Relay itself makes in the local tracker, which no webhook would report again.
 */
export type ReceiveWithin = (tx: Db, delivery: Delivery) => Promise<void>;

export function createReceiveWithin({
  clock,
  ids,
  enqueue,
}: Pick<ReceiveDeps, "clock" | "ids" | "enqueue">): ReceiveWithin {
  return async (tx, given) => {
    const delivery = { ...given, trace: currentTrace() };
    await saveDelivery(tx, delivery, { clock, ids, halts: haltsUnread });
    await enqueue(jobsFor([delivery]), tx);
  };
}

/**
 * Takes the callers, among the first, whose deliveries fit one transaction while others run. A delivery that may repeat an
 * earlier one waits until that is stored; one of an issue waits for the issue's running ones; the order of an issue is kept.
 */
function takeUnrelated(waiting: Caller[], most: number, underWay: readonly Caller[]): Caller[] {
  const busy = new Set(underWay.flatMap(namesOf));
  const seen = new Set<string>();
  const taken: Caller[] = [];
  const left: Caller[] = [];
  for (const caller of waiting.splice(0, most)) {
    const names = namesOf(caller);
    const { contentKey, events } = caller.delivery;
    const marks = [deliveryName(caller.delivery)];
    if (contentKey !== null) marks.push(`${issueName(events[0])} ${contentKey}`);
    const waits = names.some((name) => busy.has(name)) || marks.some((mark) => seen.has(mark));
    for (const name of waits ? names : []) busy.add(name);
    for (const mark of marks) seen.add(mark);
    (waits ? left : taken).push(caller);
  }
  waiting.unshift(...left);
  return taken;
}

/** The names of the delivery and of its issues. */
function namesOf({ delivery }: Caller): string[] {
  return [deliveryName(delivery), ...delivery.events.map(issueName)];
}

function deliveryName({ provider, deliveryId }: Delivery): string {
  return `${provider} ${deliveryId}`;
}

/**
 * Stores as processed what concerns no issue that Relay is engaged in, and resolves those callers. Returns the others: all
 * callers of an issue that has any other delivery among them.
 */
async function storeDropped(
  callers: Caller[],
  { dropsIrrelevant = false, db, clock, ids }: ReceiveDeps,
): Promise<Caller[]> {
  const isCandidate = ({ delivery: { events } }: Caller) => events.length === 1 && isNothingUnlessEngaged(events[0]);
  const others = callers.filter((caller) => !isCandidate(caller));
  const busy = new Set(others.flatMap(({ delivery }) => delivery.events.map(issueName)));
  const candidates = dropsIrrelevant ? callers.filter(({ delivery }) => !busy.has(issueName(delivery.events[0]))) : [];
  if (candidates.length === 0) return callers;
  const deliveries = candidates.map(({ delivery }) => delivery);
  const { statements, read } = savingDeliveries(deliveries, { clock, ids, halts: haltsUnread, dropsIrrelevant });
  try {
    const stored = read(await db.batch(statements));
    const done = new Set<Caller>();
    for (const [n, [first, ...further]] of stored.entries()) {
      const caller = candidates[n];
      if (caller === undefined || first === undefined) continue;
      caller.resolve({ kind: "stored", deliveryIds: [first, ...further] });
      done.add(caller);
    }
    return callers.filter((caller) => !done.has(caller));
  } catch {
    // Storing them with the others shows which one fails.
    return callers;
  }
}

/** Resolves each caller; does not throw. A delivery that the database refuses must not fail its neighbours. */
async function takeIn(callers: Caller[], deps: ReceiveDeps): Promise<void> {
  if (callers.length === 0) return;
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

async function store(deliveries: Delivery[], { db, enqueue, clock, ids }: ReceiveDeps): Promise<Receipt[]> {
  const { statements, read } = savingDeliveries(deliveries, { clock, ids, halts: haltsUnread });
  const sending: Statement[] = [];
  await enqueue(jobsFor(deliveries), {
    executeSql: async (sql, parameters = []) => {
      sending.push({ sql, parameters });
      return await Promise.resolve({ rows: [] });
    },
  });
  const stored = read(await db.batch([...statements, ...sending]));
  return stored.map(([first, ...others]): Receipt => {
    return first === undefined ? { kind: "repeated" } : { kind: "stored", deliveryIds: [first, ...others] };
  });
}

/** Events whose author may wait for an answer. */
const MESSAGES: ReadonlySet<EventKind> = new Set([
  "opened",
  "assigned",
  "commented",
  "review_commented",
  "review_submitted",
]);

/** One job per issue. Repeated deliveries get one as well, which finds nothing to do. */
function jobsFor(deliveries: Delivery[]): EventJob[] {
  const jobs = new Map<string, EventJob>();
  for (const delivery of deliveries) {
    const { events } = delivery;
    for (const [n, event] of events.entries()) {
      const name = issueName(event);
      const known = jobs.get(name);
      const {
        acknowledge = [],
        priority,
        first = false,
        trace = null,
      } = known ?? { priority: "background" as const, trace: delivery.trace ?? null };
      if (MESSAGES.has(event.kind)) acknowledge.push(nameOfEvent(delivery, n));
      // Null for words: whether they go first is read later (`hurryHalting`).
      const halts = isFound(event) ? false : haltsUnread(event);
      const own = delivery.priority ?? (halts !== false || isWords(event) ? "direct" : "normal");
      const isFirst = first || (halts === true && own === "direct") ? { first: true } : {};
      jobs.set(name, { issue: name, priority: moreUrgent(priority, own), ...isFirst, acknowledge, trace });
    }
  }
  return [...jobs.values()];
}

/** Whether a person wrote something that may be for Relay. Deliveries to issues that Relay is not in cost no request. */
function isWords({ kind, actorIsBot }: TrackerEvent): boolean {
  return MESSAGES.has(kind) && !actorIsBot;
}

function isPassing(error: unknown): boolean {
  return error instanceof RelayError && error.retryable;
}

function refusal(delivery: Delivery, error: unknown): unknown {
  if (!(error instanceof RelayError)) return error;
  const what = `delivery ${delivery.deliveryId} of ${delivery.provider} is not stored: ${messageOf(error)}`;
  return new RelayError(isPassing(error) ? "unavailable" : error.code, what, { cause: error });
}
