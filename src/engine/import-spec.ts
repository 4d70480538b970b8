import { type IssueState, STATE_WORDS } from "../domain/lifecycle.ts";
import { participantsOf } from "../dossier/participants.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import type { SpecRef } from "../domain/spec.ts";
import { RelayError } from "../lib/errors.ts";
import type { Validation } from "../specification/validate/validate.ts";
import { findingsOnRecord } from "../specification/removal.ts";
import { record } from "../storage/audit.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages } from "../storage/messages.ts";
import { repositoriesOf } from "../storage/repositories.ts";
import type { OrchestratorDeps } from "./wake.ts";
import { writeGivenSpec } from "./write-given-spec.ts";

/**
 * What an operator imports: `text` makes the spec's text once the issue is known; `why` and `actor` go into the record.
 */
export interface GivenSpec {
  text: (issue: Issue, now: Date) => Promise<string>;
  why: string;
  actor: string;
}

export interface ImportedSpec {
  ref: SpecRef;
  outcome: "written" | "unchanged";
  validation: Validation;
}

/** In these states a plan of the current spec waits or is worked on; a new version would no longer match it. */
const BOUND: ReadonlySet<IssueState> = new Set(["waiting_confirmation", "queued", "in_progress", "in_review", "stuck"]);

/**
 * Stores a spec that an operator brings in as the issue's next version: a draft, validated like all others, and stored
 * whatever the verdict (R-SPEC-14). Throws `usage` while a plan of the current version waits or is worked on.
 */
export async function importSpec(issueId: string, given: GivenSpec, deps: OrchestratorDeps): Promise<ImportedSpec> {
  const { db, clock } = deps;
  const known = await getIssue(db, issueId);
  return await deps.withIssueLock(issueName(known), async () => {
    const issue = await getIssue(db, issueId);
    if (BOUND.has(issue.state)) {
      throw new RelayError(
        "usage",
        `${issueName(issue)} is ${STATE_WORDS[issue.state]}: its plan is of the present spec; say in its thread what should be different`,
      );
    }
    const [repository] = await repositoriesOf(db, issue);
    const tracker = await deps.trackerFor(repository);
    const participants = await participantsOf(issue, await listMessages(db, issueId), { tracker, approves: null });
    const deciders = new Set(
      participants.flatMap(({ login, mayProceed }) => (mayProceed ? [login.toLowerCase()] : [])),
    );
    const text = await given.text(issue, clock.now());
    const content_markdown = (await hasOwnEvidence(text, issue, deps))
      ? text
      : text.replace(EVIDENCE, "## Imported evidence");
    return await deps.withCode(repository, async (code) => {
      const { apply, validation, kept } = await writeGivenSpec(
        issueId,
        { content_markdown, reason: given.why, mode: "overwrite" },
        { ...deps, repository, code, deciders },
      );
      await db.transaction(async (tx) => {
        const { audit } = await apply({ tx });
        for (const entry of audit) await record(tx, { ...entry, actor: given.actor }, deps);
      });
      return { ref: kept.ref, outcome: kept.kind, validation };
    });
  });
}

const EVIDENCE = /^## Evidence$/m;

/**
 * Whether everything that a text's Evidence names is on record for this issue; Evidence is then written from the
 * record.
 */
async function hasOwnEvidence(text: string, { id }: Issue, { db }: OrchestratorDeps): Promise<boolean> {
  const numbers = {
    gap: new Set((await listGaps(db, id)).map(({ number }) => String(number))),
    finding: new Set((await findingsOnRecord(db, id)).map(({ number }) => String(number))),
    message: new Set((await listMessages(db, id)).map(({ seq }) => String(seq))),
  };
  return (parseSpec(text).evidence ?? []).every(({ kind, id: number }) => numbers[kind].has(number));
}
