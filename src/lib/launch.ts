import type { Readable, Writable } from "node:stream";

/** A program to run, on this machine or in a sandbox. */
export interface LaunchRequest {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Added to the environment that every program there gets; nothing of this process's environment is inherited. */
  environment: Readonly<Record<string, string>>;
  /** Folders that come first on the program's own PATH; the program itself is looked for without them. */
  pathFirst?: readonly string[];
  /** `closed` for programs that take only arguments: several wait for the end of their input. */
  stdin: "closed" | "open";
  /** Timeout in milliseconds, after which its process group is killed. */
  timeoutMs: number;
  /** Limit of stdout and stderr together, in bytes; more kills it. */
  mostOutputBytes: number;
  /** Ends it, with all of its children. */
  signal?: AbortSignal;
}

/** How a program ended, apart from its exit code. */
export type Ending = "exit" | "timeout" | "flooded" | "stopped";

export interface Exit {
  ending: Ending;
  /** Null if a signal ended it. */
  code: number | null;
  /** The limit that it exceeded, for which it was killed. */
  exceeded?: ExceededLimit;
}

/** A limit for which a program was killed. */
export interface ExceededLimit {
  /** Of memory, of processes, of what it may write (`disk`, `files`), or what is left on the disk (`room`). */
  of: "memory" | "processes" | "disk" | "files" | "room";
  /** In the unit of its setting; null for `room`, which has none. */
  most: number | null;
  /** A sentence. */
  text: string;
}

export interface RunningProgram {
  /** Null if requested as `closed`. */
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** Settles once the program and all of its process group are gone; never rejects after the start. */
  exit: Promise<Exit>;
  /** Ends the process group: SIGTERM, then SIGKILL after a few seconds. */
  end(): void;
}

/**
 * Starts a program in a process group of its own. Throws `RelayError` `config` if it is missing or not executable.
 */
export type Launch = (request: LaunchRequest) => Promise<RunningProgram>;
