import { randomUUID } from "node:crypto";
import { chmod, cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { Account } from "./account.ts";
import { reaches } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { binariesIn } from "./binaries.ts";

/** For what the server's account cannot reach where it is, as below root's own folder. */
export const SYSTEM_FOLDER = "/var/lib/relay";

export async function systemFolder(): Promise<string> {
  // Whatever the umask says, the server's account must get through; where it was there before, its owner decides.
  if (await mkdir(SYSTEM_FOLDER, { recursive: true })) await chmod(SYSTEM_FOLDER, 0o755);
  return SYSTEM_FOLDER;
}

/** Where the copy of these programs is, or would be. */
export function copyOf({ version }: Binaries): Binaries {
  return binariesIn(join(SYSTEM_FOLDER, `postgres-${version}`), version);
}

/**
 * The programs where the account can run them: as installed, or a copy made once for each version. `reached`: what of
 * both it is known to get at.
 */
export async function reachableBinaries(
  binaries: Binaries,
  account: Account,
  reached: ReadonlySet<string>,
): Promise<Binaries> {
  if (reached.has(binaries.postgres)) return binaries;
  const copied = copyOf(binaries);
  if (reached.has(copied.postgres)) return copied;
  await systemFolder();
  if (!(await stat(copied.postgres).catch(() => null))) await copy(binaries.root, copied.root);
  if (await reaches(account, copied.postgres)) return copied;
  throw new RelayError(
    "config",
    `the account “postgres” cannot run ${copied.postgres}; let it through (chmod o+rx), or set DATABASE_URL`,
  );
}

async function copy(from: string, target: string): Promise<void> {
  const draft = `${target}.${randomUUID()}`;
  try {
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await exec("chmod", ["-R", "a+rX", draft]);
    // Whoever comes second finds the folder full and uses it.
    await rename(draft, target).catch(() => null);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
