import { z } from "zod";
import { addComment, deleteComment, editComment } from "../effects/comments.ts";
import { created, empty, notFound, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, numberParam } from "../http/call.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { itemOf, repositoryOf, write } from "../http/rights.ts";
import { showComment } from "../present/issue.ts";
import type { Comment, Item, Repository } from "../world/entities.ts";
import { roleAtLeast } from "../world/world.ts";
import { READ_ITEMS } from "./issues.ts";
import { checkComment } from "./texts.ts";

const Body = z.object({ body: z.string() });
const WRITE = write("read", "issues", "pull_requests");

export const commentRoutes: Routes = {
  "issues/list-comments": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    const item = itemOf(call, repository);
    const since = sinceOf(call);
    const { comments } = call.world.read(item, "lists");
    const found = since === null ? comments : comments.filter((each) => each.updatedAt >= since);
    return pageOf(call, found, (comment) => showComment(call.world, repository, item, comment));
  },

  "issues/list-comments-for-repo": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    const since = sinceOf(call);
    const all = [...repository.items.values()]
      .filter((item) => item.gone === null)
      .flatMap((item) => call.world.read(item, "lists").comments.map((comment) => ({ item, comment })))
      .filter(({ comment }) => since === null || comment.updatedAt >= since);
    const updated = call.query.get("sort") === "updated";
    const key = ({ comment }: { comment: Comment }) => (updated ? comment.updatedAt : comment.createdAt).getTime();
    const sign = call.query.has("sort") && call.query.get("direction") !== "asc" ? -1 : 1;
    const found = all.toSorted((a, b) => sign * (key(a) - key(b) || a.comment.id - b.comment.id));
    return pageOf(call, found, ({ item, comment }) => showComment(call.world, repository, item, comment));
  },

  "issues/create-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const item = itemOf(call, repository);
    const { body } = bodyOf(call, Body);
    checkComment("IssueComment", body);
    if (item.locked && !isMember(call, repository))
      throw refuse(403, "Unable to create comment because issue is locked.");
    const comment = addComment({ world: call.world, repository, item }, doerOf(call), body);
    const shown = showComment(call.world, repository, item, comment);
    return created(shown, shown.url);
  },

  "issues/get-comment": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    const { item, comment } = commentOf(call, repository);
    return ok(showComment(call.world, repository, item, comment));
  },

  "issues/update-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const { item, comment } = commentOf(call, repository);
    const { body } = bodyOf(call, Body);
    checkComment("IssueComment", body);
    mustOwn(call, repository, comment);
    editComment({ world: call.world, repository, item }, doerOf(call), comment, body);
    return ok(showComment(call.world, repository, item, comment));
  },

  "issues/delete-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const { item, comment } = commentOf(call, repository);
    mustOwn(call, repository, comment);
    deleteComment({ world: call.world, repository, item }, doerOf(call), comment);
    return empty;
  },
};

export function sinceOf(call: Call): Date | null {
  const since = call.query.get("since");
  return since === null ? null : new Date(since);
}

export function commentOf(call: Call, repository: Repository): { item: Item; comment: Comment } {
  const id = numberParam(call, "comment_id");
  for (const item of repository.items.values()) {
    const { comments } = call.operation.method === "GET" ? call.world.read(item, "comment") : item;
    const comment = item.gone === null ? comments.find((each) => each.id === id) : undefined;
    if (comment) return { item, comment };
  }
  throw notFound();
}

/** Who may go on in a locked thread: Apps are not among them. */
function isMember(call: Call, repository: Repository): boolean {
  return call.actor.kind === "user" && roleAtLeast(call.world.roleOf(repository, call.actor.login), "write");
}

/** Apps that may write issues may change what others wrote. */
function mayWrite(call: Call, repository: Repository): boolean {
  return call.actor.kind !== "user" || roleAtLeast(call.world.roleOf(repository, call.actor.login), "write");
}

/** The comments of others are for those who may write. */
export function mustOwn(call: Call, repository: Repository, comment: Comment): void {
  const own = call.actor.kind === "user" && comment.author === call.actor.login;
  if (!own && !mayWrite(call, repository)) throw refuse(403, "Must have admin rights to Repository.");
}
