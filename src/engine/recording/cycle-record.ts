import { z } from "zod";
import type { BatchState } from "../../planner/actions/batch-state.ts";
import { explorationSchema } from "../../domain/exploration.ts";
import { findingSourceSchema } from "../../domain/finding.ts";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES, TOPICS } from "../../domain/gap.ts";
import { PROVIDERS } from "../../domain/issue.ts";
import { LEARNING_TYPES } from "../../domain/learning.ts";
import { ISSUE_STATES } from "../../domain/lifecycle.ts";
import { COMPLEXITIES, specRefSchema } from "../../domain/spec.ts";
import type { CycleContext } from "../../planner/planner.ts";

/* The format of a recorded cycle. Later versions of Relay read it: new fields need a default. */

const time = z.coerce.date();
/** `coerce` alone would turn null into 1970. */
const timeOrNull = z.union([z.null(), time]);
const texts = z.array(z.string());
const role = z.enum(["reporter", "assignee", "self", "other"]);

const issue = z.object({
  id: z.string(),
  repositoryId: z.string(),
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  title: z.string(),
  body: z.string(),
  labels: texts,
  assignees: texts,
  reporter: z.string(),
  url: z.string().nullable(),
  confidential: z.boolean().default(false),
  repositoryPrivate: z.boolean().default(false),
  state: z.enum(ISSUE_STATES),
  resumesAs: z.enum(ISSUE_STATES).nullable(),
  language: z.string(),
  spec: specRefSchema.nullable(),
  failedCycles: z.number(),
  debounceUntil: timeOrNull,
  assignedAt: time,
  planPostedAt: timeOrNull,
  openedAt: time,
  updatedAt: time,
});

const gap = z.object({
  id: z.string(),
  issueId: z.string(),
  number: z.number(),
  question: z.string(),
  evidence: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  respondent: z.enum(RESPONDENTS),
  topic: z.enum(TOPICS).nullable(),
  proposedDefault: z.string().nullable(),
  status: z.enum(["pending", "open", "closed"]),
  askedAt: timeOrNull,
  askedIn: z.string().nullable().default(null),
  closedAt: timeOrNull,
  closedReason: z.enum(CLOSE_REASONS).nullable(),
  closedNote: z.string().nullable(),
  answeredIn: z.string().nullable().default(null),
  createdAt: time,
});

const message = z.object({
  seq: z.number(),
  author: z.string(),
  role,
  isBot: z.boolean(),
  timestamp: time,
  editedAt: timeOrNull,
  replyToSeq: z.number().nullable(),
  content: z.string(),
  externalId: z.string(),
  externalThreadId: z.string().nullable(),
});

const context = z.object({
  issue,
  participants: z.array(z.object({ login: z.string(), role, mayProceed: z.boolean() })),
  learnings: z.array(
    z.object({
      id: z.string(),
      workspaceId: z.string(),
      type: z.enum(LEARNING_TYPES),
      content: z.string(),
      createdAt: time,
    }),
  ),
  openGaps: z.array(gap),
  pendingGaps: z.array(gap),
  closedGaps: z.array(gap),
  nextGapNumber: z.number(),
  findings: z
    .array(
      z.object({
        id: z.string(),
        issueId: z.string(),
        number: z.number().optional(),
        synthesis: z.string(),
        sources: z.array(findingSourceSchema),
        commit: z.string().nullable(),
        createdAt: time,
      }),
    )
    // In older recordings the number is the position.
    .transform((all) => all.map((one, at) => ({ ...one, number: one.number ?? at + 1 }))),
  explorations: z.array(explorationSchema.extend({ createdAt: time })).default([]),
  specStub: z.string().nullable(),
  specUrl: z.string().nullable().default(null),
  failures: texts,
  messages: z.array(message),
  omittedMessages: z.number(),
  newMessages: z.array(z.number()),
  proceedAsked: z.boolean(),
  planned: z.boolean().default(false),
  planStands: z.boolean().default(true),
  wishes: z.array(z.number()).default([]),
  quickWay: z.boolean().default(false),
  textEdited: z.boolean().default(false),
}) satisfies z.ZodType<CycleContext>;

const state = z.object({
  issue: z.string().default(""),
  gaps: z.array(gap),
  nextGapNumber: z.number(),
  findings: z.array(z.object({ id: z.string() })),
  messages: z.array(
    message.omit({ replyToSeq: true }).extend({
      author: z.string().default(""),
      permitted: z.boolean(),
      isNew: z.boolean(),
    }),
  ),
  participants: texts,
  bot: z.string(),
  hasSpec: z.boolean(),
  proceedAsked: z.boolean(),
  wishes: z.array(z.number()).default([]),
  quickWay: z.boolean().default(false),
  textEdited: z.boolean().default(false),
  now: time,
}) satisfies z.ZodType<BatchState>;

const planning = z.object({
  /** Everything that the planner saw and that its answers were judged by. */
  context,
  state,
  /** The context as rendered into the prompt. */
  prompt: z.string(),
  /** Each of the planner's submissions and its problems: none if it was accepted. */
  answers: z.array(
    z.object({
      submitted: z.unknown(),
      problems: z.array(z.object({ index: z.number(), rule: z.string(), detail: z.string() })),
    }),
  ),
});

const statement = z.object({
  kind: z.enum(["wish", "bound", "fact", "decision"]),
  text: z.string(),
  message: z.number().nullable(),
  author: z.string(),
  decides: z.boolean(),
  agreedIn: z.number().nullable(),
  supersededBy: z.number().nullable(),
});

const draft = z.object({
  markdown: z.string(),
  complexity: z.enum(COMPLEXITIES),
  /** What its citations were checked against, besides the code. */
  numbers: z.object({
    gaps: z.array(z.number()),
    findings: z
      .array(z.union([z.string(), z.object({ number: z.number(), id: z.string(), removed: z.string().nullable() })]))
      // Older recordings have the ids in the order of their numbers.
      .transform((all) =>
        all.map((one, at) => (typeof one === "string" ? { number: at + 1, id: one, removed: null } : one)),
      ),
    messages: z.number(),
    mustCover: z.array(z.number()),
  }),
  /** Absent in recordings made before specs had to take up what people said. */
  statements: z.array(statement).default([]),
  errors: z.array(z.object({ rule: z.string(), line: z.number(), detail: z.string() })),
});

export const cycleRecordSchema = z.object({
  version: z.literal(1),
  number: z.number(),
  /** `offline`, or `provider/name`. */
  planner: z.string(),
  /** The commit at which the code was read. */
  commit: z.string(),
  startedAt: time,
  /** The first planning, and one per replanning after failures (R-ACT-4). */
  plannings: z.array(planning),
  /** Specs as submitted, each before its correction. */
  drafts: z.array(draft).default([]),
});

/** What a cycle saw, the answers, and their verdicts: enough to replay it (R-OBS-4). */
export type CycleRecord = z.infer<typeof cycleRecordSchema>;
export type PlanningRecord = z.infer<typeof planning>;
export type DraftRecord = z.infer<typeof draft>;
