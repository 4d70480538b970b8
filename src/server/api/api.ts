import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { type ErrorCode, RelayError, messageOf } from "../../lib/errors.ts";
import { keptJson } from "../../domain/text/clean-text.ts";
import { withSecrets } from "../../lib/own-secrets.ts";
import { type PageEnv, loginGuard } from "../login.ts";
import { plainPath } from "./address.ts";
import type { ApiDeps } from "./deps.ts";
import { documentOf, told } from "./describe.ts";
import { changeGuard } from "./guard.ts";
import { actRoutes } from "./routes/acts.ts";
import { figureRoutes } from "./routes/figures.ts";
import { issueRoutes } from "./routes/issue.ts";
import { issueListRoutes } from "./routes/issues.ts";
import { learningRoutes } from "./routes/learnings.ts";
import { localRoutes } from "./routes/local.ts";
import { operationRoutes } from "./routes/operation.ts";
import { planRoutes } from "./routes/plans.ts";
import { runRoutes } from "./routes/runs.ts";
import { specRoutes } from "./routes/specs.ts";

/** Errors that the caller gets to know, with their status; all others are Relay's own fault, and only logged. */
const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 413 | 503>> = {
  usage: 400,
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  illegal_transition: 409,
  too_large: 413,
  unavailable: 503,
  timeout: 503,
  rate_limited: 503,
};

/**
 * Reads the whole body: what is left unread would end the connection after the answer, and so the caller's next call.
 */
const wholeBody: MiddlewareHandler<PageEnv> = async (c, next) => {
  await c.req.text();
  await next();
};

/** Keeps secrets out of answers, and what the issue's repository must not show (R-SAFE-7). */
const withoutSecrets: MiddlewareHandler<PageEnv> = async (c, next) => {
  await withSecrets([], async () => {
    await next();
    if (
      c.req.path.endsWith("/openapi.json") ||
      !(c.res.headers.get("content-type") ?? "").startsWith("application/json")
    )
      return;
    const answer: unknown = await c.res.clone().json();
    const kept = keptJson(answer);
    if (kept !== JSON.stringify(answer)) c.res = new Response(kept, c.res);
  });
};

export type Api = Hono<PageEnv>;

/**
 * `/api/v1`: what the dashboard shows and does, as JSON, for logged-in callers; errors are `{"error": "a sentence"}`.
 */
function createApi(deps: ApiDeps): Api {
  const api: Api = new Hono<PageEnv>({ getPath: (request) => plainPath(request.url) });
  api.use(loginGuard(deps, "programs"));
  api.use(changeGuard(deps));
  api.use(wholeBody);
  api.use(etag());
  api.use(withoutSecrets);

  let document: Promise<Record<string, unknown>> | null = null;
  api.get(
    "/openapi.json",
    told({ id: "getOpenApi", tag: "operation", summary: "This document.", answer: z.record(z.string(), z.unknown()) }),
    async (c) => c.json(z.json().parse(await (document ??= documentOf(api, deps.version)))),
  );
  for (const routes of [
    issueListRoutes(deps),
    issueRoutes(deps),
    specRoutes(deps),
    planRoutes(deps),
    runRoutes(deps),
    figureRoutes(deps),
    learningRoutes(deps),
    operationRoutes(deps),
    actRoutes(deps),
    localRoutes(deps),
  ]) {
    api.route("/", routes);
  }
  refuseOtherMethods(api);
  api.notFound((c) =>
    c.json({ error: "there is nothing at this address; /api/v1/openapi.json lists what there is" }, 404),
  );
  api.onError((error, c) => refusal(error, c, deps));
  return api;
}

/** Where the API is mounted: it reads paths in its own way. */
export function apiHandler(deps: ApiDeps): (c: Context<{ Bindings: HttpBindings }>) => Promise<Response> {
  const api = createApi(deps);
  return async (c) => await api.fetch(c.req.raw, c.env);
}

function refuseOtherMethods(api: Api): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of api.routes) {
    if (method === "ALL") continue;
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method));
  }
  for (const [path, known] of methods) {
    const allow = [...known].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
    api.all(path, (c) => c.json({ error: `this address takes ${allow} only` }, 405, { allow }));
  }
}

function refusal(error: Error, c: Context<PageEnv>, { log }: ApiDeps): Response {
  if (error instanceof HTTPException) {
    return c.json({ error: "the body is not JSON; /api/v1/openapi.json says what it may be" }, error.status);
  }
  const status = error instanceof RelayError ? STATUS[error.code] : undefined;
  if (status === undefined) {
    log.error({ path: c.req.path, error: messageOf(error) }, "request failed");
    return c.json({ error: "something went wrong here; the log tells what" }, 500);
  }
  return c.json({ error: error.message }, status, status === 503 ? { "retry-after": "5" } : {});
}
