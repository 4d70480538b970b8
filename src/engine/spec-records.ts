import { auditDraft } from "../planner/actions/ports.ts";
import type { Issue } from "../domain/issue.ts";
import type { Complexity } from "../domain/spec.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { SpecDraft } from "../specification/generator.ts";
import type { Grounding } from "../specification/validate/grounding.ts";
import type { SpecProblem } from "../specification/validate/rules.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import type { DraftRecord } from "./recording/cycle-record.ts";

interface Written {
  ref: { path: string; sha256: string };
  complexity: Complexity;
  reason: string;
  characters: number;
  bytes: number;
  /** Milliseconds that the writer took; absent for a text that was given. */
  ms?: number;
}

export function sizeOf(markdown: string): { characters: number; bytes: number } {
  return { characters: markdown.length, bytes: Buffer.byteLength(markdown) };
}

interface StartDeps extends Context {
  specStore: SpecStore;
  repository: Pick<StoredRepository, "integrationId">;
}

/** Records that the writing of a spec began, and from which version (R-OBS-5). */
export async function recordStart(issue: Issue, deps: StartDeps): Promise<void> {
  const { integrationId } = deps.repository;
  const about = { issue_id: issue.id, integration_id: integrationId, existing_spec_exists: issue.spec !== null };
  deps.log.info(about, "spec generation started");
  const before = await storedSpec(issue.spec, deps.specStore);
  const read = before && { path: before.ref.path, sha256: before.ref.sha256, ...sizeOf(before.content) };
  await record(deps.db, { issueId: issue.id, actor: "relay", what: "spec.started", before: read }, deps);
}

/** The outcome of writing a spec, and its audit entry. */
export function specRecord(issue: Issue, why: string, kind: "written" | "unchanged", after: Written) {
  return {
    outcome: { written: kind === "written", path: after.ref.path, sha256: after.ref.sha256 },
    audit: [auditDraft({ issue, reasoning: why }, `spec.${kind}`, { before: issue.spec, after })],
  };
}

/** A draft as a cycle's recording keeps it. */
export function draftRecord(
  { markdown, complexity }: SpecDraft,
  errors: readonly SpecProblem[],
  { gapNumbers, findings, messageCount, mustCover, statements }: Grounding,
): DraftRecord {
  return {
    markdown,
    complexity,
    numbers: {
      gaps: [...(gapNumbers ?? [])],
      findings: [...(findings ?? [])],
      messages: messageCount ?? 0,
      mustCover: [...(mustCover ?? [])],
    },
    statements: [...(statements ?? [])],
    errors: errors.map(({ rule, line, detail }) => ({ rule, line, detail })),
  };
}
