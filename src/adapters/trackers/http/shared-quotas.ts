import { RelayError, messageOf } from "../../../lib/errors.ts";
import { type Priority, goesFirst } from "../../../lib/priority.ts";
import type { QuotaNews, Quotas, RequestKind } from "./quota.ts";
import { type Spacing, type Turn, hourlySpacing, spacingFor, spacingOf } from "./write-turns.ts";
import type { Log } from "../../../lib/log.ts";
import { type Standing, NOTHING_KNOWN, STORED_BOUNDS, newsOf, waitOf, withNews } from "./quota-state.ts";

type Shared = Omit<QuotaNews, "limit">;

/** Storage for the quotas of all processes. Only its clock counts. */
export interface QuotaStore {
  load(quota: string, bounds: typeof STORED_BOUNDS): Promise<Shared | null>;
  /** Merges the state of one process into the stored one, by the rules of `withNews`, and returns the result. */
  merge(quota: string, known: QuotaNews & { requests: number }, bounds: typeof STORED_BOUNDS): Promise<Shared | null>;
  /** A turn later than the spacing's `patience` is returned as `full` and not taken. */
  takeTurn(quota: string, spacing: Spacing): Promise<Turn>;
}

interface AccountDeps {
  store: QuotaStore;
  /** Milliseconds of a monotonic clock, such as `performance.now`. */
  elapsed: () => number;
  log: Log;
}

/** How long the state from the other processes stays valid, in milliseconds. */
const FRESH = 1_000;
const HOUR = 3_600_000;
/** Requests that people wait for: other processes learn at once that a quota is closed for them. */
const AWAITED = [
  { kind: "read", priority: "normal" },
  { kind: "write", priority: "normal" },
  { kind: "read", priority: "direct" },
] as const;

/** One process's state of one quota, synchronized with the other processes. Never throws. */
class Account {
  readonly #quota: string;
  readonly #rules: Pick<QuotaRules, "reserve" | "windowMs">;
  readonly #deps: AccountDeps;
  #standing: Standing = NOTHING_KNOWN;
  /** Requests since the last response, within the last second: without a network none is used up. */
  #spent = 0;
  /** Requests that were not yet reported to the other processes, for the metrics. */
  #untold = 0;
  /** Has changes that were not yet shared. */
  #dirty = false;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #syncing: Promise<void> | null = null;

  constructor(quota: string, rules: Pick<QuotaRules, "reserve" | "windowMs">, deps: AccountDeps) {
    this.#quota = quota;
    this.#rules = rules;
    this.#deps = deps;
  }

  /** Milliseconds until a request may be sent, by local knowledge. */
  waitOf(kind: RequestKind, priority: Priority): number {
    const { reserve, windowMs = HOUR } = this.#rules;
    const now = this.#deps.elapsed();
    return waitOf(this.#standing, { kind, priority, spent: this.#spent, reserve, windowMs, now });
  }

  spend(): void {
    this.#spent += 1;
    this.#untold += 1;
  }

  /** Records the limits of a response; shares them at once if they close the quota, otherwise within a second. */
  async observe(news: QuotaNews): Promise<void> {
    const before = this.#closed();
    this.#standing = withNews(this.#standing, news, this.#deps.elapsed());
    this.#spent = 0;
    this.#dirty = true;
    if (news.blockedForMs === null && this.#closed() <= before) return await this.refresh();
    await this.#syncing;
    await (this.#dirty ? this.#sync() : this.#syncing);
  }

  /** Reads the shared state, once a second. */
  async refresh(): Promise<void> {
    if (this.#deps.elapsed() - this.#syncedAt >= FRESH) await this.#sync();
  }

  /** For how many of the requests that people wait for the quota is closed. */
  #closed(): number {
    return AWAITED.filter(({ kind, priority }) => this.waitOf(kind, priority) > 0).length;
  }

  /** Shares local news and merges that of the others; one call at a time. */
  async #sync(): Promise<void> {
    this.#syncing ??= this.#exchange().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  async #exchange(): Promise<void> {
    const { store, elapsed, log } = this.#deps;
    const dirty = this.#dirty;
    const requests = this.#untold;
    this.#dirty = false;
    this.#untold = 0;
    this.#spent = 0;
    this.#syncedAt = elapsed();
    try {
      const news = newsOf(this.#standing, elapsed());
      const shares = requests > 0 || (dirty && (news.remaining !== null || news.blockedForMs !== null));
      const stored = shares
        ? await store.merge(this.#quota, { ...news, requests }, STORED_BOUNDS)
        : await store.load(this.#quota, STORED_BOUNDS);
      if (stored) this.#standing = withNews(this.#standing, { ...stored, limit: null }, elapsed());
    } catch (error) {
      this.#dirty ||= dirty;
      this.#untold += requests;
      log.warn({ quota: this.#quota, error: messageOf(error) }, "the limits of the tracker could not be shared");
    }
  }
}

export interface QuotaRules {
  /** Requests of a window that are kept for `direct`; at most a twentieth of the window. */
  reserve: number;
  /** The length of the tracker's windows, in milliseconds; an hour by default. */
  windowMs?: number;
  /**
   * Writes allowed per minute, in one burst, and per hour if that is less than sixty times as many; null for no
   * limit.
   */
  writes: { perMinute: number; burst: number; perHour?: number } | null;
  /** The same for reactions, which have turns of their own. */
  reactions?: { perMinute: number; burst: number };
}

export interface QuotaDeps extends AccountDeps {
  sleep: (ms: number) => Promise<void>;
}

/** Shorter waits happen in place; for longer ones the job is retried later. */
const SHORT_WAIT = 2_000;
/** The longest wait for a turn to write. */
const PATIENCE = 10_000;
const MOST_WAITS = 5;
const LIMIT_REACHED = "the tracker's limit is reached";
/** A refused background write waits for at least this many turns, so that not all ask for each one. */
const TURNS_APART = 10;

/**
 * The limits of a tracker for all processes on one database, in `tracker_quotas`. A process reads each quota at most
 * once a second, plus when a block begins, and for each write if writes are spaced. Only the
 * database's wall clock and durations are used.
 *
 * Without the database, reads continue with the local state; writes do not, since each must be recorded.
 */
export function sharedQuotas(deps: QuotaDeps, rules: QuotaRules): Quotas {
  const shared = new SharedQuotas(deps, rules);
  return {
    admit: async (quota, kind, priority = "normal") => await shared.admit(quota, kind, priority, goesFirst()),
    observe: async (quota, news) => await shared.observe(quota, news),
  };
}

class SharedQuotas {
  readonly #deps: QuotaDeps;
  readonly #rules: QuotaRules;
  /** Each with the suffix of the name under which its turns are counted. */
  readonly #spacings: Record<RequestKind, { name: string; spacing: Spacing }[]>;
  readonly #accounts = new Map<string, Account>();

  constructor(deps: QuotaDeps, rules: QuotaRules) {
    const { writes, reactions } = rules;
    this.#deps = deps;
    this.#rules = rules;
    const write = writes === null ? [] : [{ name: "", spacing: spacingOf(writes, PATIENCE) }];
    if (writes?.perHour !== undefined) {
      write.push({ name: " by the hour", spacing: hourlySpacing(writes.perHour, PATIENCE) });
    }
    const reaction =
      reactions === undefined ? [] : [{ name: " for reactions", spacing: spacingOf(reactions, PATIENCE) }];
    this.#spacings = { read: [], write, reaction };
  }

  async admit(quota: string, kind: RequestKind, priority: Priority, first: boolean): Promise<void> {
    const account = this.#account(quota);
    await this.#opened(account, quota, kind, priority);
    for (const { name, spacing } of this.#spacings[kind]) {
      const waitMs = await this.#turn(quota, name, spacingFor(priority, spacing, first));
      if (waitMs > 0) {
        await this.#deps.sleep(Math.ceil(waitMs));
        await this.#opened(account, quota, kind, priority);
      }
    }
    account.spend();
  }

  /**
   * Takes a turn, and returns the milliseconds until it; throws `rate_limited` if it would be too late. A write that
   * may take no turn ahead of its time asks again when one is free, so that more urgent writes go first.
   */
  async #turn(quota: string, name: string, spacing: Spacing): Promise<number> {
    for (let waits = 0; ; waits += 1) {
      const turn = await this.#deps.store.takeTurn(quota + name, spacing);
      if (turn.kind === "taken") return turn.waitMs;
      const isLast = spacing.patience > 0 || turn.waitMs > PATIENCE || waits === MOST_WAITS;
      const why = `as many writes as the tracker allows${name} wait already`;
      if (isLast) throw refusal(quota, why, turn.waitMs + (spacing.patience > 0 ? 0 : TURNS_APART * spacing.interval));
      await this.#deps.sleep(Math.ceil(turn.waitMs));
    }
  }

  async observe(quota: string, news: QuotaNews): Promise<void> {
    await this.#account(quota).observe(news);
  }

  /** Resolves when a request may be sent, or throws `rate_limited`. */
  async #opened(account: Account, quota: string, kind: RequestKind, priority: Priority): Promise<void> {
    for (let waits = 0; ; waits += 1) {
      await account.refresh();
      const wait = account.waitOf(kind, priority);
      if (wait === 0) return;
      const why = priority === "background" ? "what is left of the tracker's limit is for people" : LIMIT_REACHED;
      if (wait > SHORT_WAIT || waits === MOST_WAITS) throw refusal(quota, why, wait);
      await this.#deps.sleep(Math.ceil(wait));
    }
  }

  #account(quota: string): Account {
    const known = this.#accounts.get(quota);
    if (known) return known;
    const account = new Account(quota, this.#rules, this.#deps);
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
