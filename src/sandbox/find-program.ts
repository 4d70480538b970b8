import { access, constants, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RelayError } from "../lib/errors.ts";

/**
 * The full path of a program, looked up as the system would. Throws `RelayError` `config` where it is not there, may not
 * be run, or `isVisible` says of its real path that the place does not show it.
 */
export async function findProgram(
  command: string,
  where: { cwd: string; folders: readonly string[]; isVisible: (path: string) => boolean },
): Promise<string> {
  const places = command.includes("/")
    ? [resolve(where.cwd, command)]
    : where.folders.map((folder) => join(folder, command));
  let hidden: string | undefined;
  for (const path of places) {
    const real = await runnable(path);
    if (real === null) continue;
    if (where.isVisible(path) && where.isVisible(real)) return path;
    hidden ??= real;
  }
  throw new RelayError(
    "config",
    hidden === undefined
      ? `cannot run ${command}: it is not on the PATH, or may not be run; install it, or give its full path`
      : `cannot run ${command}: it is at ${hidden}, which the sandbox does not show; add its folder to work.readable`,
  );
}

async function runnable(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile() ? await realpath(path) : null;
  } catch {
    return null;
  }
}
