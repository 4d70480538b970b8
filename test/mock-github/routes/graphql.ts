import { z } from "zod";
import { setDraft, type PullPlace } from "../effects/pulls.ts";
import { type Answer, ok, refuse } from "../http/answer.ts";
import type { Actor } from "../http/call.ts";
import { isPull } from "../http/rights.ts";
import { nodeId } from "../present/ids.ts";
import { type World, roleAtLeast } from "../world/world.ts";

const Body = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).default({}) });
const MUTATIONS = { markPullRequestReadyForReview: false, convertPullRequestToDraft: true } as const;

/** What REST has not. Whatever is wrong with it is told with status 200. */
export function graphql(world: World, actor: Actor, body: unknown): Answer {
  if (actor.kind === "anonymous" || actor.kind === "app") {
    throw refuse(401, "This endpoint requires you to be authenticated.");
  }
  const request = Body.safeParse(body);
  if (!request.success) return fault("A query attribute must be specified and must be a string.");
  const { query, variables } = request.data;
  if (/^\s*query\s*\{\s*viewer\b/.test(query)) {
    const { id, login } = world.account(actor.kind === "user" ? actor.login : world.botOf(actor.app));
    return ok({ data: { viewer: { login, databaseId: id } } });
  }
  if (/^\s*query\b/.test(query)) {
    const ask = /\brepository\(/.test(query) ? commentsOf : threadsOf;
    return ask(world, actor, variables, query);
  }
  const called = /\b(markPullRequestReadyForReview|convertPullRequestToDraft)\b/.exec(query)?.[1];
  if (called !== "markPullRequestReadyForReview" && called !== "convertPullRequestToDraft") {
    return fault("The mock knows markPullRequestReadyForReview and convertPullRequestToDraft only.");
  }
  const id = idOf(query, variables);
  const place = placeOf(world, id);
  if (place === null || !maySee(world, actor, place))
    return fault(`Could not resolve to a node with the global id of '${id}'`, "NOT_FOUND", called);
  const writes =
    actor.kind === "user"
      ? roleAtLeast(world.roleOf(place.repository, actor.login), "write") || place.item.author === actor.login
      : actor.permissions["pull_requests"] === "write";
  if (!writes) {
    const who =
      actor.kind === "user" ? `${actor.login} does not have permission` : "Resource not accessible by integration";
    return fault(who, "FORBIDDEN", called);
  }
  const login = actor.kind === "user" ? actor.login : world.botOf(actor.app);
  setDraft(place, { login, appId: actor.kind === "user" ? null : actor.app.id }, MUTATIONS[called]);
  const { pull, number } = place.item;
  const pullRequest = {
    id,
    number,
    isDraft: pull.draft,
    url: `${world.html}/${place.repository.owner}/${place.repository.name}/pull/${number}`,
  };
  return ok({ data: { [called]: { clientMutationId: null, pullRequest } } });
}

type Caller = Extract<Actor, { kind: "user" | "installation" }>;

function maySee(world: World, actor: Caller, { repository }: PullPlace): boolean {
  return actor.kind === "user"
    ? roleAtLeast(world.roleOf(repository, actor.login), "read")
    : world.covers(actor.installation, repository);
}

const CommentsOf = z.object({
  owner: z.string(),
  name: z.string(),
  number: z.number(),
  before: z.string().nullable().default(null),
});

/** The comments of an issue, the last ones first asked for, with who edited them and whether they are hidden. */
function commentsOf(world: World, actor: Caller, variables: Record<string, unknown>, query: string): Answer {
  const shape =
    /repository\(owner: \$owner, name: \$name\).*issue\(number: \$number\).*comments\(last: (\d+), before: \$before\)/s;
  const asked = shape.exec(query);
  const given = CommentsOf.safeParse(variables);
  if (asked === null || !given.success) return fault("The mock knows the comments of an issue only.");
  const { owner, name, number, before } = given.data;
  const repository = world.findRepository(owner, name);
  const item = repository?.items.get(number);
  const mayRead =
    repository !== undefined &&
    (actor.kind === "user"
      ? roleAtLeast(world.roleOf(repository, actor.login), "read")
      : world.covers(actor.installation, repository));
  if (!mayRead || item === undefined || isPull(item)) {
    return fault(`Could not resolve to an Issue with the number of ${number}.`, "NOT_FOUND", "repository");
  }
  const end = before === null ? item.comments.length : Number(Buffer.from(before, "base64").toString().split(":")[1]);
  const start = Math.max(0, end - Number(asked[1]));
  const nodes = item.comments.slice(start, end).map(({ id, edited, minimized }) => ({
    url: `${world.html}/${owner}/${name}/issues/${number}#issuecomment-${id}`,
    isMinimized: minimized ?? false,
    lastEditedAt: edited?.at.toISOString() ?? null,
    editor: edited === undefined ? null : { login: edited.by },
  }));
  const startCursor = nodes.length === 0 ? null : Buffer.from(`cursor:${start}`).toString("base64");
  const comments = { pageInfo: { hasPreviousPage: start > 0, startCursor }, nodes };
  return ok({ data: { repository: { issue: { comments } } } });
}

/** The threads of a pull request, the last ones first asked for, with what of them is settled. */
function threadsOf(world: World, actor: Caller, variables: Record<string, unknown>, query: string): Answer {
  const asked = /node\(id: \$id\).*reviewThreads\(last: (\d+), before: \$before\)/s.exec(query);
  if (asked === null) return fault("The mock knows the review threads of a pull request only.");
  const id = String(variables["id"]);
  const place = placeOf(world, id);
  if (place === null || !maySee(world, actor, place)) {
    return fault(`Could not resolve to a node with the global id of '${id}'`, "NOT_FOUND", "node");
  }
  const { comments, resolved } = place.item.pull;
  const threads = [...Map.groupBy(comments, (each) => each.inReplyTo ?? each.id)];
  const { before } = variables;
  const end =
    typeof before === "string" ? Number(Buffer.from(before, "base64").toString().split(":")[1]) : threads.length;
  const start = Math.max(0, end - Number(asked[1]));
  const nodes = threads.slice(start, end).map(([first, inThread]) => ({
    isResolved: resolved.has(first),
    comments: { nodes: inThread.slice(0, 1).map((each) => ({ id: nodeId("reviewComment", each.id) })) },
  }));
  const startCursor = nodes.length === 0 ? null : Buffer.from(`cursor:${start}`).toString("base64");
  return ok({
    data: { node: { reviewThreads: { pageInfo: { hasPreviousPage: start > 0, startCursor }, nodes } } },
  });
}

function fault(message: string, type?: string, path?: string): Answer {
  const where = path === undefined ? {} : { path: [path] };
  return ok({
    data: path === undefined ? undefined : { [path]: null },
    errors: [{ ...(type && { type }), ...where, message }],
  });
}

/** From the variables (`{input: {pullRequestId}}`, or the id itself under any name), or from the text. */
function idOf(query: string, variables: Record<string, unknown>): string {
  const input = z.object({ pullRequestId: z.string() }).safeParse(variables["input"]);
  if (input.success) return input.data.pullRequestId;
  const inText = /pullRequestId\s*:\s*(?:"([^"]+)"|\$(\w+))/.exec(query);
  const named = inText?.[2] === undefined ? inText?.[1] : variables[inText[2]];
  return typeof named === "string" ? named : "";
}

function placeOf(world: World, id: string): PullPlace | null {
  for (const repository of world.repositories.values()) {
    for (const item of repository.items.values()) {
      if (isPull(item) && nodeId("pull", item.pull.id) === id) return { world, repository, item };
    }
  }
  return null;
}
