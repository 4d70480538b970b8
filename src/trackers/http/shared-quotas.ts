import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { QuotaNews, Quotas } from "./quota.ts";
import type { Sql } from "./quota-rows.ts";
import { joinStanding, loadStanding } from "./quota-rows.ts";
import type { Standing } from "./standing.ts";
import { NOTHING_KNOWN, newsOf, waitOf, withNews } from "./standing.ts";
import type { Spacing } from "./write-turns.ts";
import { spacingOf, takeTurn } from "./write-turns.ts";

export interface QuotaRules {
  /** Requests of a window that reading leaves for answers to people; at most a twentieth of the window. */
  reserve: number;
  /** How many writes may go out in any minute, and how many of them at once; null where nobody counts. */
  writes: { perMinute: number; burst: number } | null;
}

/** GitHub bounds what makes content to 80 in a minute. */
export const GITHUB_RULES: QuotaRules = { reserve: 50, writes: { perMinute: 80, burst: 10 } };
/** gitlab.com bounds comments to 60 in a minute. */
export const GITLAB_RULES: QuotaRules = { reserve: 50, writes: { perMinute: 60, burst: 10 } };

export interface QuotaDeps {
  db: Sql;
  sleep: (ms: number) => Promise<void>;
  /** Milliseconds by a clock that never jumps, such as `performance.now`. */
  elapsed: () => number;
  log: Log;
}

/** A shorter wait is waited out; for a longer one the job comes back. */
const SHORT_WAIT = 2_000;
/** The longest wait for a turn to write. */
const PATIENCE = 10_000;
/** How long what the other processes told is taken for true. */
const FRESH = 1_000;
const MOST_WAITS = 5;
const KINDS = ["read", "write"] as const;

/** What one process knows of a quota. */
interface Account {
  readonly quota: string;
  standing: Standing;
  /** Requests that went out since the last answer or the last second: in a network that is down, none is used up. */
  spent: number;
  /** Holds something that the others were not told. */
  dirty: boolean;
  syncedAt: number;
  syncing: Promise<void> | null;
}

/**
 * The limits of a tracker for all processes on one database, in `tracker_quotas`. A process asks it once a second for
 * each quota at most, and besides when a block begins, and for each write where those are spaced. No wall clock of a
 * process takes part: only the database's, and durations.
 *
 * Without the database reading goes on by what is known; writing does not, since what is written must be on record.
 */
export function sharedQuotas(deps: QuotaDeps, rules: QuotaRules): Quotas {
  const shared = new SharedQuotas(deps, rules);
  return {
    admit: async (quota, kind) => await shared.admit(quota, kind),
    observe: async (quota, news) => await shared.observe(quota, news),
  };
}

class SharedQuotas {
  readonly #deps: QuotaDeps;
  readonly #reserve: number;
  readonly #spacing: Spacing | null;
  readonly #accounts = new Map<string, Account>();

  constructor(deps: QuotaDeps, { reserve, writes }: QuotaRules) {
    this.#deps = deps;
    this.#reserve = reserve;
    this.#spacing = writes && spacingOf(writes, PATIENCE);
  }

  async admit(quota: string, kind: "read" | "write"): Promise<void> {
    const account = this.#account(quota);
    await this.#open(account, kind);
    if (kind === "write" && this.#spacing !== null) {
      const turn = await takeTurn(this.#deps.db, quota, this.#spacing);
      if (turn.kind === "full") throw refusal(quota, "as many writes as the tracker allows wait already", turn.waitMs);
      if (turn.waitMs > 0) {
        await this.#deps.sleep(Math.ceil(turn.waitMs));
        await this.#open(account, kind);
      }
    }
    account.spent += 1;
  }

  async observe(quota: string, news: QuotaNews): Promise<void> {
    const account = this.#account(quota);
    const before = this.#closed(account);
    account.standing = withNews(account.standing, news, this.#deps.elapsed());
    account.spent = 0;
    account.dirty = true;
    if (news.blockedForMs !== null || this.#closed(account) > before) {
      await account.syncing;
      await (account.dirty ? this.#sync(account) : account.syncing);
    } else if (this.#isStale(account)) await this.#sync(account);
  }

  /** Returns when a request may go out, or throws `rate_limited`. */
  async #open(account: Account, kind: "read" | "write"): Promise<void> {
    for (let waits = 0; ; waits += 1) {
      if (this.#isStale(account)) await this.#sync(account);
      const wait = this.#waitOf(account, kind);
      if (wait === 0) return;
      if (wait > SHORT_WAIT || waits === MOST_WAITS)
        throw refusal(account.quota, "the tracker's limit is reached", wait);
      await this.#deps.sleep(Math.ceil(wait));
    }
  }

  #waitOf({ standing, spent }: Account, kind: "read" | "write"): number {
    return waitOf(standing, { kind, spent, reserve: this.#reserve, now: this.#deps.elapsed() });
  }

  /** For how many of the two kinds of requests it is closed. */
  #closed(account: Account): number {
    return KINDS.filter((kind) => this.#waitOf(account, kind) > 0).length;
  }

  #isStale(account: Account): boolean {
    return this.#deps.elapsed() - account.syncedAt >= FRESH;
  }

  /** Tells the others what is new here, and learns what is new there; one at a time. Never throws. */
  async #sync(account: Account): Promise<void> {
    account.syncing ??= this.#exchange(account).finally(() => {
      account.syncing = null;
    });
    await account.syncing;
  }

  async #exchange(account: Account): Promise<void> {
    const { db, elapsed, log } = this.#deps;
    const { dirty, quota } = account;
    account.dirty = false;
    account.spent = 0;
    account.syncedAt = elapsed();
    try {
      const news = newsOf(account.standing, elapsed());
      const tells = dirty && (news.remaining !== null || news.blockedForMs !== null);
      const told = tells ? await joinStanding(db, quota, news) : await loadStanding(db, quota);
      if (told) account.standing = withNews(account.standing, told, elapsed());
    } catch (error) {
      account.dirty ||= dirty;
      log.warn({ quota, error: messageOf(error) }, "the limits of the tracker could not be shared");
    }
  }

  #account(quota: string): Account {
    const known = this.#accounts.get(quota);
    if (known) return known;
    const account: Account = {
      quota,
      standing: NOTHING_KNOWN,
      spent: 0,
      dirty: false,
      syncedAt: Number.NEGATIVE_INFINITY,
      syncing: null,
    };
    this.#accounts.set(quota, account);
    return account;
  }
}

function refusal(quota: string, why: string, waitMs: number): RelayError {
  const retryAfterMs = Math.ceil(waitMs);
  return new RelayError(
    "rate_limited",
    `${quota}: ${why}; nothing was sent, and it can be tried again in ${Math.ceil(retryAfterMs / 1_000)} s`,
    { status: 429, retryAfterMs },
  );
}
