import { TRACKERS } from "../../adapters/trackers/registry.ts";
import { type Permission, type Tracker, PERMISSIONS, atLeast } from "../../adapters/trackers/tracker.ts";
import { isAnother, permissionNow } from "../../adapters/trackers/permission-now.ts";
import type { HostedName } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { withPriority } from "../../lib/priority.ts";
import {
  type KnownPermission,
  type StoredAccount,
  listKnown,
  listToAsk,
  savePermission,
  takeLook,
} from "../../storage/account-permissions.ts";
import type { Db } from "../../storage/db.ts";
import type { Viewer } from "./viewer.ts";

/** An account of a tracker: its stable id, and its login when the person logged in. */
export interface TrackerAccount extends StoredAccount {
  login: string;
}

/** What accounts of trackers may see and do: Relay asks the tracker with its own credentials (R-SAFE-4). */
export interface Viewers {
  /**
   * What the account may see, from an answer of the tracker that is at most a quarter of an hour old, if it answers.
   * Null if the login now belongs to another account, or the account may see nothing any more. `atLogin`: always asks.
   */
  viewerOf(account: TrackerAccount, atLogin?: "atLogin"): Promise<Viewer | null>;
  /**
   * What the account may do in a project now; `none` if its login is another account's. Throws the tracker's errors.
   */
  permissionNow(account: TrackerAccount, externalProjectId: string): Promise<Permission>;
}

type Asked = Pick<Tracker, "permissionOf" | "accountIdOf">;

export interface ViewersDeps {
  db: () => Db;
  clock: Clock;
  log: Log;
  /** The tracker, with Relay's credentials. */
  trackerOf: (provider: HostedName) => Promise<Asked>;
}

/**
 * Milliseconds after which the tracker is asked again, and for which an answer counts if the tracker does not answer.
 */
const FRESH_MS = 15 * 60_000;
const COUNTS_MS = 60 * 60_000;
/** At most this many repositories are asked about in one go, with this many requests at once. */
const MOST_ASKED = 100;
const AT_ONCE = 8;
/** Projects that are tried to find whose login it is. */
const MOST_LOOKS = 3;
/** Repositories that one account sees, at most. */
const MOST_SEEN = 1_000;

export function openViewers(deps: ViewersDeps): Viewers {
  const { db, clock } = deps;
  return {
    viewerOf: async (account, atLogin) => {
      const now = clock.now().getTime();
      const since = new Date(atLogin ? now : now - FRESH_MS);
      const isDue = (await takeLook(db(), account, since, clock)) || atLogin !== undefined;
      const priority = atLogin ? "normal" : "background";
      const asked = isDue && (await withPriority(priority, async () => await askAgain(account, since, deps)));
      if (asked === "another") return null;
      const known = await listKnown(db(), account, new Date(now - COUNTS_MS), MOST_SEEN);
      const seen = known.filter(isSeenIn(account.provider));
      if (asked === "all" && seen.length === 0) return null;
      return {
        login: account.login,
        provider: account.provider,
        accountId: account.accountId,
        repositories: seen.map(({ repositoryId }) => repositoryId),
        triages: seen.filter((one) => atLeast(permissionIn(one), "triage")).map(({ repositoryId }) => repositoryId),
        writes: seen.filter((one) => atLeast(permissionIn(one), "write")).map(({ repositoryId }) => repositoryId),
      };
    },
    permissionNow: async ({ provider, login, accountId }, project) => {
      return await permissionNow({ login, accountId }, project, await deps.trackerOf(provider));
    },
  };
}

/** Whether the account sees the repository: a private one needs permission to read its code. */
function isSeenIn(provider: HostedName): (known: KnownPermission) => boolean {
  return (known) => atLeast(permissionIn(known), known.private ? TRACKERS[provider].codeReaders : "read");
}

function permissionIn({ permission }: KnownPermission): Permission {
  return PERMISSIONS.find((one) => one === permission) ?? "none";
}

/** `another`: the login is another account's now. `all`: every repository was asked about. `some`: not all. */
async function askAgain(account: TrackerAccount, since: Date, deps: ViewersDeps): Promise<"all" | "some" | "another"> {
  const { db, clock, log } = deps;
  const { provider, login } = account;
  const due = await listToAsk(db(), account, since, MOST_ASKED);
  if (due.length === 0) return "all";
  try {
    const tracker = await deps.trackerOf(provider);
    const projects = due.map(({ externalProjectId }) => externalProjectId);
    if (await isAnother(account, projects.slice(0, MOST_LOOKS), tracker)) return "another";
    let failed = false;
    const ask = async ({ repositoryId, externalProjectId }: KnownPermission) => {
      try {
        const permission = await tracker.permissionOf(externalProjectId, login).catch(noneWithoutAccess);
        await savePermission(db(), account, { repositoryId, permission }, clock);
      } catch (error) {
        failed = true;
        log.warn({ provider, project_id: externalProjectId, error: messageOf(error) }, "permission not asked");
      }
    };
    for (let at = 0; at < due.length; at += AT_ONCE) await Promise.all(due.slice(at, at + AT_ONCE).map(ask));
    return failed || due.length === MOST_ASKED ? "some" : "all";
  } catch (error) {
    if (!(error instanceof RelayError) || !error.retryable) throw error;
    log.warn({ provider, error: messageOf(error) }, "permissions not asked");
    return "some";
  }
}

/** Nobody sees a repository that Relay itself cannot access any more. */
function noneWithoutAccess(error: unknown): Permission {
  if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return "none";
  throw error;
}
