import { draftRecord, recordStart, sizeOf, specRecord } from "./spec-records.ts";
import { type Apply, auditDraft } from "../planner/actions/ports.ts";
import type { StoreWrites } from "../planner/actions/ledger.ts";
import { type ActionOf, QUICK_WAY } from "../domain/action.ts";
import type { Cycle } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import { originsIn } from "../notify/link-origins.ts";
import { foreignLinksAsText } from "../domain/text/outgoing-links.ts";
import { readsOf } from "../domain/spec.ts";
import type { Repository } from "../code/git/repository.ts";
import type { DraftRecord } from "./recording/cycle-record.ts";
import type { CycleRecords } from "./recording/recordings.ts";
import { commentAddress, fileAddress } from "../adapters/trackers/addresses.ts";
import { type Sources, withEvidence } from "../specification/evidence.ts";
import { groundingIn } from "../specification/code.ts";
import { generateSpec } from "../specification/generate.ts";
import type { SpecGenerator } from "../specification/generator.ts";
import { type Voices, assembleInput } from "../specification/input.ts";
import { findingsOnRecord } from "../specification/removal.ts";
import { reproductionOf } from "../specification/reproduction.ts";
import { type Kept, keepSpec } from "../specification/save.ts";
import type { Grounding } from "../specification/validate/grounding.ts";
import { validateSpec } from "../specification/validate/validate.ts";
import { noteInSpan } from "../lib/trace.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import { addEval } from "../storage/model-calls.ts";
import { listGaps } from "../storage/gaps.ts";
import { setSpecRef } from "../storage/issues.ts";
import { listMessages } from "../storage/messages.ts";
import type { RepositoryInForce, StoredRepository } from "../storage/repositories.ts";
import { addSpecVersion } from "../storage/specs.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

export interface SpecDeps extends Context {
  tracker: Tracker;
  repository: RepositoryInForce;
  code: Repository;
  generator: SpecGenerator;
  specStore: SpecStore;
  records: CycleRecords;
  /** A fix plan follows the spec. */
  plansNext?: boolean;
}

type Handoff = ActionOf<"ready_for_spec_generation">["data"];

/** Writes, validates and stores the spec; the caller runs what it returns in the ledger's transaction. */
export async function writeGeneratedSpec(
  issueId: string,
  cycle: Cycle,
  handoff: Handoff,
  deps: SpecDeps & Voices,
): Promise<Apply<StoreWrites>> {
  const goAhead = (await listMessages(deps.db, issueId)).findLast(({ seq }) => deps.goAheads.includes(seq));
  const { issue } = await deps.transition(deps.db, issueId, "spec_approved", {
    why: `go-ahead: ${handoff.proceed_signal}`,
    ...(goAhead && { actor: goAhead.author }),
  });
  await recordStart(issue, deps);
  const known = await groundingOf(issue, deps);
  const started = performance.now();
  const drafts: DraftRecord[] = [];
  const kept = await keepSpec(
    ownerOf(issue),
    issue.spec,
    async (base) => await draftSpec({ ...issue, spec: base }, handoff, known, drafts, deps),
    { store: deps.specStore, log: deps.log },
  );
  await deps.records.addDrafts(cycle, drafts);
  const { spec, ref } = kept;
  const latencyMs = performance.now() - started;
  const { validationStatus } = spec;
  const facts = { duration_ms: Math.round(latencyMs), spec_chars: spec.markdown.length, sha256: ref.sha256 };
  deps.log.info({ issue_id: issueId, ...facts, validation_status: validationStatus }, "spec generation ended");
  noteInSpan({ "relay.spec.complexity": spec.complexity, "relay.spec.validation_status": validationStatus });
  return async ({ tx }) => {
    await storeVersion(tx, cycle, kept, latencyMs, deps);
    const written = specRecord(issue, cycle.reasoning, kept.kind, {
      ref,
      complexity: spec.complexity,
      reason: spec.complexityReason,
      ...sizeOf(spec.markdown),
      ms: Math.round(latencyMs),
    });
    if (handoff.proceed_signal !== QUICK_WAY) return written;
    const after = { sha256: ref.sha256 };
    const quick = auditDraft({ issue, reasoning: cycle.reasoning }, "spec.quick_way", { after });
    return { ...written, audit: [...written.audit, quick] };
  };
}

/** A validated spec on the base that `issue.spec` names, with its input; adds each draft on the way to `drafts`. */
async function draftSpec(
  issue: Issue,
  handoff: Handoff,
  known: Grounding,
  drafts: DraftRecord[],
  deps: SpecDeps & Voices,
) {
  const { db, specStore, code, clock, generator, log } = deps;
  const signals = {
    proceedSignal: handoff.proceed_signal,
    contextSummary: handoff.context_summary,
    complexityHint: handoff.complexity_hint ?? null,
  };
  const input = await assembleInput(db, issue, signals, deps, { specStore, code, clock });
  const { statements } = input.statements;
  const grounding = { ...known, statements, reproduction: reproductionOf(input.reading) };
  const sources = { ...input, gaps: input.closedGaps, ...sourcesOf(issue, deps) };
  const spec = await generateSpec(input, {
    generator,
    finish: async (markdown) => {
      const near = foreignLinksAsText(markdown, await originsIn(markdown, issue, deps));
      return withEvidence(near.text, sources, input.existing?.content ?? null);
    },
    log,
    validate: async (draft) => {
      const { complexity, shown } = draft;
      const checked = { ...grounding, ...(shown && { shown }) };
      const verdict = await validateSpec(draft.markdown, { complexity, grounding: checked });
      drafts.push(draftRecord(draft, verdict.errors, grounding));
      return verdict;
    },
  });
  return { ...spec, input };
}

/** Stores the reference of the spec, its version, and the record of its generation. */
async function storeVersion(
  tx: Db,
  { id: cycleId, issueId }: Cycle,
  { spec, ref }: Kept<Awaited<ReturnType<typeof draftSpec>>>,
  latencyMs: number,
  deps: SpecDeps,
): Promise<void> {
  const { input, writtenBy } = spec;
  await setSpecRef(tx, issueId, ref, deps.clock);
  const read = readsOf(input.issue, input.messages);
  const version = { ...spec, ref, content: spec.markdown, commit: deps.code.commit, read };
  await addSpecVersion(tx, issueId, version, deps);
  await addEval(
    tx,
    {
      issueId,
      cycleId,
      stage: "spec_generator",
      model: writtenBy?.model ?? deps.generator.name,
      input: {
        gaps: input.closedGaps.length,
        findings: input.findings.length,
        messages: input.messages.length,
        prompt_hash: deps.generator.promptHash ?? null,
        fell_back_from: writtenBy?.fellBackFrom ?? [],
      },
      output: spec.metadata,
      latencyMs,
    },
    deps,
  );
}

/** What the store knows; what people said depends on what the writer has read. */
export async function groundingOf(issue: Issue, { db, code }: Pick<SpecDeps, "db" | "code">): Promise<Grounding> {
  const gaps = await listGaps(db, issue.id);
  return {
    gapNumbers: new Set(gaps.map((gap) => gap.number)),
    findings: await findingsOnRecord(db, issue.id),
    messageCount: (await listMessages(db, issue.id)).length,
    code: groundingIn(code),
    mustCover: gaps
      .filter((gap) => gap.closedReason === "answered" || gap.closedReason === "inferred")
      .map((gap) => gap.number),
  };
}

export function sourcesOf(
  issue: Issue,
  { repository, code }: { repository: StoredRepository; code: Repository },
): Omit<Sources, "gaps" | "findings" | "removed" | "messages"> {
  return {
    language: issue.language,
    commit: code.commit,
    addresses: {
      lines: (commit, { path, ...lines }) => fileAddress(repository, commit, { path, lines }),
      message: (externalId) => commentAddress(issue, externalId),
    },
  };
}

export function ownerOf(issue: Issue) {
  return {
    issueId: issue.id,
    provider: issue.provider,
    externalIssueId: issue.externalIssueId,
    title: issue.title,
  };
}
