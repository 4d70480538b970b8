import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RelayError } from "../lib/errors.ts";

/**
 * A new HOME for one run. What an earlier run left in the agent's folder, links to elsewhere among it, is neither read
 * nor written through.
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

/** What cannot be removed stays behind; the whole folder goes with its run. */
export async function closeRunHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}
