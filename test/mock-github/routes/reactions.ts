import { z } from "zod";
import { react } from "../effects/comments.ts";
import { type Answer, empty, notFound } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, loginOf, numberParam } from "../http/call.ts";
import { pageOf } from "../http/paging.ts";
import { itemOf, read, repositoryOf, write } from "../http/rights.ts";
import { showReaction } from "../present/issue.ts";
import { type Reaction, type Repository, CONTENTS } from "../world/entities.ts";
import { commentOf } from "./comments.ts";
import { READ_ITEMS } from "./issues.ts";
import { reviewCommentOf } from "./review-comments.ts";

const Body = z.object({ content: z.enum(CONTENTS) });
const WRITE = write("read", "issues", "pull_requests");
type Reacted = { reactions: Reaction[] };

/** 200 where the actor has reacted so before, 201 where it is new. */
function create(call: Call, on: Reacted): Answer {
  const { content } = bodyOf(call, Body);
  const { reaction, fresh } = react(call.world, on, loginOf(call), content);
  return { status: fresh ? 201 : 200, body: showReaction(call.world, reaction) };
}

function list(call: Call, on: Reacted): Answer {
  const content = call.query.get("content");
  const found = on.reactions.filter((each) => content === null || each.content === content);
  return pageOf(call, found, (reaction) => showReaction(call.world, reaction));
}

function remove(call: Call, on: Reacted): Answer {
  const id = numberParam(call, "reaction_id");
  const at = on.reactions.findIndex((each) => each.id === id && each.login === loginOf(call));
  if (at === -1) throw notFound();
  on.reactions.splice(at, 1);
  return empty;
}

const comment = (call: Call, repository: Repository) => commentOf(call, repository).comment;

export const reactionRoutes: Routes = {
  "reactions/create-for-issue": (call) => create(call, itemOf(call, repositoryOf(call, WRITE))),
  "reactions/list-for-issue": (call) => list(call, itemOf(call, repositoryOf(call, READ_ITEMS))),
  "reactions/delete-for-issue": (call) => remove(call, itemOf(call, repositoryOf(call, WRITE))),
  "reactions/create-for-issue-comment": (call) => create(call, comment(call, repositoryOf(call, WRITE))),
  "reactions/list-for-issue-comment": (call) => list(call, comment(call, repositoryOf(call, READ_ITEMS))),
  "reactions/delete-for-issue-comment": (call) => remove(call, comment(call, repositoryOf(call, WRITE))),
  "reactions/create-for-pull-request-review-comment": (call) =>
    create(call, reviewCommentOf(call, repositoryOf(call, write("read", "pull_requests"))).comment),
  "reactions/list-for-pull-request-review-comment": (call) =>
    list(call, reviewCommentOf(call, repositoryOf(call, read("pull_requests"))).comment),
};
