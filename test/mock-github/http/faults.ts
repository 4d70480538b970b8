import { z } from "zod";

/** What goes wrong with a request. Without `before` in its name, the effect has taken place when it happens. */
const Trouble = z.discriminatedUnion("kind", [
  /** An answer of GitHub's front: nothing has happened. */
  z.object({
    kind: z.literal("status"),
    status: z.number(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional(),
  }),
  /** Over the limit of content or of requests at once: nothing has happened. */
  z.object({
    kind: z.literal("secondary_limit"),
    status: z.union([z.literal(403), z.literal(429)]).default(403),
    /** Seconds; GitHub sometimes sends none. */
    retryAfter: z.number().nullable().default(60),
  }),
  /** The page with the unicorn, instead of JSON: nothing has happened. */
  z.object({ kind: z.literal("html"), status: z.number().default(502) }),
  /** Happens, and its answer comes late, by milliseconds. */
  z.object({ kind: z.literal("delay"), ms: z.number() }),
  /** Happens late, by milliseconds, also where nobody waits for it any more; is answered then. */
  z.object({ kind: z.literal("slow"), ms: z.number() }),
  z.object({ kind: z.literal("hang_before") }),
  z.object({ kind: z.literal("hang_after") }),
  z.object({ kind: z.literal("cut_before") }),
  z.object({ kind: z.literal("cut_after") }),
  /** Half of the body, then the end of the connection. */
  z.object({ kind: z.literal("truncate") }),
  /** Half of the body, as if it were all of it. */
  z.object({ kind: z.literal("half_json") }),
  /** Happens, and a 502 is answered all the same. */
  z.object({ kind: z.literal("status_after"), status: z.number().default(502) }),
]);
export type Trouble = z.output<typeof Trouble>;

/** Trouble for the requests that it is meant for. */
export const FaultRule = z.object({
  method: z.string().optional(),
  /** A part of the path, or the published name of the operation. */
  path: z.string().optional(),
  operation: z.string().optional(),
  /** Requests that fit and go well before it begins. */
  skip: z.number().int().default(0),
  /** Requests that it happens to; for ever where absent. */
  times: z.number().int().optional(),
  trouble: Trouble,
});
export type FaultRule = z.input<typeof FaultRule>;

export interface Approach {
  method: string;
  path: string;
  operation: string | null;
}

/** Says what goes wrong with a request; null where nothing does. */
export type Fault = (request: Approach) => Trouble | null;

export function faultOf(input: FaultRule): Fault {
  const rule = FaultRule.parse(input);
  let { skip } = rule;
  let left = rule.times ?? Number.POSITIVE_INFINITY;
  return (request) => {
    if (rule.method !== undefined && rule.method !== request.method) return null;
    if (rule.path !== undefined && !request.path.includes(rule.path)) return null;
    if (rule.operation !== undefined && rule.operation !== request.operation) return null;
    if (skip > 0) {
      skip -= 1;
      return null;
    }
    if (left <= 0) return null;
    left -= 1;
    return rule.trouble;
  };
}
