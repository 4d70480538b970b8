import type { Clock } from "../../src/lib/clock.ts";
import type { Answer } from "./answer.ts";

/** So many requests of one user in each window, as the limit of authenticated API requests has it. */
export interface Limit {
  requests: number;
  seconds: number;
}

export interface Limits {
  limit: Limit | null;
  /** Counts a request: the headers of its answer, and the answer itself where it is one too many. */
  count(user: string): { headers: Record<string, string>; refusal: Answer | null };
}

export function startLimits(clock: Clock): Limits {
  const seen = new Map<string, { window: number; count: number }>();
  const limits: Limits = {
    limit: null,
    count: (user) => {
      if (limits.limit === null) return { headers: {}, refusal: null };
      const { requests, seconds } = limits.limit;
      const now = Math.floor(clock.now().getTime() / 1000);
      const window = Math.floor(now / seconds);
      const before = seen.get(user);
      const count = before?.window === window ? before.count + 1 : 1;
      seen.set(user, { window, count });
      const resetsAt = (window + 1) * seconds;
      const headers = {
        "RateLimit-Limit": String(requests),
        "RateLimit-Name": "throttle_authenticated_api",
        "RateLimit-Observed": String(count),
        "RateLimit-Remaining": String(Math.max(0, requests - count)),
        "RateLimit-Reset": String(resetsAt),
      };
      if (count <= requests) return { headers, refusal: null };
      const wait = { "Retry-After": String(resetsAt - now), "content-type": "text/plain" };
      return { headers, refusal: { status: 429, text: "Retry later\n", headers: wait } };
    },
  };
  return limits;
}
