import { messageOf } from "../../../lib/errors.ts";
import type { Log } from "../../../lib/log.ts";
import type { QuotaNews } from "./quota.ts";
import type { Sql } from "./quota-rows.ts";
import { joinStanding, loadStanding } from "./quota-rows.ts";
import type { Standing } from "./quota-state.ts";
import { NOTHING_KNOWN, newsOf, waitOf, withNews } from "./quota-state.ts";

export interface AccountDeps {
  db: Sql;
  /** Milliseconds by a clock that never jumps, such as `performance.now`. */
  elapsed: () => number;
  log: Log;
}

/** How long what the other processes told is taken for true, in milliseconds. */
const FRESH = 1_000;
const KINDS = ["read", "write"] as const;
type Kind = (typeof KINDS)[number];

/** What one process knows of one quota, and shares with the others. Nothing of it throws. */
export class Account {
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
    const { db, elapsed, log } = this.#deps;
    const dirty = this.#dirty;
    this.#dirty = false;
    this.#spent = 0;
    this.#syncedAt = elapsed();
    try {
      const news = newsOf(this.#standing, elapsed());
      const tells = dirty && (news.remaining !== null || news.blockedForMs !== null);
      const told = tells ? await joinStanding(db, this.#quota, news) : await loadStanding(db, this.#quota);
      if (told) this.#standing = withNews(this.#standing, told, elapsed());
    } catch (error) {
      this.#dirty ||= dirty;
      log.warn({ quota: this.#quota, error: messageOf(error) }, "the limits of the tracker could not be shared");
    }
  }
}
