import { RelayError, messageOf } from "../../../lib/errors.ts";
import type { QuotaNews, Quotas } from "./quota.ts";
import { type Spacing, type Turn, hourlySpacing, spacingOf } from "./write-turns.ts";
import type { Log } from "../../../lib/log.ts";
import { type Standing, NOTHING_KNOWN, STORED_BOUNDS, newsOf, waitOf, withNews } from "./quota-state.ts";

type Shared = Omit<QuotaNews, "limit">;

/** Where all processes keep what they know of quotas. Only its clock counts. */
export interface QuotaStore {
  load(quota: string, bounds: typeof STORED_BOUNDS): Promise<Shared | null>;
  /** Merges what one process knows into what is stored, by the rules of `withNews`, and returns the result. */
  merge(quota: string, known: Shared, bounds: typeof STORED_BOUNDS): Promise<Shared | null>;
  /** A turn further off than the spacing's `patience` is returned as `full` and not taken. */
  takeTurn(quota: string, spacing: Spacing): Promise<Turn>;
}

interface AccountDeps {
  store: QuotaStore;
  /** Milliseconds by a clock that never jumps, such as `performance.now`. */
  elapsed: () => number;
  log: Log;
}

/** How long what the other processes told is taken for true, in milliseconds. */
const FRESH = 1_000;
const KINDS = ["read", "write"] as const;
type Kind = (typeof KINDS)[number];

/** What one process knows of one quota, and shares with the others. Nothing of it throws. */
class Account {
  readonly #quota: string;
  readonly #reserve: number;
  readonly #deps: AccountDeps;
  #standing: Standing = NOTHING_KNOWN;
  /** Requests since the last answer, and in the last second at most: in a network that is down none is used up. */
  #spent = 0;
  /** Holds something that the others were not told. */
  #dirty = false;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #syncing: Promise<void> | null = null;

  constructor(quota: string, reserve: number, deps: AccountDeps) {
    this.#quota = quota;
    this.#reserve = reserve;
    this.#deps = deps;
  }

  /** Milliseconds until a request may go out, by what is known here. */
  waitOf(kind: Kind): number {
    return waitOf(this.#standing, { kind, spent: this.#spent, reserve: this.#reserve, now: this.#deps.elapsed() });
  }

  spend(): void {
    this.#spent += 1;
  }

  /** Takes in what an answer told; the others are told at once where it closes the quota, and within a second else. */
  async observe(news: QuotaNews): Promise<void> {
    const before = this.#closed();
    this.#standing = withNews(this.#standing, news, this.#deps.elapsed());
    this.#spent = 0;
    this.#dirty = true;
    if (news.blockedForMs === null && this.#closed() <= before) return await this.refresh();
    await this.#syncing;
    await (this.#dirty ? this.#sync() : this.#syncing);
  }

  /** Asks what the others know, once a second. */
  async refresh(): Promise<void> {
    if (this.#deps.elapsed() - this.#syncedAt >= FRESH) await this.#sync();
  }

  /** For how many kinds of requests it is closed. */
  #closed(): number {
    return KINDS.filter((kind) => this.waitOf(kind) > 0).length;
  }

  /** Tells the others what is new here, and learns what is new there; one at a time. */
  async #sync(): Promise<void> {
    this.#syncing ??= this.#exchange().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  async #exchange(): Promise<void> {
    const { store, elapsed, log } = this.#deps;
    const dirty = this.#dirty;
    this.#dirty = false;
    this.#spent = 0;
    this.#syncedAt = elapsed();
    try {
      const news = newsOf(this.#standing, elapsed());
      const tells = dirty && (news.remaining !== null || news.blockedForMs !== null);
      const told = tells
        ? await store.merge(this.#quota, news, STORED_BOUNDS)
        : await store.load(this.#quota, STORED_BOUNDS);
      if (told) this.#standing = withNews(this.#standing, { ...told, limit: null }, elapsed());
    } catch (error) {
      this.#dirty ||= dirty;
      log.warn({ quota: this.#quota, error: messageOf(error) }, "the limits of the tracker could not be shared");
    }
  }
}

export interface QuotaRules {
  /** Requests of a window that reading leaves for answers to people; at most a twentieth of the window. */
  reserve: number;
  /**
   * How many writes may go out in any minute, how many of them at once, and how many in any hour where that is less than
   * sixty times as many; null where nobody counts.
   */
  writes: { perMinute: number; burst: number; perHour?: number } | null;
}

export interface QuotaDeps extends AccountDeps {
  sleep: (ms: number) => Promise<void>;
}

/** A shorter wait is waited out; for a longer one the job comes back. */
const SHORT_WAIT = 2_000;
/** The longest wait for a turn to write. */
const PATIENCE = 10_000;
const MOST_WAITS = 5;

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
  /** Each with the name under which its turns are counted, after that of the quota. */
  readonly #spacings: { name: string; spacing: Spacing }[];
  readonly #accounts = new Map<string, Account>();

  constructor(deps: QuotaDeps, { reserve, writes }: QuotaRules) {
    this.#deps = deps;
    this.#reserve = reserve;
    this.#spacings = writes === null ? [] : [{ name: "", spacing: spacingOf(writes, PATIENCE) }];
    if (writes?.perHour !== undefined) {
      this.#spacings.push({ name: " by the hour", spacing: hourlySpacing(writes.perHour, PATIENCE) });
    }
  }

  async admit(quota: string, kind: "read" | "write"): Promise<void> {
    const account = this.#account(quota);
    await this.#opened(account, quota, kind);
    for (const { name, spacing } of kind === "write" ? this.#spacings : []) {
      const turn = await this.#deps.store.takeTurn(quota + name, spacing);
      if (turn.kind === "full")
        throw refusal(quota, `as many writes as the tracker allows${name} wait already`, turn.waitMs);
      if (turn.waitMs > 0) {
        await this.#deps.sleep(Math.ceil(turn.waitMs));
        await this.#opened(account, quota, kind);
      }
    }
    account.spend();
  }

  async observe(quota: string, news: QuotaNews): Promise<void> {
    await this.#account(quota).observe(news);
  }

  /** Returns when a request may go out, or throws `rate_limited`. */
  async #opened(account: Account, quota: string, kind: "read" | "write"): Promise<void> {
    for (let waits = 0; ; waits += 1) {
      await account.refresh();
      const wait = account.waitOf(kind);
      if (wait === 0) return;
      if (wait > SHORT_WAIT || waits === MOST_WAITS) throw refusal(quota, "the tracker's limit is reached", wait);
      await this.#deps.sleep(Math.ceil(wait));
    }
  }

  #account(quota: string): Account {
    const known = this.#accounts.get(quota);
    if (known) return known;
    const account = new Account(quota, this.#reserve, this.#deps);
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
