import { html } from "hono/html";
import { reviewThreads } from "../../../adapters/trackers/local/review-threads.ts";
import { type Changes, changesBetween } from "../../../app/code/changes.ts";
import type { Issue } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Db } from "../../../storage/db.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import { listFeedback } from "../../../storage/review-feedback.ts";
import { listRuns, runFacts } from "../../../storage/runs.ts";
import { listLog, listLogBefore, listRefusals } from "../../../storage/run-log.ts";
import { isRunOf } from "../../../storage/tasks.ts";
import { type PageContext, numberIn } from "../answer.ts";
import type { Markup } from "../document.ts";
import { type Thread, changesPart } from "./changes.ts";
import { filesOf } from "./diff.ts";
import { runPart } from "./run.ts";

interface RunDeps {
  db: () => Db;
  clock: Clock;
  /** Relay's data directory, with the mirrors of repositories. */
  home: string;
}

/** Lines of a run's log on a page, and in one answer to the script. */
const LINES_SHOWN = 500;
const LINES_AT_ONCE = 2_000;

/** `?part=run`: the newest run; with `before=`, older lines of its log. */
export async function runTab(c: PageContext, issue: Issue, overview: IssueOverview, deps: RunDeps): Promise<Markup> {
  const { run, plan } = overview;
  if (run === null) return html`<p class="empty">Nothing has run yet: work starts after a yes to the plan.</p>`;
  const db = deps.db();
  const { iterations } = await runFacts(db, run.id);
  const { changes } = await changesOf(issue, deps);
  return runPart({
    issue,
    run,
    newest: iterations.at(-1) ?? null,
    log: await listLogBefore(db, run.id, numberIn(c.req.query("before")), LINES_SHOWN),
    refused: await listRefusals(db, run.id),
    files: changes && filesOf(changes.patches),
    plan: plan?.plan ?? null,
    login: c.get("session").login,
    now: deps.clock.now(),
  });
}

/** `?part=changes`: what the work changes so far, and the review of its request. */
export async function changesTab(
  c: PageContext,
  issue: Issue,
  overview: IssueOverview,
  deps: RunDeps,
): Promise<Markup> {
  const { plan, concerns, request } = overview;
  return changesPart({
    issue,
    ...(await changesOf(issue, deps)),
    plan: plan?.plan ?? null,
    concerns,
    request,
    threads: await threadsOf(issue, overview, deps),
    login: c.get("session").login,
    now: deps.clock.now(),
  });
}

/** Of a local request the whole review; of others the comments that Relay has taken up. */
async function threadsOf(issue: Issue, { request, task }: IssueOverview, { db }: RunDeps): Promise<Thread[]> {
  if (issue.provider === "local") {
    return request === null ? [] : await reviewThreads(db(), issue.externalProjectId, request.number);
  }
  const taken = task === null ? [] : await listFeedback(db(), task.id);
  return taken.map(({ path, line, author, content, createdAt }) => ({
    path,
    line,
    comments: [{ author, body: content, createdAt }],
  }));
}

/** The changes since the branch of the newest commit began. */
async function changesOf(
  issue: Issue,
  { db, home }: RunDeps,
): Promise<{ range: { base: string; head: string } | null; changes: Changes | null }> {
  const runs = await listRuns(db(), issue.id);
  const newest = runs.findLast(({ head }) => head !== null);
  const head = newest?.head ?? null;
  const base = runs.find((run) => run.branch === newest?.branch && run.base !== null)?.base ?? null;
  if (head === null || base === null) return { range: null, changes: null };
  const range = { base, head };
  return { range, changes: await changesBetween(issue.repositoryId, range, { db: db(), home }) };
}

/** `…/log?run=ID`: lines of a run of this issue `after=` a number, or those right before `before=`. */
export async function logLines(c: PageContext, issue: Issue, { db }: RunDeps) {
  const run = c.req.query("run") ?? "";
  if (!/^\d{1,19}$/.test(run)) throw new RelayError("usage", "run must be a number");
  if (!(await isRunOf(db(), run, issue.id))) throw new RelayError("not_found", "this issue has no such run");
  const before = numberIn(c.req.query("before"));
  const lines =
    before === null
      ? await listLog(db(), run, numberIn(c.req.query("after")) ?? 0, LINES_AT_ONCE)
      : await listLogBefore(db(), run, before, LINES_SHOWN);
  return { lines: lines.map(({ seq, kind, text }) => ({ seq, kind, text })) };
}
