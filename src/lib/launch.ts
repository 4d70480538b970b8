import type { Readable, Writable } from "node:stream";

/** A program to be run somewhere that the caller need not know: on this machine, or in a sandbox. */
export interface LaunchRequest {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Added to what the place gives every program; nothing of this process's environment comes along. */
  environment: Readonly<Record<string, string>>;
  /** `closed` for programs that are talked to by their arguments only: several wait for the end of their input. */
  stdin: "closed" | "open";
  /** Milliseconds; afterwards its whole process group is ended. */
  timeoutMs: number;
  /** Bytes of stdout and stderr together; more ends it. */
  mostOutputBytes: number;
  /** Ends it, with all of its children. */
  signal?: AbortSignal;
}

/** How a program came to its end, whatever its exit code says. */
export type Ending = "exit" | "timeout" | "flooded" | "stopped";

export interface Exit {
  ending: Ending;
  /** Null where a signal ended it. */
  code: number | null;
}

export interface RunningProgram {
  /** Null where it was asked to be closed. */
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** Settles once the program and all of its process group are gone; never rejects after the start. */
  exit: Promise<Exit>;
  /** Ends the process group: SIGTERM, and SIGKILL where it is still there after a few seconds. */
  end(): void;
}

/**
 * Starts a program in a process group of its own. Throws `RelayError` `config` where it cannot be started: it is not
 * there, or may not be run.
 */
export type Launch = (request: LaunchRequest) => Promise<RunningProgram>;
