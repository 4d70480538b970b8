import { z } from "zod";
import type { Dossier } from "../../../dossier/dossier.ts";
import { type Finding, REMOVALS, findingSourceSchema } from "../../../domain/finding.ts";
import { CLOSE_REASONS, type Gap, RESPONDENTS, SEVERITIES } from "../../../domain/gap.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import { ISSUE_STATES } from "../../../domain/lifecycle.ts";
import { noTime, time, timeOf } from "./basics.ts";

export const gapSchema = z
  .object({
    id: z.string(),
    number: z.int(),
    question: z.string(),
    evidence: z.string().nullable().meta({ description: "What the question rests on." }),
    severity: z.enum(SEVERITIES),
    respondent: z.enum(RESPONDENTS),
    proposed_default: z.string().nullable().meta({ description: "What is assumed without an answer." }),
    status: z.enum(["pending", "open", "closed"]),
    closed_reason: z.enum(CLOSE_REASONS).nullable().meta({ description: "`inferred`: it was assumed." }),
    closed_note: z.string().nullable().meta({ description: "The answer, or what is assumed." }),
    asked_at: noTime,
    closed_at: noTime,
    answered_in: z.string().nullable().meta({ description: "The tracker's id of the comment that answered it." }),
  })
  .meta({ id: "Gap", description: "A question whose answer would change the spec." });

export function shownGap(gap: Gap): z.infer<typeof gapSchema> {
  return {
    id: gap.id,
    number: gap.number,
    question: gap.question,
    evidence: gap.evidence,
    severity: gap.severity,
    respondent: gap.respondent,
    proposed_default: gap.proposedDefault,
    status: gap.status,
    closed_reason: gap.closedReason,
    closed_note: gap.closedNote,
    asked_at: timeOf(gap.askedAt),
    closed_at: timeOf(gap.closedAt),
    answered_in: gap.answeredIn,
  };
}

export const findingSchema = z
  .object({
    id: z.string(),
    number: z.int(),
    synthesis: z.string(),
    sources: z.array(findingSourceSchema),
    commit: z.string().nullable().meta({ description: "The commit of the sources' places." }),
  })
  .meta({ id: "Finding", description: "What was found in the code, with its sources." });

export function shownFinding({ id, number, synthesis, sources, commit }: Finding): z.infer<typeof findingSchema> {
  return { id, number, synthesis, sources, commit };
}

const statementSchema = z.object({
  kind: z.string(),
  text: z.string(),
  message: z.int().nullable().meta({ description: "Null for the issue's own text." }),
  author: z.string(),
  decides: z.boolean(),
  agreed_in: z.int().nullable(),
  superseded_by: z.int().nullable(),
});

/** What `relay dossier --json` prints. */
export const dossierSchema = z
  .object({
    issue: z.string(),
    title: z.string(),
    state: z.enum(ISSUE_STATES),
    commit: z.string(),
    statements: z.array(statementSchema),
    omitted: z.object({ statements: z.int(), characters: z.int() }),
    gaps: z.array(gapSchema.extend({ answered_in_message: z.int().nullable() })),
    findings: z.array(findingSchema),
    removed_findings: z.array(findingSchema.extend({ why: z.enum(REMOVALS).nullable(), removed_at: time })),
    explorations: z.array(
      z.object({
        question: z.string(),
        synthesis: z.string(),
        places: z.array(z.object({ location: z.string(), snippet: z.string(), note: z.string().optional() })),
        asked_by: z.string(),
        at: time,
      }),
    ),
  })
  .meta({ id: "Dossier", description: "What is known about an issue, as `relay dossier --json` prints it." });

export type DossierAnswer = z.infer<typeof dossierSchema>;

export function shownDossier(issue: Issue, known: Dossier): DossierAnswer {
  const { commit, messages, said, gaps, findings, removed, explorations } = known;
  const seqOf = new Map(messages.map(({ externalId, seq }) => [externalId, seq]));
  return {
    issue: issueName(issue),
    title: issue.title,
    state: issue.state,
    commit,
    statements: said.statements.map(({ agreedIn, supersededBy, ...one }) => ({
      ...one,
      agreed_in: agreedIn,
      superseded_by: supersededBy,
    })),
    omitted: said.omitted,
    gaps: gaps.map((gap) => ({
      ...shownGap(gap),
      answered_in_message: gap.answeredIn === null ? null : (seqOf.get(gap.answeredIn) ?? null),
    })),
    findings: findings.map(shownFinding),
    removed_findings: removed.map((finding) => ({
      ...shownFinding(finding),
      why: finding.why,
      removed_at: timeOf(finding.removedAt),
    })),
    explorations: explorations.map(({ question, synthesis, places, askedBy, createdAt }) => ({
      question,
      synthesis,
      places,
      asked_by: askedBy,
      at: timeOf(createdAt),
    })),
  };
}
