import { access, constants, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RelayError } from "../../lib/errors.ts";

interface Where {
  cwd: string;
  folders: readonly string[];
}

/** The first executable of this name: as found, and with links resolved. Null where there is none. */
export async function whereProgramIs(command: string, where: Where): Promise<{ path: string; real: string } | null> {
  for (const path of pathsOf(command, where)) {
    const real = await runnable(path);
    if (real !== null) return { path, real };
  }
  return null;
}

/**
 * The full path of a program, looked up as the system would; with links resolved where the sandbox shows only that
 * path. Throws `RelayError` `config` for a program that does not exist, is not executable, or is not visible in the
 * sandbox.
 */
export async function findProgram(
  command: string,
  where: Where & { isVisible: (path: string) => boolean },
): Promise<string> {
  let hidden: string | undefined;
  for (const path of pathsOf(command, where)) {
    const real = await runnable(path);
    if (real === null) continue;
    if (where.isVisible(real)) return where.isVisible(path) ? path : real;
    hidden ??= real;
  }
  throw new RelayError(
    "config",
    hidden === undefined
      ? `cannot run ${command}: it is not on the PATH, or may not be run; install it, or give its full path`
      : `cannot run ${command}: it is at ${hidden}, which the sandbox does not show; add its folder to work.readable`,
  );
}

function pathsOf(command: string, { cwd, folders }: Where): string[] {
  return command.includes("/") ? [resolve(cwd, command)] : folders.map((folder) => join(folder, command));
}

async function runnable(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile() ? await realpath(path) : null;
  } catch {
    return null;
  }
}
