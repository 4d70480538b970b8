import { RelayError } from "../../lib/errors.ts";
import type { Permission, Tracker } from "./tracker.ts";

/** An account: the id that it keeps, and its login when that was looked at. */
export interface KnownAccount {
  login: string;
  accountId: string;
}

/** What the account may do in a project at this moment; `none` if its login is another account's. */
export async function permissionNow(
  { login, accountId }: KnownAccount,
  project: string,
  tracker: Pick<Tracker, "permissionOf" | "accountIdOf">,
): Promise<Permission> {
  if (await isAnother({ login, accountId }, [project], tracker)) return "none";
  return await tracker.permissionOf(project, login);
}

/** Whether the login is another account's now: people rename themselves, and others take the names. */
export async function isAnother(
  { login, accountId }: KnownAccount,
  projects: readonly string[],
  tracker: Pick<Tracker, "accountIdOf">,
): Promise<boolean> {
  for (const project of projects) {
    const id = await tracker.accountIdOf(project, login).catch((error: unknown) => {
      if (error instanceof RelayError && !error.retryable) return null;
      throw error;
    });
    if (id !== null) return id !== accountId;
  }
  return false;
}
