import { createHash } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type Clock, sleep, systemClock } from "../../src/lib/clock.ts";
import { KEEPS_CONNECTIONS } from "../support/keep-alive.ts";
import { type Answer, Refusal, unauthorized } from "./answer.ts";
import type { World } from "./changes.ts";
import { answerControl } from "./control.ts";
import { type Faults, send, spoil } from "./faults.ts";
import { type Hooks, startHooks } from "./hooks.ts";
import { type Limits, startLimits } from "./limits.ts";
import { type People, peopleOf } from "./people.ts";
import { OAuthServer, answerOAuth } from "./oauth.ts";
import type { Route } from "./route.ts";
import { checks } from "./routes/checks.ts";
import { graphql } from "./routes/graphql.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { issues } from "./routes/issues.ts";
import { mergeRequests } from "./routes/merge-requests.ts";
import { notes } from "./routes/notes.ts";
import { people as peopleRoutes } from "./routes/people.ts";
import { repository } from "./routes/repository.ts";
import { type State, type User, emptyState } from "./state.ts";

export interface SeenRequest {
  /** When it came, in milliseconds. */
  at: number;
  method: string;
  /** With its query; without secrets. */
  path: string;
  user: string | null;
  status: number;
}

export interface MockGitlab {
  /** Where people see it; the API is below `/api/v4`. */
  url: string;
  people: People;
  state: State;
  hooks: Hooks;
  limits: Limits;
  /** Asked about each request of the API. */
  faults: Faults | null;
  requests: SeenRequest[];
  /** Those that had their effect, and get no answer. */
  unanswered: Pick<SeenRequest, "method" | "path">[];
  /** What requests held that GitLab's description does not have. */
  violations: string[];
  close(): Promise<void>;
}

/** All operations that it has. */
export const ROUTES: readonly Route[] = [
  ...peopleRoutes,
  ...issues,
  ...notes,
  ...mergeRequests,
  ...repository,
  ...checks,
  ...hookRoutes,
];

/** A GitLab on loopback, in memory, that says what the REST API v4 says. `root`: below a path, as some install it. */
export async function startMockGitlab({
  clock = systemClock,
  root = "",
  port = 0,
}: { clock?: Clock; root?: string; port?: number } = {}): Promise<MockGitlab> {
  const state = emptyState(clock);
  let origin = "";
  const oauth = new OAuthServer();
  const hooks = startHooks(state, () => origin);
  const world: World = {
    state,
    get origin() {
      return origin;
    },
    announce: (...what) => hooks.announce(...what),
    resend: async (...what) => await hooks.resend(...what),
  };
  const server = createServer(KEEPS_CONNECTIONS, (request, response) => {
    response.on("error", () => {});
    void handle(request, response).catch((error: unknown) => {
      // Seen by the test as a 500 that nobody asked for.
      mock.violations.push(`the server failed: ${String(error)}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", origin);
    const body = await text(request);
    if (url.pathname.startsWith("/_mock/")) {
      const answer = await answerControl(mock, url.pathname.slice("/_mock/".length), body);
      send(response, answer, {}, null);
      return;
    }
    if (url.pathname.startsWith(`${root}/oauth/`)) {
      send(response, answerOAuth(state, oauth, { method: request.method ?? "GET", url, body, root }), {}, null);
      return;
    }
    const path = url.pathname.slice(root.length) + url.search;
    const method = request.method ?? "GET";
    const fault = mock.faults?.({ method, path }) ?? null;
    const seen: SeenRequest = { at: Date.now(), method, path, user: null, status: 0 };
    mock.requests.push(seen);
    if (spoil(fault, response)) return;
    if (fault?.kind === "delay") await sleep(fault.ms);
    const { answer, headers } = await reply(request, url, body, seen);
    const said = unchanged(request, answer);
    seen.status = said.status;
    if (fault?.kind === "hang") mock.unanswered.push({ method, path });
    send(response, said, headers, fault);
  };

  const reply = async (request: IncomingMessage, url: URL, body: string, seen: SeenRequest) => {
    let headers: Record<string, string> = {};
    try {
      const { user, scopes } = userOf(state, request);
      seen.user = user.username;
      const counted = mock.limits.count(user.username);
      headers = counted.headers;
      if (counted.refusal) return { answer: counted.refusal, headers };
      if (request.method === "POST" && url.pathname === `${root}/api/graphql`) {
        return { answer: graphql(state, user, bodyOf(request, body)), headers };
      }
      const found = match(ROUTES, request.method ?? "GET", url.pathname.slice(`${root}/api/v4`.length));
      if (!found) {
        mock.violations.push(`${request.method} ${url.pathname}: there is no such operation here`);
        return { answer: { status: 404, json: { error: "404 Not Found" } }, headers };
      }
      if (request.method !== "GET" && !scopes.includes("api")) return { answer: INSUFFICIENT, headers };
      const { route, parts } = found;
      const given = bodyOf(request, body);
      mock.violations.push(...violationsOf(route, url, given));
      const reads = route.method === "GET";
      const call = { world, user, scopes, parts, query: url.searchParams, reads, url };
      return { answer: await route.answer(call, given), headers };
    } catch (error) {
      if (error instanceof Refusal) return { answer: error.answer, headers };
      throw error;
    }
  };

  const mock: MockGitlab = {
    url: "",
    people: peopleOf(world),
    state,
    hooks,
    limits: startLimits(clock),
    faults: null,
    requests: [],
    unanswered: [],
    violations: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  // A test may be busy for longer than the default of seconds, and then go on with the same connection.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}${root}`;
  mock.url = origin;
  return mock;
}

/** The ETag of an answer is made from its body alone; its other headers come also with 304. */
function unchanged(request: IncomingMessage, answer: Answer): Answer {
  if (request.method !== "GET" || answer.status !== 200 || answer.json === undefined) return answer;
  const digest = createHash("sha256").update(JSON.stringify(answer.json)).digest("hex").slice(0, 32);
  const etag = `W/"${digest}"`;
  const headers = { ...answer.headers, etag };
  return request.headers["if-none-match"] === etag ? { status: 304, headers } : { ...answer, headers };
}

const INSUFFICIENT: Answer = {
  status: 403,
  json: {
    error: "insufficient_scope",
    error_description: "The request requires higher privileges than provided by the access token.",
    scope: "api",
  },
};

function userOf(state: State, request: IncomingMessage): { user: User; scopes: string[] } {
  const own = request.headers["private-token"];
  const token = typeof own === "string" ? own : request.headers.authorization?.replace(/^Bearer /, "");
  const found = token === undefined ? undefined : state.tokens.get(token);
  if (!found || found.user.state === "blocked") throw unauthorized();
  return found;
}

function match(routes: readonly Route[], method: string, path: string) {
  const given = path.split("/");
  for (const route of routes) {
    const wanted = route.path.split("/");
    if (route.method !== method || wanted.length !== given.length) continue;
    const parts: Record<string, string> = {};
    const fits = wanted.every((segment, at) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      const value = given[at] ?? "";
      if (name === undefined) return segment === value;
      parts[name] = decodeURIComponent(value);
      return value !== "";
    });
    if (fits) return { route, parts };
  }
  return null;
}

function bodyOf(request: IncomingMessage, body: string): unknown {
  if (body === "") return undefined;
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(body));
  if (!type.startsWith("application/json")) {
    throw new Refusal({ status: 415, json: { error: `The provided content-type '${type}' is not supported.` } });
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal({ status: 400, json: { error: "invalid JSON" } });
  }
}

function violationsOf(route: Route, url: URL, body: unknown): string[] {
  const name = `${route.method} ${route.path}`;
  const unknown = [...url.searchParams.keys()].filter((key) => !route.query.includes(key.replace(/\[\]$/, "")));
  const wrong =
    route.body === null ? (body === undefined ? [] : ["it takes no body"]) : bodyViolations(route.body, body);
  return [...unknown.map((key) => `${name}: the query has no ${key}`), ...wrong.map((what) => `${name}: ${what}`)];
}

function bodyViolations(schema: NonNullable<Route["body"]>, body: unknown): string[] {
  const parsed = schema.safeParse(body ?? {});
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
}
