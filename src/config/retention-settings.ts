import { z } from "zod";

const DAYS = z.union([z.int().min(1).max(36_500), z.literal("never")], {
  error: "must be a number of days, or “never”",
});
const GIGABYTES = z.union([z.number().min(0.1).max(1_000_000), z.literal("never")], {
  error: "must be a number of gigabytes, or “never”",
});

function days(standard: number, what: string, variable: string) {
  return DAYS.default(standard).meta({
    description: `Days after which Relay removes ${what}, or \`never\` (${variable}).`,
  });
}

/** What is kept, and for how long (R-SCALE-3): keys of `retention` in `relay.yaml`. */
export const retentionSettings = z
  .strictObject({
    model_texts_days: days(
      90,
      "prompts and answers of model calls; their figures stay",
      "RELAY_RETENTION_MODEL_TEXTS_DAYS",
    ),
    records_days: days(
      90,
      "logs of runs and recordings of cycles, from the end of their issue",
      "RELAY_RETENTION_RECORDS_DAYS",
    ),
    audit_days: days(730, "the audit log of an issue, from its end", "RELAY_RETENTION_AUDIT_DAYS"),
    deliveries_days: days(
      30,
      "processed deliveries, and dead letters of issues that ended",
      "RELAY_RETENTION_DELIVERIES_DAYS",
    ),
    notices_days: days(30, "notifications that were sent or given up", "RELAY_RETENTION_NOTICES_DAYS"),
    code_days: days(
      30,
      "unused mirrors, indexes and caches of repositories without open issues",
      "RELAY_RETENTION_CODE_DAYS",
    ),
    code_gb: GIGABYTES.default("never").meta({
      description:
        "Gigabytes of mirrors beyond which the longest unused ones are removed, also earlier; `never` for no limit (RELAY_RETENTION_CODE_GB).",
    }),
  })
  .prefault({});

export type Retention = z.infer<typeof retentionSettings>;

/** Environment variables of these settings. */
export const RETENTION_KEYS = [
  "model_texts_days",
  "records_days",
  "audit_days",
  "deliveries_days",
  "notices_days",
  "code_days",
  "code_gb",
] as const satisfies readonly (keyof Retention)[];
