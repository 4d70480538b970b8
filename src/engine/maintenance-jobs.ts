import { createHash } from "node:crypto";
import { z } from "zod";
import type { Push } from "../adapters/trackers/webhook.ts";
import { PROVIDERS } from "../domain/issue.ts";

const pushed = z.object({
  provider: z.enum(PROVIDERS),
  push: z.object({
    externalProjectId: z.string(),
    stableProjectId: z.string().nullable(),
    commit: z.string(),
    files: z.array(z.string()).nullable(),
  }) satisfies z.ZodType<Push>,
});

/**
 * What to maintain: everything, at a start or hourly, one repository by its id, those of an account (`github/acme`), or
 * what a push touched.
 */
export type Maintenance =
  | { all: "start" | "hourly" }
  | { repository: string }
  | { account: string }
  | z.infer<typeof pushed>;

export function maintenanceIn(subject: string): Maintenance {
  if (subject.startsWith("{")) return pushed.parse(JSON.parse(subject));
  return subject.includes("/") ? { account: subject } : { all: subject === "start" ? "start" : "hourly" };
}

const HOUR_MS = 3_600_000;

/**
 * Milliseconds until a repository's own moment of the hour, which spreads repositories evenly (R-SCALE-2): 30 to 90
 * minutes from now, so that two of its moments are an hour apart.
 */
export function untilOwnMoment(repositoryId: string, now: Date): number {
  const own = Math.floor((createHash("sha256").update(repositoryId).digest().readUInt32BE() / 2 ** 32) * HOUR_MS);
  const earliest = now.getTime() + HOUR_MS / 2;
  return HOUR_MS / 2 + ((((own - earliest) % HOUR_MS) + HOUR_MS) % HOUR_MS);
}
