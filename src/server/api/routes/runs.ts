import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../../app/people/viewer.ts";
import { concernSchema } from "../../../domain/concern.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import { RISKS } from "../../../domain/plan.ts";
import { RUN_STATUSES, type Run } from "../../../domain/work.ts";
import { sleep } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { overviewsOf } from "../../../storage/issue-overview.ts";
import { listLog } from "../../../storage/run-log.ts";
import { listRuns, runFacts } from "../../../storage/runs.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { lookAt } from "../shapes/issue.ts";
import {
  logEntrySchema,
  requestSchema,
  runSchema,
  shownLogEntry,
  shownRequest,
  shownRun,
  shownWholeRun,
  wholeRunSchema,
} from "../shapes/run.ts";
import { count, limit, rowId } from "../texts.ts";

const runPath = issuePath.extend({ run: rowId });
/** The longest that a call waits for new lines, in seconds. */
const LONGEST_WAIT = 25;
const LOOK_MS = 500;

const logQuery = z.strictObject({
  after: count.default(0).meta({ description: "The last line that is known: only those after it are told." }),
  limit: limit(1_000, 2_000),
  wait: z.coerce
    .number()
    .min(0)
    .max(LONGEST_WAIT)
    .default(0)
    .meta({ description: "Seconds to wait for a new line while the run goes on." }),
});
export const runLogSchema = z
  .object({
    entries: z.array(logEntrySchema),
    last: z.int().meta({ description: "Send it as `after` of the next call." }),
    status: z.enum(RUN_STATUSES).meta({ description: "The log of a run that is not `running` is whole." }),
  })
  .meta({ id: "RunLog" });

export const runsSchema = z.object({ runs: z.array(runSchema) }).meta({ id: "Runs" });
export const issueRequestSchema = requestSchema
  .extend({ risk: z.enum(RISKS).nullable(), concerns: z.array(concernSchema) })
  .meta({ id: "PullRequest", description: "The request of an issue, and what a person should look at in it." });

/** Runs of an issue with their logs, and its pull request. */
export function runRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    `${ISSUE}/runs`,
    told({ id: "listRuns", tag: "runs", summary: "All runs, oldest first.", answer: runsSchema, refusals: [404] }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const answer: z.infer<typeof runsSchema> = { runs: (await listRuns(db(), issue.id)).map(shownRun) };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/runs/:run`,
    told({
      id: "getRun",
      tag: "runs",
      summary: "One run with its iterations, checks and proof.",
      answer: wholeRunSchema,
      refusals: [404],
    }),
    given("param", runPath),
    async (c) => {
      const { run } = await runAt(c.get("viewer"), c.req.valid("param"), deps);
      return c.json(shownWholeRun(run, await runFacts(db(), run.id)));
    },
  );

  routes.get(
    `${ISSUE}/runs/:run/log`,
    told({
      id: "followRunLog",
      tag: "runs",
      summary: "The log of a run after a line; with `wait`, as soon as there is more.",
      description:
        "To follow a run, call it with `wait=25` and `after` as `last` of the answer before, while `status` is `running`.",
      answer: runLogSchema,
      refusals: [404],
    }),
    given("param", runPath),
    given("query", logQuery),
    async (c) => {
      const { issue, run } = await runAt(c.get("viewer"), c.req.valid("param"), deps);
      const answer: z.infer<typeof runLogSchema> = await logOf(c, issue, run, c.req.valid("query"), deps);
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/pull-request`,
    told({
      id: "getPullRequest",
      tag: "runs",
      summary: "The pull request.",
      answer: issueRequestSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const overview = (await overviewsOf(db(), [issue.id]))(issue.id);
      if (overview.request === null) {
        throw new RelayError("not_found", `${issueName(issue)} has no pull request yet`);
      }
      const answer: z.infer<typeof issueRequestSchema> = {
        ...shownRequest(overview.request),
        ...lookAt(overview.plan, overview),
      };
      return c.json(answer);
    },
  );
  return routes;
}

async function runAt(
  viewer: Viewer,
  path: z.infer<typeof runPath>,
  deps: ApiDeps,
): Promise<{ issue: Issue; run: Run }> {
  const issue = await seenIssue(deps, viewer, addressIn(path));
  const run = (await listRuns(deps.db(), issue.id)).find(({ id }) => id === path.run);
  if (run !== undefined) return { issue, run };
  throw new RelayError("not_found", `${issueName(issue)} has no run ${path.run}`);
}

/** Waits for lines until there are some, the run or the call ends, or the server stops. */
async function logOf(
  c: Context<PageEnv>,
  issue: Issue,
  run: Run,
  { after, limit: most, wait }: z.infer<typeof logQuery>,
  { db, stopping }: ApiDeps,
): Promise<z.infer<typeof runLogSchema>> {
  const signal = AbortSignal.any([stopping, c.req.raw.signal, AbortSignal.timeout(wait * 1_000)]);
  for (;;) {
    // Read before the log: the log of an ended run is whole.
    const { status } = (await listRuns(db(), issue.id)).find(({ id }) => id === run.id) ?? run;
    const entries = (await listLog(db(), run.id, after, most)).map((entry) => shownLogEntry(run.id, entry));
    if (entries.length > 0 || status !== "running" || wait === 0 || signal.aborted) {
      return { entries, last: entries.at(-1)?.seq ?? after, status };
    }
    await sleep(LOOK_MS, signal).catch(() => {});
  }
}
