import type { Priority } from "../../lib/priority.ts";

/** Runs SQL in the caller's transaction, so that sending a job takes part in it. */
export interface SqlExecutor {
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * The kinds of jobs. Unless stated otherwise, at most one waits for each subject.
 *
 * - `event`: an issue has deliveries to process; one job at a time per issue
 * - `acknowledge`: a message may want a reaction; any number at a time
 * - `wake`: the single timer of an issue
 * - `task`: a task waits for a worker
 * - `status`: the status comment of an issue may be outdated
 * - `upkeep`: maintenance, of all or of what an event touched
 * - `compare`: a repository may differ from its tracker
 * - `preflight`: tries what carrying out a plan needs, before anyone is asked to approve it
 * - `notice`: a target of notifications has some waiting
 * - `say`: a proxied comment waits to be posted
 */
export const QUEUES = [
  "event",
  "acknowledge",
  "wake",
  "task",
  "status",
  "upkeep",
  "compare",
  "preflight",
  "notice",
  "say",
] as const;
export type QueueName = (typeof QUEUES)[number];

export interface Job {
  id: string;
  /**
   * Groups jobs: jobs of `event` with the same key run one after another; most other queues allow one waiting job per
   * key.
   */
  key: string;
  /**
   * The name of an issue (`event`) or of a delivery's event (`acknowledge`); a target (`notice`); an id: of an issue
   * (`wake`, `status`), a task (`task`), a plan (`preflight`), a repository (`compare`) or a proxied comment (`say`);
   * for `upkeep`, what to maintain.
   */
  subject: string;
}

export interface NewJob extends Omit<Job, "id"> {
  /** The span that it continues; by default the active one. Null keeps a waiting job's span. */
  trace?: string | null;
  /**
   * Priority among due jobs, and of everything that the job does; by default that of the work that sends it
   * (R-SCALE-2).
   */
  priority?: Priority;
  /** Whether it goes before other direct jobs; by default the same as for the work that sends it. */
  first?: boolean;
  /** Replaces the priority for jobs that are ordered among themselves: the smallest rank first, from 0. */
  rank?: number;
  /** Milliseconds before it is due; none by default. */
  delayMs?: number;
}

/** A job that is due at once, with its queue. */
export type JobOfQueue = Omit<NewJob, "delayMs"> & { queue: QueueName };

/** A job that is due at a time, by the database's clock, or now. */
export type DueJob = Omit<NewJob, "delayMs"> & { at: Date | "now" };

/** A job that some process has taken. */
export interface TakenJob extends Job {
  /** How often it was taken before. */
  retryCount: number;
}

/** Jobs that survive crashes: if a process dies, its job is given to another one. */
export interface Queue {
  /** Adds a job after those of the same key; with `within`, only if that transaction commits. */
  send(queue: QueueName, job: NewJob, within?: SqlExecutor): Promise<void>;
  /** The same for many at once. */
  sendAll(queue: QueueName, jobs: NewJob[], within?: SqlExecutor): Promise<void>;
  /** The same for jobs of several queues, in one statement. */
  sendTogether(jobs: readonly JobOfQueue[], within?: SqlExecutor): Promise<void>;
  /**
   * Sets the one waiting job of a key to run at `at`, by the database's clock, or in `at` milliseconds. A later call
   * moves it (R-LIFE-3), without lowering its priority. With `within`, only if that transaction commits.
   */
  debounce(queue: QueueName, job: NewJob, at: Date | number, within?: SqlExecutor): Promise<void>;
  /**
   * Ensures that each key has a job that is due at `at` or earlier: adds missing ones, with few statements however many
   * there are. No waiting job becomes later or less urgent.
   */
  ensure(queue: QueueName, jobs: readonly DueJob[]): Promise<void>;
  /** Sends the job on a schedule (five fields of cron, UTC), once for all processes. */
  repeat(queue: QueueName, job: NewJob, cron: string): Promise<void>;
  /**
   * Runs jobs, at most `concurrency` at once, and a few more of lower priority. If a handler throws, its job is
   * retried, after the error's `retryAfterMs` if it has one.
   */
  work(queue: QueueName, concurrency: number, handler: (job: Job) => Promise<void>): Promise<void>;
  /** The keys of all waiting or running jobs, or those of them among the given keys. */
  listKeys(queue: QueueName, among?: readonly string[]): Promise<string[]>;
  /** The number of jobs of these queues that are running, or due within this time, by the database's clock. */
  countDue(queues: readonly QueueName[], withinMs: number): Promise<number>;
  /** The jobs of a key that no worker has taken yet. */
  listWaiting(queue: QueueName, key: string): Promise<string[]>;
  /** Removes jobs, by their ids. */
  remove(queue: QueueName, ids: string[]): Promise<void>;
  /** Removes the jobs of a key that no worker has taken. */
  forget(queue: QueueName, key: string): Promise<void>;
  /** Unfinished jobs taken at least this many milliseconds ago: still running, or of a dead process. */
  listTaken(queue: QueueName, sinceMs: number): Promise<TakenJob[]>;
  /**
   * Releases a job of a dead process to another one before the heartbeat expires; if the process is alive after all,
   * its result does not count. A job released often waits longer each time.
   */
  giveBack(queue: QueueName, job: TakenJob): Promise<void>;
  /** Stops taking jobs and waits for the running ones. */
  stop(): Promise<void>;
}
