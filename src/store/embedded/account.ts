import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";

/** The account that the server runs as: PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const NAME = "postgres";

/** Null when Relay's own account will do; as root, the system account `postgres`, made when missing. */
export async function serverAccount(): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
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

async function lookUp(): Promise<Account | null> {
  const uid = await exec("id", ["-u", NAME]);
  const gid = await exec("id", ["-g", NAME]);
  if (uid.code !== 0 || gid.code !== 0) return null;
  return { uid: Number(uid.stdout.toString("utf8")), gid: Number(gid.stdout.toString("utf8")) };
}
