import { constants } from "node:fs";
import { mkdir, mkdtemp, open, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RelayError } from "../../lib/errors.ts";

/**
 * A new HOME for one run, so that nothing of an earlier run, such as a link to elsewhere, is read or written through.
 */
export async function openRunHome(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await mkdtemp(join(folder, "run-"));
  } catch (cause) {
    throw new RelayError("io", `cannot make a home for the agent in ${folder}; see that it is writable`, { cause });
  }
}

export async function writeSettings(home: string, files: readonly { path: string; text: string }[]): Promise<void> {
  for (const { path, text } of files) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o600 });
  }
}

/** Largest file of an agent that is read. */
const LEFT_BYTES = 16 * 1024 * 1024;

/**
 * The JSON lines of a file that an agent left in its home; empty for anything but a file, and for one that is too
 * large. Agents are not trusted: this follows no links, and opens nothing that never ends.
 */
export async function leftLines(home: string, path: string): Promise<unknown[]> {
  try {
    const file = join(home, path);
    if ((await realpath(dirname(file))) !== dirname(join(await realpath(home), path))) return [];
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > LEFT_BYTES) return [];
      const text = Buffer.alloc(stats.size);
      const { bytesRead } = await handle.read(text, 0, stats.size, 0);
      return text.toString("utf8", 0, bytesRead).split("\n").flatMap(parsedLine);
    } finally {
      await handle.close();
    }
  } catch {
    return [];
  }
}

function parsedLine(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return [value];
  } catch {
    return [];
  }
}

/** Best effort: the whole folder is removed with its run. */
export async function closeRunHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}
