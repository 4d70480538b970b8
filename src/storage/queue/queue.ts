/** Where a job's sending takes part in a transaction of the caller. */
export interface SqlExecutor {
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * The kinds of work: `event` says that an issue has deliveries to work off, one job after another for each issue;
 * `wake` is the one alarm clock of an issue; `task` is a task for a worker, at most one waiting for each; `upkeep` is
 * what has to be looked after from time to time.
 */
export type QueueName = "event" | "wake" | "task" | "upkeep";

export interface Job {
  id: string;
  /** The issue that it belongs to; jobs of one key run one after another. */
  key: string;
  /** What it is about: the name of an issue (`event`), its id (`wake`), or the id of a task. */
  subject: string;
}

export interface NewJob extends Omit<Job, "id"> {
  /** Which job goes first where several are due; `normal` unless it is said. */
  priority?: Priority;
  /** Instead of a priority, for jobs that have an order among themselves: the smallest first, from 0. */
  rank?: number;
}

/** A person waits for it; a person may wait for it; nobody does. */
export type Priority = "direct" | "normal" | "background";

/** A job in the hands of some process. */
export interface TakenJob extends Job {
  /** How often it was taken before. */
  retryCount: number;
}

/** Jobs that survive crashes: a job of a process that died is given to another one. */
export interface Queue {
  /** Adds a job behind those of the same key; with `within`, only if that transaction commits. */
  send(queue: QueueName, job: NewJob, within?: SqlExecutor): Promise<void>;
  /** The same for many at once. */
  sendAll(queue: QueueName, jobs: NewJob[], within?: SqlExecutor): Promise<void>;
  /** Sets the one waiting job of a key to run at `at`; a later call moves it (R-LIFE-3). */
  debounce(queue: QueueName, job: NewJob, at: Date): Promise<void>;
  /** Sends the job whenever the schedule (five fields of cron, UTC) says so, once for all processes. */
  repeat(queue: QueueName, job: NewJob, cron: string): Promise<void>;
  /**
   * Runs jobs, at most `concurrency` at once, and a few more less urgent ones. A handler that throws has its job tried again
   * later; where its error says when (`retryAfterMs`), then.
   */
  work(queue: QueueName, concurrency: number, handler: (job: Job) => Promise<void>): Promise<void>;
  /** The keys of all jobs that wait or run. */
  listKeys(queue: QueueName): Promise<string[]>;
  /** The jobs of a key that nobody works on yet. */
  listWaiting(queue: QueueName, key: string): Promise<string[]>;
  /** Removes jobs, by their ids. */
  remove(queue: QueueName, ids: string[]): Promise<void>;
  /** Removes the jobs of a key that nobody is working on. */
  forget(queue: QueueName, key: string): Promise<void>;
  /** Jobs that were taken so many milliseconds ago or more, and are not done: under way, or of a process that died. */
  listTaken(queue: QueueName, sinceMs: number): Promise<TakenJob[]>;
  /**
   * Gives a job of a process that died to another one, without waiting until the process is missed; where it is alive
   * after all, what it makes of the job does not count. One that was given back often waits longer each time.
   */
  giveBack(queue: QueueName, job: TakenJob): Promise<void>;
  /** Stops taking jobs and waits for the running ones. */
  stop(): Promise<void>;
}
