import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";

/** The account that runs the server if Relay's own cannot: PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const NAME = "postgres";

/** The system account `postgres`, created if missing. Throws `config` if that fails. */
export async function systemAccount(): Promise<Account> {
  const existing = await lookUp();
  if (existing) return existing;
  await exec("groupadd", ["--system", NAME]).catch(() => null);
  await exec("useradd", ["--system", "--no-create-home", "--gid", NAME, "--shell", "/bin/false", NAME]).catch(
    () => null,
  );
  const made = await lookUp();
  if (made) return made;
  throw new RelayError(
    "config",
    "PostgreSQL does not run as root, and the account “postgres” could not be made; run Relay as another user, or set DATABASE_URL",
  );
}

/** Prints the index of each accessible path. */
const TRY_EACH = 'n=0; for path do test -x "$path" && echo $n; n=$((n+1)); done';

/**
 * Which of these paths the account can access. Tried as that account, in one process, since every command asks.
 */
export async function reachable(account: Account, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const { stdout } = await exec("sh", ["-c", TRY_EACH, "sh", ...paths], { ...account, cwd: "/" });
  const places = new Set(stdout.toString("utf8").split("\n"));
  return new Set(paths.filter((_, place) => places.has(String(place))));
}

/** The same for one path. */
export async function reaches(account: Account, path: string): Promise<boolean> {
  return (await reachable(account, [path])).has(path);
}

async function lookUp(): Promise<Account | null> {
  const uid = await exec("id", ["-u", NAME]);
  const gid = await exec("id", ["-g", NAME]);
  if (uid.code !== 0 || gid.code !== 0) return null;
  return { uid: Number(uid.stdout.toString("utf8")), gid: Number(gid.stdout.toString("utf8")) };
}
