import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { type IssueAddress, issueName } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import { sendAccessGiven, sendPushed } from "../../engine/send-jobs.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { countUnprocessed } from "../../storage/deliveries.ts";
import { standingText } from "../../notify/status-comment.ts";
import { overviewsOf } from "../../storage/issue-overview.ts";
import { findIssue } from "../../storage/issues.ts";
import type { Queue, QueueName } from "../../storage/queue/queue.ts";
import { type CiEvent, whyNoWork } from "./event.ts";
import { type Relay, openRelay } from "../relay.ts";
import { openRuntime } from "../runtime.ts";
import { type StateBranch, openStateBranch } from "./state-branch.ts";
import { openConnection } from "../trackers/connections.ts";

export interface EventLimits {
  /** The branch with the state; null where it is in the database of the configuration. */
  branch: string | null;
  /** Milliseconds for everything: the wait for another job, and the work. */
  forMs: number;
  /** Milliseconds after which a job that gives no sign of life has lost the branch. */
  leaseMs: number;
  /** Aborted when the program is asked to stop. */
  signal: AbortSignal;
}

export type EventOutcome =
  /** All due work is done. `isRepeated`: the event had been received before. */
  | { kind: "done"; isRepeated: boolean; issues: EventIssue[] }
  | { kind: "nothing"; why: string }
  /** Time is up, or the program was asked to stop. The next event continues. */
  | { kind: "unfinished"; issues: EventIssue[] }
  /** Another job held the state all the time: the event was not received. */
  | { kind: "busy" };

export interface EventIssue {
  issue: string;
  state: IssueState;
  /** Where it stands, in one sentence: that of `relay status`. */
  words: string;
  /** Its events that are not processed yet, for example because of an outage of the tracker. */
  unprocessed: number;
}

/** Work that becomes due within this many milliseconds is waited for: a status comment, a retry. */
const SOON_MS = 30_000;
const LOOK_MS = 300;
/** Milliseconds reserved for storing the state. */
const LEAVING_MS = 30_000;

/**
 * Receives one event, does all work that is due, and ends (R-SHIP-1). It does not wait for people: the next event
 * continues from the stored state. If another job took the state over, it starts again from the state of that job.
 */
export async function processEvent(
  event: CiEvent,
  config: Config,
  limits: EventLimits,
  log: Log,
): Promise<EventOutcome> {
  if (event.meaning.kind === "nothing") return event.meaning;
  const end = performance.now() + limits.forMs;
  const connection = await openConnection(event.provider, config, { db: null, clock: systemClock, sleep, log });
  if (connection === null) {
    throw new RelayError("config", `there are no credentials for ${event.provider}; set them, as docs/ci.md says`);
  }
  if (event.meaning.kind === "delivery") {
    const { calledAs: names } = await connection.tracker();
    const why = whyNoWork(event.meaning.delivery.events, { names, respondToBots: config.bot.respond_to_bots });
    if (why !== null) return { kind: "nothing", why };
  }
  // No process is left that could wake an issue after the debounce.
  const unhurried: Config = { ...config, bot: { ...config.bot, idle_minutes: 0 } };
  if (limits.branch === null)
    return (await workOff(event, unhurried, null, { ...limits, end }, log)) ?? { kind: "busy" };
  const { branch } = limits;
  if (event.project === null) throw new RelayError("usage", "which repository has the state? give --repo");
  for (;;) {
    const home = join(config.home, "event");
    const patienceMs = Math.max(0, end - performance.now());
    const about = { ...limits, connection, project: event.project, branch, home, patienceMs, sleep, log };
    const state = await openStateBranch(about);
    if (state === null) return { kind: "busy" };
    const here: Config = { ...unhurried, home };
    delete here.database_url;
    const outcome = await workOff(event, here, state, { ...limits, end }, log);
    if (outcome !== null) return outcome;
    log.warn({ branch }, "another job took the state over; the event is taken in again");
  }
}

/** Null if another job took the state over. */
async function workOff(
  event: CiEvent,
  config: Config,
  state: StateBranch | null,
  limits: EventLimits & { end: number },
  log: Log,
): Promise<EventOutcome | null> {
  let worked: EventOutcome;
  try {
    worked = await workUntilIdle(event, config, state, limits, log);
  } finally {
    await state?.close().catch((error: unknown) => {
      if (!state.isLost()) throw error;
    });
  }
  return state?.isLost() === true ? null : worked;
}

async function workUntilIdle(
  event: CiEvent,
  config: Config,
  state: StateBranch | null,
  { end, signal }: EventLimits & { end: number },
  log: Log,
): Promise<EventOutcome> {
  const opened = await openRuntime(config, log);
  const runtime = state === null ? opened : { ...opened, db: state.guarded(opened.db) };
  runtime.willWork();
  const relay = await openRelay(config, { log, runtime, plansLocally: true });
  try {
    const queue = await runtime.queue();
    const isRepeated = await takeIn(event, runtime.receive, queue);
    await relay.work(config.concurrency, { looksForMissed: event.meaning.kind === "scheduled" });
    const works = config.work.agent !== undefined;
    if (works) await relay.takeTasks(config.work.concurrency);
    const isIdle = await becomesIdle(queue, works ? [...PLANNING, ...WORKING] : PLANNING, () => {
      return signal.aborted || state?.isLost() === true || performance.now() > end - LEAVING_MS;
    });
    const addresses = event.meaning.kind === "delivery" ? event.meaning.delivery.events : [];
    const issues = await Promise.all(
      [...Map.groupBy(addresses, issueName).values()].map(async ([address]) => await standing(address, relay)),
    );
    const known = issues.filter((one) => one !== null);
    return isIdle ? { kind: "done", isRepeated, issues: known } : { kind: "unfinished", issues: known };
  } finally {
    await relay.close();
  }
}

const PLANNING: QueueName[] = ["event", "acknowledge", "wake", "status", "upkeep", "compare", "notice", "say"];
const WORKING: QueueName[] = ["task", "preflight"];

/** Whether it was there before. */
async function takeIn(
  { meaning, provider }: CiEvent,
  receive: Awaited<ReturnType<typeof openRuntime>>["receive"],
  queue: Queue,
): Promise<boolean> {
  switch (meaning.kind) {
    case "delivery":
      return (await receive(meaning.delivery)).kind === "repeated";
    case "access":
      await sendAccessGiven(queue, provider, meaning.account);
      return false;
    case "pushed":
      await sendPushed(queue, provider, meaning.push);
      return false;
    case "scheduled":
    case "nothing":
      return false;
    default:
      return meaning satisfies never;
  }
}

/** Waits until no job runs or is due soon, twice in a row: the end of one job may send another. */
async function becomesIdle(queue: Queue, names: readonly QueueName[], isOver: () => boolean): Promise<boolean> {
  for (let quiet = 0; quiet < 2;) {
    if (isOver()) return false;
    await sleep(LOOK_MS);
    quiet = (await queue.countDue(names, SOON_MS)) === 0 ? quiet + 1 : 0;
  }
  return true;
}

/** Where an issue of the event stands; null where Relay does not know it. */
export async function standing(
  address: IssueAddress | undefined,
  { db, tracker }: { db: Relay["db"]; tracker: Pick<Relay["tracker"], "bot"> },
): Promise<EventIssue | null> {
  const issue = address && (await findIssue(db, address));
  if (!issue) return null;
  const overview = (await overviewsOf(db, [issue.id]))(issue.id);
  return {
    issue: issueName(issue),
    state: issue.state,
    words: standingText(issue, overview, tracker.bot),
    unprocessed: await countUnprocessed(db, issue),
  };
}
