import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec } from "../../lib/exec.ts";

/** A pipe of the system's, for one output of a program. */
export interface OutputPipe {
  reader: Readable;
  /** The descriptor to be given to the program, and then closed here. */
  writer: number;
}

/**
 * Pipes for both outputs. Those that Node makes are sockets, and a script that writes to `/dev/stderr` fails on a socket.
 * Null where the system cannot make them; Node's have to do then.
 */
export async function outputPipes(): Promise<{ stdout: OutputPipe; stderr: OutputPipe } | null> {
  const folder = await mkdtemp(join(tmpdir(), "relay-pipes-"));
  try {
    const names = [join(folder, "stdout"), join(folder, "stderr")] as const;
    const made = await exec("mkfifo", ["-m", "600", ...names]).catch(() => null);
    if (made?.code !== 0) return null;
    return { stdout: openPipe(names[0]), stderr: openPipe(names[1]) };
  } finally {
    // Only who holds it open knows it from here on.
    await rm(folder, { recursive: true, force: true });
  }
}

function openPipe(path: string): OutputPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader: new Socket({ fd: reader, readable: true, writable: false }), writer: openSync(path, "w") };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
