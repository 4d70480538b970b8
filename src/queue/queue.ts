/** Where a job's sending takes part in a transaction of the caller. */
export interface SqlExecutor {
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * `in_order`: the jobs of one key run one after another, in the order of their sending, also behind one that is tried
 * again. One that failed for good holds the later ones back until it is retried or its key is cancelled.
 * `alarm`: each key has at most one waiting job, which can be moved.
 */
export type QueueKind = "in_order" | "alarm";

/** The queues of a program: a closed set, each of one kind. */
export type QueueDefinitions = Record<string, QueueKind>;

type Named<Definitions extends QueueDefinitions, Kind extends QueueKind> = {
  [Name in keyof Definitions]: Definitions[Name] extends Kind ? Name & string : never;
}[keyof Definitions];

export interface Job {
  id: string;
  /** What it belongs to, such as an issue. */
  key: string;
  /** Id of what is to be worked on; whoever works reads the rest from the store. */
  subject: string;
}

export interface FailedJob extends Job {
  /** How often it was tried. */
  attempts: number;
  failedAt: Date;
  reason: string;
}

export interface Within {
  /** The job exists only if this transaction commits. */
  within?: SqlExecutor;
}

/** Jobs that survive crashes: a job of a process that died is given to another one. */
export interface Queue<Definitions extends QueueDefinitions> {
  /** Adds a job behind those of the same key. One with `startAfter` lets later ones pass until its time has come. */
  send(
    queue: Named<Definitions, "in_order">,
    job: Omit<Job, "id">,
    options?: Within & { startAfter?: Date },
  ): Promise<void>;
  /** Sets the one waiting job of a key to run at `at`; a later call moves it and replaces its subject (R-LIFE-3). */
  debounce(queue: Named<Definitions, "alarm">, job: Omit<Job, "id">, at: Date, options?: Within): Promise<void>;
  /** Takes away what waits under a key, and what failed; what runs goes on. Returns how many went. */
  cancel(queue: keyof Definitions & string, key: string, options?: Within): Promise<number>;
  /**
   * Runs jobs, at most `concurrency` at once, until `stop`. A handler that throws has its job tried again later, with
   * growing pauses, for about an hour. The signal tells that the job was given to another worker.
   */
  work(
    queue: keyof Definitions & string,
    concurrency: number,
    handler: (job: Job, signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
  /** The jobs that nobody will try again by himself, oldest first, at most 500. */
  failed(queue: keyof Definitions & string): Promise<FailedJob[]>;
  /** Has a failed job tried once more; false where there is none of this id. */
  retry(queue: keyof Definitions & string, id: string): Promise<boolean>;
  /** Takes no more jobs and waits for the running ones, 20 s at most; what runs longer is tried again elsewhere. */
  stop(): Promise<void>;
}
