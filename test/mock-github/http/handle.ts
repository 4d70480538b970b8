import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { graphql } from "../routes/graphql.ts";
import { routes } from "../routes/routes.ts";
import { checkAnswer, checkRequest } from "../schema/check.ts";
import { type Operation, findOperation } from "../schema/operations.ts";
import type { World } from "../world/world.ts";
import type { Actor } from "./call.ts";
import { actorOf } from "./actor.ts";
import { type Answer, notFound, Refusal, refuse } from "./answer.ts";
import { type Resource, limitHeaders } from "./rate-limit.ts";
import { ownerOf } from "./limit.ts";
import type { Request, Requests } from "./requests.ts";
import { perform, secondaryLimit } from "./trouble.ts";

const DOCS = "https://docs.github.com/rest";

/** Answers one request that has come in below the API's address. */
export async function answerRequest(
  world: World,
  requests: Requests,
  incoming: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const method = incoming.method ?? "GET";
  const url = new URL(`http://mock${named(world, path)}`);
  const target = url.pathname === "/graphql" ? null : findOperation(method, url.pathname);
  const request = requests.add(incoming, `${url.pathname}${url.search}`, target?.operation.id ?? null);
  const fault = { method, path: url.pathname, operation: target?.operation.id ?? null };
  const trouble = world.faults.reduce<ReturnType<(typeof world.faults)[number]>>(
    (found, each) => found ?? each(fault),
    null,
  );
  const text = (await buffer(incoming)).toString("utf8");
  const asked: Asked = { url, target, body: text === "" ? undefined : parse(text) };
  // Also of those that go wrong: the client has sent them all the same.
  check(requests, incoming, request, asked);
  response.setHeader("date", world.clock.now().toUTCString());
  await perform(trouble, request, response, () => {
    const answer = decide(world, requests, incoming, request, asked);
    return { ...answer, headers: { ...general(world, incoming), ...answer.headers } };
  });
}

/** What is no JSON. */
const GARBLED = Symbol("garbled");

interface Asked {
  url: URL;
  target: ReturnType<typeof findOperation>;
  /** Undefined where there is none. */
  body: unknown;
}

function check(requests: Requests, incoming: IncomingMessage, request: Request, { url, target, body }: Asked): void {
  const wrong = (what: string) => requests.violations.push(`${request.method} ${url.pathname}: ${what}`);
  if (body === GARBLED) wrong("body: is no JSON");
  else if (target) {
    const contentType = incoming.headers["content-type"];
    const { operation, params } = target;
    for (const each of checkRequest(operation, { params, query: url.searchParams, contentType, body })) wrong(each);
    if (routes[operation.id] === undefined) wrong("the mock does not answer this operation");
  } else if (url.pathname !== "/graphql") wrong("the mock knows no such operation");
}

/** Who asks, whether they may still ask, what they ask, and what to say. */
function decide(
  world: World,
  requests: Requests,
  incoming: IncomingMessage,
  request: Request,
  { url, target, body }: Asked,
): Answer {
  const resource: Resource = url.pathname === "/graphql" ? "graphql" : "core";
  const docs = target?.operation.docs ?? DOCS;
  let actor: Actor = { kind: "anonymous" };
  let answer: Answer;
  let free = false;
  try {
    checkHeaders(incoming);
    actor = actorOf(world, incoming.headers.authorization);
    const owner = ownerOf(world, actor);
    if (owner !== null) request.by = owner;
    if (world.limits.count(owner, resource, 0).remaining === 0 && url.pathname !== "/rate_limit") {
      throw refuse(world.limits.status, `API rate limit exceeded for ${owner ?? "127.0.0.1"}.`);
    }
    if (world.limits.isTooMuch(owner, request.method)) return secondaryLimit(403, 60);
    if (body === GARBLED) throw refuse(400, "Problems parsing JSON");
    if (resource === "graphql") answer = graphql(world, actor, body);
    else {
      if (target === null) throw notFound();
      const { operation, params } = target;
      const route = routes[operation.id];
      if (route === undefined) throw notFound();
      const accept = incoming.headers.accept ?? "";
      const path = url.pathname;
      answer = route({ world, operation, actor, params, query: url.searchParams, accept, path, body: body ?? {} });
      if (requests.checkAnswers) checkOwn(requests, operation, answer);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    answer = error.answer;
  }
  // Tokens with permissions of their own have no scopes.
  const scopes =
    actor.kind === "user" && actor.permissions === null
      ? { "x-oauth-scopes": actor.scopes.join(", "), "x-accepted-oauth-scopes": "" }
      : {};
  const etag = etagOf(incoming, answer);
  if (etag !== null && incoming.headers["if-none-match"] === etag) {
    answer = { status: 304 };
    free = actor.kind !== "anonymous";
  }
  const cost = free || url.pathname === "/rate_limit" ? 0 : 1;
  const count = world.limits.count(ownerOf(world, actor), resource, cost);
  const headers = {
    ...limitHeaders(count, resource),
    ...scopes,
    ...(etag === null ? {} : { etag }),
    ...answer.headers,
  };
  const plain = z.record(z.string(), z.unknown()).safeParse(answer.body);
  if (answer.status < 400 || !plain.success || resource === "graphql") return { ...answer, headers };
  // Each error names the page of the operation, and says its status once more.
  return { ...answer, headers, body: { ...plain.data, documentation_url: docs, status: String(answer.status) } };
}

/** The mock's own answers keep to the description as well. */
function checkOwn(requests: Requests, operation: Operation, { status, body, raw }: Answer): void {
  if (raw) return;
  // As it is on the wire: what is undefined is not there.
  const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  for (const each of checkAnswer(operation, status, sent)) requests.mistakes.push(`${operation.id}: ${each}`);
}

function checkHeaders(incoming: IncomingMessage): void {
  if ((incoming.headers["user-agent"] ?? "") === "") {
    throw refuse(
      403,
      "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
    );
  }
  const version = incoming.headers["x-github-api-version"];
  if (version !== undefined && version !== "2022-11-28" && version !== "2026-03-10") {
    throw refuse(400, `API version ${String(version)} does not exist.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return GARBLED;
  }
}

/** `/repositories/12/issues`, as links have it, is `/repos/owner/name/issues`. */
function named(world: World, path: string): string {
  const match = /^\/repositories\/(\d+)(.*)$/.exec(path);
  const repository = match && world.repositories.get(Number(match[1]));
  return repository ? `/repos/${repository.owner}/${repository.name}${match[2] ?? ""}` : path;
}

/** Weak, and another one for each token, as GitHub's. */
function etagOf(incoming: IncomingMessage, answer: Answer): string | null {
  if (incoming.method !== "GET" || answer.status !== 200) return null;
  const hash = createHash("sha256").update(`${incoming.headers.authorization}\n${incoming.headers.accept}\n`);
  hash.update(answer.raw?.text ?? JSON.stringify(answer.body)).update(answer.headers?.["link"] ?? "");
  return `W/"${hash.digest("hex")}"`;
}

function general(world: World, incoming: IncomingMessage): Record<string, string> {
  const version = incoming.headers["x-github-api-version"];
  return {
    "x-github-request-id": world.guid().toUpperCase().slice(0, 23),
    "x-github-media-type": "github.v3; format=json",
    "x-github-api-version-selected": typeof version === "string" ? version : "2022-11-28",
    vary: "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With",
  };
}
