/*
 * What other programs read: the documents that commands print with `--json`, and those of the API. A package has this
 * file as types alone, `relay/json`; nothing here runs.
 */
import type { z } from "zod";
import type { CheckedFile } from "../specification/report.ts";
import type { actSchema } from "../server/api/routes/acts.ts";
import type { callsSchema, costsSchema } from "../server/api/routes/figures.ts";
import type {
  findingsSchema,
  gapsSchema,
  messagesSchema,
  timelineSchema,
  wholeIssueSchema,
} from "../server/api/routes/issue.ts";
import type { issuesSchema } from "../server/api/routes/issues.ts";
import type { learningsSchema } from "../server/api/routes/learnings.ts";
import type { openedSchema } from "../server/api/routes/local.ts";
import type {
  checkSchema,
  deadLettersSchema,
  doctorSchema,
  healthSchema,
  meSchema,
  queueSchema,
  todaySchema,
  versionSchema,
} from "../server/api/routes/operation.ts";
import type { plansSchema } from "../server/api/routes/plans.ts";
import type { issueRequestSchema, runLogSchema, runsSchema } from "../server/api/routes/runs.ts";
import type { specDiffSchema, specVersionsSchema, wholeSpecSchema } from "../server/api/routes/specs.ts";
import type { errorSchema } from "../server/api/describe.ts";
import type { callSchema, dayCostsSchema, wholeCallSchema } from "../server/api/shapes/costs.ts";
import type { ShownIssue } from "../server/api/shapes/issue.ts";
import type { DossierAnswer, findingSchema, gapSchema } from "../server/api/shapes/known.ts";
import type { planSchema } from "../server/api/shapes/plan.ts";
import type { ShownLetter } from "../server/api/shapes/queue.ts";
import type { ShownLogEntry, runSchema, wholeRunSchema } from "../server/api/shapes/run.ts";
import type { SpecAnswer, changeSchema, specVersionSchema, validationSchema } from "../server/api/shapes/spec.ts";
import type { auditSchema, messageSchema } from "../server/api/shapes/thread.ts";
import type { ReplyVerdict } from "../approval/read-reply.ts";
import type { BackupAnswer } from "./commands/backup.ts";
import type { ControlAnswer } from "./commands/control.ts";
import type { DemoAnswer } from "./commands/demo.ts";
import type { DiffAnswer } from "./commands/diff.ts";
import type { DiskAnswer } from "./commands/disk.ts";
import type { DoctorAnswer } from "./commands/doctor.ts";
import type { EvalAnswer } from "./commands/eval.ts";
import type { EventAnswer } from "./commands/event.ts";
import type { ExploreAnswer } from "./commands/explore.ts";
import type { ExportAnswer } from "./commands/export.ts";
import type { ImportAnswer } from "./commands/import.ts";
import type { InitAnswer } from "./commands/init.ts";
import type { LearningsAnswer, RemovedLearningsAnswer } from "./commands/learnings.ts";
import type { LogAnswer } from "./commands/log.ts";
import type { McpAnswer } from "./commands/mcp.ts";
import type { MigrateAnswer } from "./commands/migrate.ts";
import type { PlanAnswer } from "./commands/plan.ts";
import type { RateAnswer } from "./commands/rate.ts";
import type { ReplayAnswer } from "./commands/replay.ts";
import type { ServeAnswer } from "./commands/serve.ts";
import type { SpecsMoveAnswer } from "./commands/specs.ts";
import type { StatusAnswer } from "./commands/status.ts";
import type { TriageAnswer } from "./commands/triage.ts";
import type { DryRunAnswer, WorkAnswer } from "./commands/work.ts";

/** What each command prints with `--json`: one document, or one a line where it says so. */
export interface Answers {
  backup: BackupAnswer;
  demo: DemoAnswer;
  diff: DiffAnswer;
  doctor: DoctorAnswer;
  dossier: DossierAnswer;
  eval: EvalAnswer;
  event: EventAnswer;
  explore: ExploreAnswer;
  export: ExportAnswer;
  forget: ControlAnswer;
  import: ImportAnswer;
  init: InitAnswer;
  "learnings approve": LearningsAnswer;
  "learnings edit": LearningsAnswer;
  "learnings list": LearningsAnswer;
  "learnings remove": RemovedLearningsAnswer;
  log: LogAnswer;
  /** One a line. */
  "log --run": ShownLogEntry;
  "mcp --http": McpAnswer;
  migrate: MigrateAnswer;
  pause: ControlAnswer;
  plan: PlanAnswer;
  rate: RateAnswer;
  replay: ReplayAnswer;
  /** One a line. */
  reply: ReplyVerdict;
  restore: BackupAnswer;
  resume: ControlAnswer;
  retry: ControlAnswer;
  serve: ServeAnswer;
  spec: SpecAnswer;
  "specs move": SpecsMoveAnswer;
  status: StatusAnswer;
  "status --disk": DiskAnswer;
  triage: TriageAnswer;
  /** One a line, for each spec. */
  validate: CheckedFile;
  work: WorkAnswer;
  "work --dry-run": DryRunAnswer | PlanAnswer;
}

export type {
  BackupAnswer,
  CheckedFile as ValidateReport,
  ControlAnswer,
  DemoAnswer,
  DiffAnswer,
  DiskAnswer,
  DoctorAnswer,
  DossierAnswer,
  DryRunAnswer,
  EvalAnswer,
  EventAnswer,
  ExploreAnswer,
  ExportAnswer,
  ImportAnswer,
  InitAnswer,
  LearningsAnswer,
  LogAnswer,
  McpAnswer,
  MigrateAnswer,
  PlanAnswer,
  RateAnswer,
  RemovedLearningsAnswer,
  ReplayAnswer,
  ReplyVerdict,
  ServeAnswer,
  SpecAnswer,
  SpecsMoveAnswer,
  StatusAnswer,
  TriageAnswer,
  WorkAnswer,
};
export type { FixPlan, TriageResult } from "../domain/plan.ts";

/* Documents of the API, by the names that docs/openapi.json gives them. */

export type Act = z.infer<typeof actSchema>;
export type Check = z.infer<typeof checkSchema>;
export type Costs = z.infer<typeof costsSchema>;
export type DayCosts = z.infer<typeof dayCostsSchema>;
export type DeadLetter = ShownLetter;
export type DeadLetters = z.infer<typeof deadLettersSchema>;
export type Doctor = z.infer<typeof doctorSchema>;
export type Dossier = DossierAnswer;
export type Error = z.infer<typeof errorSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type Findings = z.infer<typeof findingsSchema>;
export type Gap = z.infer<typeof gapSchema>;
export type Gaps = z.infer<typeof gapsSchema>;
export type Health = z.infer<typeof healthSchema>;
export type Issue = ShownIssue;
export type Issues = z.infer<typeof issuesSchema>;
export type { Learning } from "../server/api/shapes/learning.ts";
export type Learnings = z.infer<typeof learningsSchema>;
export type Me = z.infer<typeof meSchema>;
export type Message = z.infer<typeof messageSchema>;
export type Messages = z.infer<typeof messagesSchema>;
export type ModelCall = z.infer<typeof callSchema>;
export type ModelCalls = z.infer<typeof callsSchema>;
export type Opened = z.infer<typeof openedSchema>;
export type Plan = z.infer<typeof planSchema>;
export type Plans = z.infer<typeof plansSchema>;
export type PullRequest = z.infer<typeof issueRequestSchema>;
export type Queue = z.infer<typeof queueSchema>;
export type Run = z.infer<typeof runSchema>;
export type RunLog = z.infer<typeof runLogSchema>;
export type RunLogEntry = ShownLogEntry;
export type Runs = z.infer<typeof runsSchema>;
export type SpecChange = z.infer<typeof changeSchema>;
export type SpecDiff = z.infer<typeof specDiffSchema>;
export type SpecReport = SpecAnswer;
export type SpecVersion = z.infer<typeof specVersionSchema>;
export type SpecVersions = z.infer<typeof specVersionsSchema>;
export type Timeline = z.infer<typeof timelineSchema>;
export type TimelineEntry = z.infer<typeof auditSchema>;
export type Today = z.infer<typeof todaySchema>;
export type Validation = z.infer<typeof validationSchema>;
export type Version = z.infer<typeof versionSchema>;
export type WholeIssue = z.infer<typeof wholeIssueSchema>;
export type WholeModelCall = z.infer<typeof wholeCallSchema>;
export type WholeRun = z.infer<typeof wholeRunSchema>;
export type WholeSpecVersion = z.infer<typeof wholeSpecSchema>;
