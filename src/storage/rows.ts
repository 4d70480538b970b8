import { z } from "zod";
import { COMPLEXITIES, specRefSchema } from "../domain/spec.ts";
import { actionSchema } from "../domain/action.ts";
import { findingSourceSchema } from "../domain/finding.ts";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES, TOPICS } from "../domain/gap.ts";
import { MODES, PROVIDERS } from "../domain/issue.ts";
import { LEARNING_TYPES } from "../domain/learning.ts";
import { ISSUE_STATES } from "../domain/lifecycle.ts";

/* The shapes of rows as the database gives them, and their way into domain types. */

const strings = z.array(z.string());
const time = z.date();

export const issueRow = z
  .object({
    id: z.string(),
    repository_id: z.string(),
    provider: z.enum(PROVIDERS),
    external_project_id: z.string(),
    external_issue_id: z.string(),
    title: z.string(),
    body: z.string(),
    labels: strings,
    assignees: strings,
    reporter: z.string(),
    url: z.string().nullable(),
    state: z.enum(ISSUE_STATES),
    resumes_as: z.enum(ISSUE_STATES).nullable(),
    language: z.string(),
    spec: specRefSchema.nullable(),
    failed_cycles: z.number(),
    debounce_until: time.nullable(),
    assigned_at: time,
    plan_posted_at: time.nullable(),
    opened_at: time,
    updated_at: time,
  })
  .transform((row) => ({
    id: row.id,
    repositoryId: row.repository_id,
    provider: row.provider,
    externalProjectId: row.external_project_id,
    externalIssueId: row.external_issue_id,
    title: row.title,
    body: row.body,
    labels: row.labels,
    assignees: row.assignees,
    reporter: row.reporter,
    url: row.url,
    state: row.state,
    resumesAs: row.resumes_as,
    language: row.language,
    spec: row.spec,
    failedCycles: row.failed_cycles,
    debounceUntil: row.debounce_until,
    assignedAt: row.assigned_at,
    planPostedAt: row.plan_posted_at,
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
  }));

export const messageRow = z
  .object({
    seq: z.number(),
    external_id: z.string(),
    external_thread_id: z.string().nullable(),
    external_reply_id: z.string().nullable(),
    author: z.string(),
    role: z.enum(["reporter", "assignee", "self", "other"]),
    is_bot: z.boolean(),
    posted_at: time,
    edited_at: time.nullable(),
    reply_to_seq: z.number().nullable(),
    content: z.string(),
  })
  .transform((row) => ({
    seq: row.seq,
    author: row.author,
    role: row.role,
    isBot: row.is_bot,
    timestamp: row.posted_at,
    editedAt: row.edited_at,
    replyToSeq: row.reply_to_seq,
    content: row.content,
    externalId: row.external_id,
    externalThreadId: row.external_thread_id,
    externalReplyId: row.external_reply_id,
  }));

export const gapRow = z
  .object({
    id: z.string(),
    issue_id: z.string(),
    number: z.number(),
    question: z.string(),
    evidence: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    respondent: z.enum(RESPONDENTS),
    topic: z.enum(TOPICS).nullable(),
    proposed_default: z.string().nullable(),
    status: z.enum(["pending", "open", "closed"]),
    asked_at: time.nullable(),
    closed_at: time.nullable(),
    closed_reason: z.enum(CLOSE_REASONS).nullable(),
    closed_note: z.string().nullable(),
    created_at: time,
  })
  .transform((row) => ({
    id: row.id,
    issueId: row.issue_id,
    number: row.number,
    question: row.question,
    evidence: row.evidence,
    severity: row.severity,
    respondent: row.respondent,
    topic: row.topic,
    proposedDefault: row.proposed_default,
    status: row.status,
    askedAt: row.asked_at,
    closedAt: row.closed_at,
    closedReason: row.closed_reason,
    closedNote: row.closed_note,
    createdAt: row.created_at,
  }));

export const findingRow = z
  .object({
    id: z.string(),
    issue_id: z.string(),
    synthesis: z.string(),
    sources: z.array(findingSourceSchema),
    commit: z.string().nullable(),
    created_at: time,
  })
  .transform((row) => ({
    id: row.id,
    issueId: row.issue_id,
    synthesis: row.synthesis,
    sources: row.sources,
    commit: row.commit,
    createdAt: row.created_at,
  }));

export const learningRow = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    type: z.enum(LEARNING_TYPES),
    content: z.string(),
    created_at: time,
  })
  .transform((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    type: row.type,
    content: row.content,
    createdAt: row.created_at,
  }));

export const cycleRow = z
  .object({
    id: z.string(),
    issue_id: z.string(),
    number: z.number(),
    planner: z.string(),
    reasoning: z.string(),
    status: z.enum(["running", "done", "failed"]),
    started_at: time,
    ended_at: time.nullable(),
  })
  .transform((row) => ({
    id: row.id,
    issueId: row.issue_id,
    number: row.number,
    planner: row.planner,
    reasoning: row.reasoning,
    status: row.status,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }));

export const actionRow = z
  .object({
    id: z.string(),
    cycle_id: z.string(),
    issue_id: z.string(),
    round: z.number(),
    position: z.number(),
    action: actionSchema,
    idempotency_key: z.string(),
    status: z.enum(["pending", "done", "failed"]),
    attempts: z.number(),
    outcome: z.unknown(),
    error: z.string().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    cycleId: row.cycle_id,
    issueId: row.issue_id,
    round: row.round,
    position: row.position,
    action: row.action,
    idempotencyKey: row.idempotency_key,
    status: row.status,
    attempts: row.attempts,
    outcome: row.outcome ?? null,
    error: row.error,
  }));

export const auditRow = z
  .object({
    id: z.string(),
    issue_id: z.string().nullable(),
    at: time,
    actor: z.string(),
    what: z.string(),
    why: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .transform((row) => ({
    id: row.id,
    issueId: row.issue_id,
    at: row.at,
    actor: row.actor,
    what: row.what,
    why: row.why,
    before: row.before ?? null,
    after: row.after ?? null,
  }));

export const specVersionRow = z
  .object({
    id: z.string(),
    version: z.number(),
    ref: specRefSchema,
    complexity: z.enum(COMPLEXITIES),
    complexity_reason: z.string(),
    validation_status: z.enum(["valid", "partial"]),
    status: z.enum(["draft", "approved", "rejected", "stale"]),
    summary: strings,
    changelog: z.string(),
    commit: z.string().nullable(),
    created_at: time,
  })
  .transform((row) => ({
    id: row.id,
    version: row.version,
    ref: row.ref,
    complexity: row.complexity,
    complexityReason: row.complexity_reason,
    validationStatus: row.validation_status,
    status: row.status,
    summary: row.summary,
    changelog: row.changelog,
    commit: row.commit,
    createdAt: row.created_at,
  }));

export const repositoryRow = z
  .object({
    id: z.string(),
    integration_id: z.string(),
    workspace_id: z.string(),
    provider: z.enum(PROVIDERS),
    external_project_id: z.string(),
    stable_id: z.string().nullable(),
    clone_source: z.string().nullable(),
    mode: z.enum(MODES),
  })
  .transform((row) => ({
    id: row.id,
    integrationId: row.integration_id,
    workspaceId: row.workspace_id,
    provider: row.provider,
    externalProjectId: row.external_project_id,
    stableId: row.stable_id,
    cloneSource: row.clone_source,
    mode: row.mode,
  }));
export type StoredRepository = z.infer<typeof repositoryRow>;
export type SpecVersion = z.infer<typeof specVersionRow>;
