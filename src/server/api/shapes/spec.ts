import { z } from "zod";
import type { SpecStore } from "../../../adapters/spec-stores/spec-store.ts";
import { COMPLEXITIES, type SpecRef, specRefSchema, staleCitationSchema } from "../../../domain/spec.ts";
import type { Finding } from "../../../domain/finding.ts";
import type { Gap } from "../../../domain/gap.ts";
import type { Issue } from "../../../domain/issue.ts";
import { ISSUE_STATES } from "../../../domain/lifecycle.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { IssueUsage } from "../../../storage/model-calls.ts";
import { type SpecVersion, statusOf } from "../../../storage/specs.ts";
import { cost, noTime, time, timeOf } from "./basics.ts";
import { knownCost, usageSchema } from "./costs.ts";
import { findingSchema, gapSchema, shownFinding, shownGap } from "./known.ts";

/** Where people find a spec. */
export type Places = Pick<SpecStore, "where" | "address">;

export const specHeadSchema = specRefSchema.extend({
  url: z.string().nullable(),
  complexity: z.enum(COMPLEXITIES),
  validation_status: z.enum(["valid", "partial"]),
  status: z.enum(["draft", "approved", "rejected", "stale"]),
  verdict: z.enum(["approved", "rejected"]).nullable(),
  decided_by: z.string().nullable(),
  decided_at: noTime,
  stale_citations: z.array(staleCitationSchema),
});

/**
 * The spec's address; null if its store or tracker cannot be reached, so that the stored spec is shown all the same.
 */
async function addressNow(ref: SpecRef, places: Places): Promise<string | null> {
  try {
    return await places.address(ref);
  } catch (error) {
    if (error instanceof RelayError) return null;
    throw error;
  }
}

/** The newest version of an issue's spec, as it stands in a list. */
export async function shownSpecHead(spec: SpecVersion, places: Places): Promise<z.infer<typeof specHeadSchema>> {
  return {
    ...spec.ref,
    path: places.where(spec.ref),
    url: await addressNow(spec.ref, places),
    complexity: spec.complexity,
    validation_status: spec.validationStatus,
    status: statusOf(spec),
    verdict: spec.status === "approved" || spec.status === "rejected" ? spec.status : null,
    decided_by: spec.decidedBy,
    decided_at: timeOf(spec.decidedAt),
    stale_citations: spec.staleCitations,
  };
}

export const specVersionSchema = z
  .object({
    version: z.int(),
    sha256: z.string(),
    complexity: z.enum(COMPLEXITIES),
    complexity_reason: z.string(),
    validation_status: z.enum(["valid", "partial"]),
    status: z.enum(["draft", "approved", "rejected", "stale"]),
    decided_by: z.string().nullable(),
    decided_at: noTime,
    summary: z.array(z.string()),
    changelog: z.string(),
    commit: z.string().nullable().meta({ description: "The commit of the code that it cites." }),
    stale_citations: z.array(staleCitationSchema),
    created_at: time,
  })
  .meta({ id: "SpecVersion" });

export function shownSpecVersion(spec: SpecVersion): z.infer<typeof specVersionSchema> {
  return {
    version: spec.version,
    sha256: spec.ref.sha256,
    complexity: spec.complexity,
    complexity_reason: spec.complexityReason,
    validation_status: spec.validationStatus,
    status: statusOf(spec),
    decided_by: spec.decidedBy,
    decided_at: timeOf(spec.decidedAt),
    summary: spec.summary,
    changelog: spec.changelog,
    commit: spec.commit,
    stale_citations: spec.staleCitations,
    created_at: timeOf(spec.createdAt),
  };
}

/** What `relay spec --json` prints. */
export const specReportSchema = z
  .object({
    spec_ref: specRefSchema.nullable(),
    complexity: z.enum(COMPLEXITIES).nullable(),
    validation_status: z.enum(["valid", "partial"]).nullable(),
    state: z.enum(ISSUE_STATES),
    gaps: z.array(gapSchema),
    findings: z.array(findingSchema),
    summary: z.array(z.string()),
    model: z.string(),
    usage: usageSchema.omit({ cached_tokens: true }).extend({ cost_usd: cost, unpriced_calls: z.int() }),
  })
  .meta({ id: "SpecReport", description: "An issue's spec and what it rests on, as `relay spec --json` prints it." });

export type SpecAnswer = z.infer<typeof specReportSchema>;

/** What is known of an issue's spec; `model` writes it. */
export function shownSpecReport(
  { state }: Pick<Issue, "state">,
  known: { version: SpecVersion | null; gaps: readonly Gap[]; findings: readonly Finding[]; usage: IssueUsage },
  { places, model }: { places: Places; model: string },
): SpecAnswer {
  const { version, gaps, findings, usage } = known;
  return {
    spec_ref: version && { ...version.ref, path: places.where(version.ref) },
    complexity: version?.complexity ?? null,
    validation_status: version?.validationStatus ?? null,
    state,
    gaps: gaps.map(shownGap),
    findings: findings.map(shownFinding),
    summary: version?.summary ?? [],
    model,
    usage: {
      calls: usage.calls,
      agent_runs: usage.agentRuns,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: knownCost(usage),
      unpriced_calls: usage.unpricedCalls,
    },
  };
}

const problemSchema = z.object({
  rule: z.string(),
  severity: z.enum(["error", "warning"]),
  line: z.int(),
  detail: z.string(),
});

/** What `relay validate --json` prints of one spec. */
export const validationSchema = z
  .object({
    valid: z.boolean(),
    complexity: z.enum(COMPLEXITIES),
    errors: z.array(problemSchema),
    warnings: z.array(problemSchema),
    file: z.string(),
  })
  .meta({ id: "Validation", description: "What is wrong with a spec, as `relay validate --json` prints it." });

/** What changed between two specs, as `relay diff --json` prints it. */
export const changeSchema = z
  .object({
    part: z.enum(["header", "requirement", "scenario", "decision", "assumption", "task", "section"]),
    kind: z.enum(["added", "removed", "changed", "renamed"]),
    name: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
  })
  .meta({ id: "SpecChange" });
