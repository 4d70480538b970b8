import type { Clock } from "../../../src/lib/clock.ts";

export type Resource = "core" | "graphql";

interface Window {
  used: number;
  /** Milliseconds. */
  resetAt: number;
}

export interface Count {
  limit: number;
  used: number;
  remaining: number;
  /** Seconds since 1970. */
  reset: number;
}

/** Requests per hour and token owner. */
export class RateLimits {
  /** For all that have no limit of their own. */
  limit = 5_000;
  anonymous = 60;
  /** GitHub answers either; both are documented. */
  status: 403 | 429 = 403;
  /** Writing requests in a minute, over which GitHub speaks of a secondary limit; documented as about 80. */
  writesPerMinute = Number.POSITIVE_INFINITY;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  readonly #writes = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `owner` is such as `user 12`; counts one request where `cost` is 1. */
  count(owner: string | null, resource: Resource, cost: 0 | 1): Count {
    const now = this.#clock.now().getTime();
    const key = `${owner ?? "nobody"} ${resource}`;
    let window = this.#windows.get(key);
    if (window === undefined || window.resetAt <= now) {
      window = { used: 0, resetAt: now + 3_600_000 };
      this.#windows.set(key, window);
    }
    const limit = owner === null ? this.anonymous : this.limit;
    window.used = Math.min(window.used + cost, limit);
    return { limit, used: window.used, remaining: limit - window.used, reset: Math.ceil(window.resetAt / 1_000) };
  }

  /** Whether this one is too much within a minute; counts it where it is not. */
  isTooMuch(owner: string | null, method: string): boolean {
    if (method === "GET" || this.writesPerMinute === Number.POSITIVE_INFINITY) return false;
    const now = this.#clock.now().getTime();
    const recent = (this.#writes.get(owner ?? "") ?? []).filter((at) => at > now - 60_000);
    this.#writes.set(owner ?? "", recent);
    if (recent.length >= this.writesPerMinute) return true;
    recent.push(now);
    return false;
  }

  /** All that was used is given back. */
  restore(): void {
    this.#windows.clear();
    this.#writes.clear();
  }
}

export function limitHeaders(count: Count, resource: Resource): Record<string, string> {
  return {
    "x-ratelimit-limit": String(count.limit),
    "x-ratelimit-remaining": String(count.remaining),
    "x-ratelimit-reset": String(count.reset),
    "x-ratelimit-used": String(count.used),
    "x-ratelimit-resource": resource,
  };
}
