import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import type { Issue } from "../../domain/issue.ts";
import type { Doctor } from "../../app/doctor.ts";
import type { Budgets } from "../../budget/budget.ts";
import type { Config } from "../../config/config.ts";
import type { Setting } from "../../config/settings-in-force.ts";
import { type ErrorCode, RelayError } from "../../lib/errors.ts";
import { sentence } from "../../lib/text.ts";
import { type LoginDeps, type PageEnv, loginGuard, loginRoutes } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { ownPagesOnly } from "../same-site.ts";
import { assetRoutes } from "./assets.ts";
import { costRoutes } from "./costs.ts";
import { POLICY } from "./document.ts";
import { healthRoutes } from "./health.ts";
import { issueRoutes } from "./issue/routes.ts";
import { issueListRoutes } from "./issues.ts";
import { learningRoutes } from "./learnings.ts";
import { speakingRoutes } from "./issue/speaking.ts";
import { liveRoute } from "./live.ts";
import { type LocalDeps, localRoutes } from "./local.ts";
import { queueRoutes } from "./queue.ts";
import { type CodeSearchDeps, searchRoutes } from "./search.ts";
import { tokenRoutes } from "./tokens.ts";
import { waitingRoutes } from "./waiting.ts";

/** What all pages need; each group of routes names its part. */
export interface DashboardDeps extends LoginDeps, LocalDeps, CodeSearchDeps {
  /** Relay's data directory, with the mirrors of repositories. */
  home: string;
  publicUrl: Config["server"]["public_url"];
  budgets: Budgets;
  /** The settings in force, without secrets. */
  settings: () => readonly Setting[];
  doctor: Doctor;
  /** What the protected files of an issue's code hold, which no answer of the API or MCP shows (R-SAFE-7). */
  secretsOf?: (issue: Issue) => Promise<readonly string[]>;
  /** Aborted when the server begins to stop: streams end. */
  stopping: AbortSignal;
}

/** Bytes of a form, also of one that nobody is logged in for: the longest words, as browsers escape them (R-SAFE-5). */
const MOST_BYTES = 1024 * 1024;
const TOO_LARGE = `the form is larger than ${MOST_BYTES} bytes`;

/** Errors that the caller gets to know, with their status; all others are Relay's own fault. */
const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 413>> = {
  usage: 400,
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
};

/** The pages for people, and what they need: login, assets, live updates (R-SAFE-4). */
export function dashboardRoutes(deps: DashboardDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();

  routes.use(async (c, next) => {
    await next();
    c.res.headers.set("content-security-policy", POLICY);
  });
  routes.use(ownPagesOnly(deps.publicUrl));
  routes.use(bodyLimit({ maxSize: MOST_BYTES, onError: (c) => c.json({ error: TOO_LARGE }, 413) }));
  routes.route("/", assetRoutes());
  routes.route("/", loginRoutes(deps));
  routes.use(loginGuard(deps, "people"));

  routes.route("/", waitingRoutes(deps));
  routes.route("/", issueListRoutes(deps));
  routes.route("/", searchRoutes(deps));
  routes.route("/", issueRoutes(deps));
  routes.route("/", speakingRoutes(deps));
  routes.route("/", localRoutes(deps));
  routes.route("/", queueRoutes(deps));
  routes.route("/", learningRoutes(deps));
  routes.route("/", costRoutes(deps));
  routes.route("/", tokenRoutes(deps));
  routes.route("/", healthRoutes(deps));
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
