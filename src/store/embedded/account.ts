import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";

/** The account that the server runs as where Relay's own will not do: PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const NAME = "postgres";

/** The system account `postgres`, made when missing. Throws `config` when that cannot be. */
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

/** Whether the account can get at this file or into this folder, asked by trying as that account. */
export async function reaches(account: Account, path: string): Promise<boolean> {
  const tried = await exec("test", ["-x", path], { ...account, cwd: "/" });
  return tried.code === 0;
}

async function lookUp(): Promise<Account | null> {
  const uid = await exec("id", ["-u", NAME]);
  const gid = await exec("id", ["-g", NAME]);
  if (uid.code !== 0 || gid.code !== 0) return null;
  return { uid: Number(uid.stdout.toString("utf8")), gid: Number(gid.stdout.toString("utf8")) };
}
