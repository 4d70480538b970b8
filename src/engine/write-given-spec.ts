import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { ActionOf } from "../domain/action.ts";
import { type Complexity, type SpecMetadata, readsOf } from "../domain/spec.ts";
import { withoutEvidence } from "../domain/spec-document/evidence-section.ts";
import { statementsIn } from "../domain/statements/statements.ts";
import { keptText } from "../domain/text/clean-text.ts";
import { foreignLinksAsText } from "../domain/text/outgoing-links.ts";
import { originsIn } from "../notify/link-origins.ts";
import type { StoreWrites } from "../planner/actions/ledger.ts";
import type { Apply } from "../planner/actions/ports.ts";
import { withEvidence } from "../specification/evidence.ts";
import { type Voices, assembleInput } from "../specification/input.ts";
import { isSameButDate } from "../specification/revision/changelog.ts";
import { leastChange } from "../specification/revision/least-change.ts";
import { type Kept, keepSpec } from "../specification/save.ts";
import { type Validation, validateSpec } from "../specification/validate/validate.ts";
import { listFindings, listRemovedFindings } from "../storage/findings.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue, setSpecRef } from "../storage/issues.ts";
import { listMessages, listUnreadSeqs } from "../storage/messages.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { addSpecVersion } from "../storage/specs.ts";
import { sizeOf, specRecord } from "./spec-records.ts";
import { type SpecDeps, groundingOf, ownerOf, sourcesOf } from "./write-spec.ts";

/**
 * Stores a spec that the planner wrote (`update_spec`) as the smallest change of the current one: what nothing new asks
 * to change stays byte for byte (R-SPEC-12). The caller runs what it returns in the ledger's transaction.
 */
export async function writePlannedSpec(
  issueId: string,
  given: ActionOf<"update_spec">["data"],
  deps: Pick<SpecDeps, keyof GivenSpecDeps | "tracker"> & Voices,
): Promise<Apply<Pick<StoreWrites, "tx">>> {
  const issue = await getIssue(deps.db, issueId);
  const told = given.reason ?? "";
  const handoff = { proceedSignal: "", contextSummary: told, complexityHint: null };
  const input = await assembleInput(deps.db, issue, handoff, deps, deps);
  const kept = keptText(given.content_markdown);
  const near = foreignLinksAsText(kept, await originsIn(kept, issue, deps));
  const fresh = withoutEvidence(near.text);
  const { markdown } = leastChange({ markdown: fresh, changelog: keptText(told) }, input);
  return (await writeGivenSpec(issueId, { ...given, content_markdown: markdown }, deps)).apply;
}

type GivenSpecDeps = Pick<SpecDeps, "db" | "clock" | "ids" | "log" | "specStore" | "code"> & {
  repository: StoredRepository;
};

/**
 * Stores a spec that was written elsewhere, with its text as given; it is validated, and stored whatever the verdict.
 * The caller runs `apply` in its transaction.
 */
export async function writeGivenSpec(
  issueId: string,
  given: ActionOf<"update_spec">["data"],
  deps: GivenSpecDeps & Pick<Voices, "deciders">,
): Promise<{ apply: Apply<Pick<StoreWrites, "tx">>; validation: Validation; kept: Kept<unknown> }> {
  const issue = await getIssue(deps.db, issueId);
  const gaps = await listGaps(deps.db, issueId);
  const findings = await listFindings(deps.db, issueId);
  const removed = await listRemovedFindings(deps.db, issueId);
  const messages = await listMessages(deps.db, issueId);
  const before = await storedSpec(issue.spec, deps.specStore);
  const sources = { gaps, findings, removed, messages, ...sourcesOf(issue, deps) };
  const fresh = withEvidence(keptText(given.content_markdown), sources, before?.content ?? null);
  const markdown = before !== null && isSameButDate(before.content, fresh) ? before.content : fresh;
  const { statements } = statementsIn(issue, messages, deps.deciders);
  const checked = await validateSpec(markdown, { grounding: { ...(await groundingOf(issue, deps)), statements } });
  const unread = new Set(await listUnreadSeqs(deps.db, issueId));
  const seen = messages.filter(({ seq }) => !unread.has(seq));
  const kept = await keepSpec(ownerOf(issue), issue.spec, async () => await Promise.resolve({ markdown }), {
    store: deps.specStore,
    log: deps.log,
  });
  const version: { complexity: Complexity; metadata: SpecMetadata } = checked;
  const apply: Apply<Pick<StoreWrites, "tx">> = async ({ tx }) => {
    await setSpecRef(tx, issueId, kept.ref, deps.clock);
    await addSpecVersion(
      tx,
      issueId,
      {
        ref: kept.ref,
        content: markdown,
        complexity: version.complexity,
        complexityReason: "as the document says",
        validationStatus: checked.valid ? "valid" : "partial",
        summary: checked.document.tldr.map((bullet) => bullet.text),
        changelog: given.reason ?? "",
        metadata: version.metadata,
        commit: deps.code.commit,
        read: readsOf(issue, seen),
      },
      deps,
    );
    return specRecord(issue, given.reason ?? "", kept.kind, {
      ref: kept.ref,
      complexity: version.complexity,
      reason: "",
      ...sizeOf(markdown),
    });
  };
  return { apply, validation: checked, kept };
}
