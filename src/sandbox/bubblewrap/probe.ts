import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { bubblewrap } from "./bubblewrap.ts";

export type Usability = { ok: true } | { ok: false; detail: string };

const LONGEST_MS = 20_000;
const MOST_BYTES = 10_000;

/** Runs a small program in a real place of bubblewrap: being installed says nothing about being allowed. */
export async function isUsable(program: string): Promise<Usability> {
  if (process.platform !== "linux")
    return { ok: false, detail: `bubblewrap needs Linux, and this is ${process.platform}` };
  const folder = await mkdtemp(join(tmpdir(), "relay-probe-"));
  try {
    const place = await bubblewrap({ program }).open({
      writable: [],
      readable: [],
      hosts: [],
      models: [],
      folder,
      memoryMb: null,
      processes: null,
    });
    const running = await place.launch({
      command: "/bin/sh",
      args: ["-c", "exit 7"],
      cwd: "/tmp",
      environment: {},
      stdin: "closed",
      timeoutMs: LONGEST_MS,
      mostOutputBytes: MOST_BYTES,
    });
    const [said, exit] = await Promise.all([text(running.stderr), running.exit]);
    await place.close();
    if (exit.ending === "exit" && exit.code === 7) return { ok: true };
    return { ok: false, detail: said.trim().split("\n").at(-1) || `it came to no end in ${LONGEST_MS / 1_000} s` };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { ok: false, detail: messageOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
