import { z } from "zod";
import { setDraft } from "../effects/pulls.ts";
import type { Answer } from "../http/answer.ts";
import { ok, refuse } from "../http/answer.ts";
import type { Actor } from "../http/call.ts";
import { isPull } from "../http/rights.ts";
import { nodeId } from "../present/ids.ts";
import type { PullPlace } from "../effects/pulls.ts";
import type { World } from "../world/world.ts";
import { roleAtLeast } from "../world/world.ts";

const Body = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).default({}) });
const MUTATIONS = { markPullRequestReadyForReview: false, convertPullRequestToDraft: true } as const;

/** The two mutations that REST has not. Whatever is wrong with them is told with status 200. */
export function graphql(world: World, actor: Actor, body: unknown): Answer {
  if (actor.kind === "anonymous" || actor.kind === "app") {
    throw refuse(401, "This endpoint requires you to be authenticated.");
  }
  const request = Body.safeParse(body);
  if (!request.success) return fault("A query attribute must be specified and must be a string.");
  const { query, variables } = request.data;
  const called = /\b(markPullRequestReadyForReview|convertPullRequestToDraft)\b/.exec(query)?.[1];
  if (called !== "markPullRequestReadyForReview" && called !== "convertPullRequestToDraft") {
    return fault("The mock knows markPullRequestReadyForReview and convertPullRequestToDraft only.");
  }
  const id = idOf(query, variables);
  const place = placeOf(world, id);
  const may =
    place !== null &&
    (actor.kind === "user"
      ? roleAtLeast(world.roleOf(place.repository, actor.login), "read")
      : world.covers(actor.installation, place.repository));
  if (!may) return fault(`Could not resolve to a node with the global id of '${id}'`, "NOT_FOUND", called);
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
