import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { html } from "hono/html";
import type { Config } from "../../config/config.ts";
import type { Issue } from "../../domain/issue.ts";
import { withoutMarkdown } from "../../domain/text/comment-markdown.ts";
import { standingOf } from "../../domain/standing.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ErrorCode, RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import { sentence } from "../../lib/text.ts";
import { standingWords } from "../../notify/status-comment.ts";
import { listAuditBetween } from "../../storage/audit.ts";
import { costsByDay, usedSince } from "../../storage/costs.ts";
import { countBacklog } from "../../storage/backlog.ts";
import type { Db } from "../../storage/db.ts";
import { listDeadLetters } from "../../storage/dead-letters.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps } from "../../storage/gaps.ts";
import { countByState, listIssuesById, listPage } from "../../storage/issue-lists.ts";
import { type IssueOverview, overviewsOf } from "../../storage/issue-overview.ts";
import { findIssue, findIssueById } from "../../storage/issues.ts";
import { listKept } from "../../storage/learnings.ts";
import { listMessages } from "../../storage/messages.ts";
import { findCall, listCalls } from "../../storage/model-calls.ts";
import { lastLogged, listLog, runFacts } from "../../storage/runs.ts";
import { keptSpecText, listSpecVersions } from "../../storage/specs.ts";
import { type LoginDeps, type PageEnv, loginGuard, loginRoutes } from "../login.ts";
import { assetRoutes } from "./assets.ts";
import { callPage } from "./call.ts";
import { costsPage } from "./costs.ts";
import { POLICY, type Markup, type PageOf, page } from "./document.ts";
import { issuePage, tabIn } from "./issue/page.ts";
import { costPart, evidencePart, planPart, runPart, specPart, storyPart } from "./issue/parts.ts";
import { scenesOf } from "./issue/story.ts";
import { OPEN, countIn, issuesPage, viewIn } from "./issues.ts";
import { learningRoutes, learningsPage } from "./learnings.ts";
import { liveRoute } from "./live.ts";
import { type LocalDeps, localRoutes, newIssuePage, speakingForm } from "./local.ts";
import { issueAt, pathOf } from "./paths.ts";
import { queuePage } from "./queue.ts";
import { waitingPage } from "./waiting.ts";

export interface DashboardDeps extends LoginDeps, LocalDeps {
  db: () => Db;
  clock: Clock;
  ids: Ids;
  publicUrl: Config["server"]["public_url"];
  /** Aborted when the server begins to stop: streams end. */
  stopping: AbortSignal;
}

type PageContext = Context<PageEnv>;

/** What is told to who asked for it; all else is Relay's own fault. */
const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 413>> = {
  usage: 400,
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
};

/** Open issues whose cards stand on the first page; the rest is a line with a link. */
const MOST_CARDS = 100;
const ISSUES_A_PAGE = 50;
const MESSAGES_A_PAGE = 100;
const MOST_ENTRIES = 2_000;
const LINES_AT_ONCE = 2_000;
const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;

/** The answer with a page of who is logged in. */
async function shown(c: PageContext, about: Omit<PageOf, "login">, main: Markup): Promise<Response> {
  return await c.html(page({ ...about, login: c.get("session").login }, main));
}

async function missing(c: PageContext, why: string): Promise<Response> {
  c.status(404);
  const main = html`<h1>Not here</h1>
    <p>${why}</p>`;
  return await shown(c, { title: "Not here", at: null }, main);
}

/** The pages for people, and what they need: login, assets, live updates (R-SAFE-4). */
export function dashboardRoutes(deps: DashboardDeps): Hono<PageEnv> {
  const { db, clock } = deps;
  const routes = new Hono<PageEnv>();
  const guard = loginGuard(deps);

  routes.use(async (c, next) => {
    await next();
    c.res.headers.set("content-security-policy", POLICY);
  });
  // Behind a proxy the address of a request is not the one that the browser sees.
  routes.use(csrf(deps.publicUrl === undefined ? {} : { origin: new URL(deps.publicUrl).origin }));
  routes.route("/", assetRoutes());
  routes.route("/", loginRoutes(deps));
  routes.use(guard);

  routes.get("/", async (c) => {
    const { login } = c.get("session");
    const now = clock.now();
    const listed = await listPage(db(), { states: "open", query: "", before: null, most: MOST_CARDS });
    const counts = await countByState(db());
    const open = countIn(OPEN, counts);
    const ids = listed.map(({ id }) => id);
    const overviewOf = await overviewsOf(db(), ids);
    const cards = (await listIssuesById(db(), ids)).map((issue) => viewOf(issue, overviewOf(issue.id), deps));
    const today = await usedSince(db(), new Date(now.getTime() - (now.getTime() % DAY_MS)));
    const main = waitingPage(cards, { login, now, today, more: open - listed.length });
    return await shown(c, { title: "Waiting", at: "/" }, main);
  });

  routes.get("/issues", async (c) => {
    const query = (c.req.query("q") ?? "").trim().slice(0, 200);
    const view = viewIn(c.req.query("show") ?? (query === "" ? undefined : "all"));
    const issues = await listPage(db(), { states: view.states, query, before: placeIn(c), most: ISSUES_A_PAGE + 1 });
    const last = issues.length > ISSUES_A_PAGE ? issues[ISSUES_A_PAGE - 1] : undefined;
    const next =
      last &&
      new URLSearchParams({
        show: view.name,
        q: query,
        before: `${last.updatedAt.toISOString()} ${last.id}`,
      }).toString();
    const main = issuesPage({
      issues: issues.slice(0, ISSUES_A_PAGE),
      view,
      query,
      counts: await countByState(db()),
      next: next === undefined ? null : `/issues?${next}`,
      now: clock.now(),
    });
    return await shown(c, { title: "Issues", at: "/issues", query }, main);
  });

  routes.get("/issues/*", async (c) => {
    const path = new URL(c.req.url).pathname.slice("/issues/".length);
    const isLog = path.endsWith("/log");
    const address = issueAt(isLog ? path.slice(0, -"/log".length) : path);
    const issue = address && (await findIssue(db(), address));
    if (issue === null)
      return await missing(c, "Relay has not taken up this issue, or not yet. This page shows it when it does.");
    if (isLog) return c.json(await logAfter(c, deps));
    const overview = (await overviewsOf(db(), [issue.id]))(issue.id);
    const { standing } = viewOf(issue, overview, deps);
    const words = withoutMarkdown(
      standingWords(issue, { standing, plan: overview.plan, request: overview.request }, "en"),
    );
    const tab = tabIn(c.req.query("part"));
    const now = clock.now();
    const content = await partOf(c, issue, overview, deps);
    const main = issuePage({ issue, overview, standing, words, tab, now }, content);
    return await shown(c, { title: `#${issue.externalIssueId} ${issue.title}`, at: null }, main);
  });

  routes.get("/queue", async (c) => {
    const main = queuePage(await countBacklog(db(), clock), await listDeadLetters(db()), clock.now());
    return await shown(c, { title: "Queue", at: "/queue" }, main);
  });

  routes.get("/costs", async (c) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    const days = Array.from({ length: DAYS_SHOWN }, (_, index) =>
      new Date((today - DAYS_SHOWN + 1 + index) * DAY_MS).toISOString().slice(0, 10),
    );
    const main = costsPage(await costsByDay(db(), new Date((today - DAYS_SHOWN + 1) * DAY_MS)), days);
    return await shown(c, { title: "Costs", at: "/costs" }, main);
  });

  routes.get("/calls/:id{[0-9]{1,19}}", async (c) => {
    const call = await findCall(db(), c.req.param("id"));
    if (call === null) return await missing(c, "There is no such call; texts of calls are kept for a while only.");
    const issue = call.issueId === null ? null : await findIssueById(db(), call.issueId);
    return await shown(c, { title: `Call of ${call.model}`, at: null }, callPage(call, issue, clock.now()));
  });

  routes.get("/try", async (c) => {
    const main = newIssuePage(await deps.people().listProjects(), c.get("session").login);
    return await shown(c, { title: "Open an issue", at: "/try" }, main);
  });
  routes.route("/", localRoutes(deps));

  routes.get("/learnings", async (c) => {
    const learnings = await listKept(db(), { repository: null, status: null });
    return await shown(c, { title: "Learnings", at: "/learnings" }, learningsPage(learnings, clock.now()));
  });
  routes.route("/", learningRoutes(deps));

  routes.get("/live", liveRoute(deps));
  routes.get("*", async (c) => await missing(c, "There is nothing at this address."));
  routes.onError(async (error, c) => {
    const status = error instanceof RelayError ? STATUS[error.code] : undefined;
    if (status === undefined || !(error instanceof RelayError)) throw error;
    c.status(status);
    const main = html`<h1>Not done</h1>
      <p role="alert" class="problem">${sentence(error.message)}</p>`;
    return await shown(c, { title: "Not done", at: null }, main);
  });
  return routes;
}

function viewOf(issue: Issue, overview: IssueOverview, { bot }: Pick<DashboardDeps, "bot">) {
  const stop = issue.state === "paused" ? overview.stop : null;
  return { issue, overview, standing: standingOf(issue, { ...overview, stop }, bot) };
}

function placeIn(c: PageContext): { updatedAt: Date; id: string } | null {
  const [time = "", id = ""] = (c.req.query("before") ?? "").split(" ");
  const updatedAt = new Date(time);
  return Number.isNaN(updatedAt.getTime()) || !/^\d{1,19}$/.test(id) ? null : { updatedAt, id };
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

async function partOf(c: PageContext, issue: Issue, overview: IssueOverview, deps: DashboardDeps): Promise<Markup> {
  const db = deps.db();
  const now = deps.clock.now();
  const tab = tabIn(c.req.query("part"));
  switch (tab) {
    case "story": {
      const before = numberIn(c.req.query("before"));
      const messages = await listMessages(db, issue.id, MESSAGES_A_PAGE, before);
      const [first] = messages;
      const older = first !== undefined && first.seq > 1 ? first.seq : null;
      const [after] = before === null ? [] : await listMessages(db, issue.id, 1, before + 1);
      const audit = await listAuditBetween(db, issue.id, {
        since: older === null ? null : (first?.timestamp ?? null),
        until: after?.timestamp ?? null,
        most: MOST_ENTRIES,
      });
      const link = older === null ? null : `${pathOf(issue)}?before=${older}`;
      const calls = (await listCalls(db, issue.id)).filter(({ at }) => at >= (audit[0]?.at ?? at));
      const story = storyPart(issue, scenesOf(messages, audit, calls), link, now);
      if (issue.provider !== "local") return story;
      const members = await deps.people().listPeople(issue.externalProjectId);
      return html`${story}${speakingForm(issue, overview, { members, login: c.get("session").login })}`;
    }
    case "spec": {
      const versions = await listSpecVersions(db, issue.id);
      const wanted = numberIn(c.req.query("version"));
      const version = versions.find((one) => one.version === wanted) ?? versions.at(-1);
      if (version === undefined) return specPart(issue, [], null);
      return specPart(issue, versions, { version, text: await keptSpecText(db, issue.id, version.ref.sha256) });
    }
    case "plan":
      return planPart(overview.plan);
    case "run": {
      if (overview.run === null) return runPart(issue, null, now);
      const { run } = overview;
      const after = Math.max(0, (await lastLogged(db, run.id)) - LINES_AT_ONCE);
      const { iterations } = await runFacts(db, run.id);
      const log = await listLog(db, run.id, after, LINES_AT_ONCE);
      return runPart(issue, { run, log, checks: iterations.at(-1)?.checks ?? [] }, now);
    }
    case "evidence":
      return evidencePart(await listGaps(db, issue.id), await listFindings(db, issue.id));
    case "cost":
      return costPart(await listCalls(db, issue.id), now);
    default:
      return tab satisfies never;
  }
}

/** The lines of a run's log after the last that the page shows. */
async function logAfter(c: PageContext, { db }: DashboardDeps) {
  const run = c.req.query("run") ?? "";
  const after = numberIn(c.req.query("after")) ?? 0;
  if (!/^\d{1,19}$/.test(run)) throw new RelayError("usage", "run must be a number");
  const lines = await listLog(db(), run, after, LINES_AT_ONCE);
  return { lines: lines.map(({ seq, kind, text }) => ({ seq, kind, text })) };
}
