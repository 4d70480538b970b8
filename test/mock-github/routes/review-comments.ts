import { z } from "zod";
import { addReviewComment, deleteReviewComment, editReviewComment } from "../effects/pulls.ts";
import { created, empty, notFound, ok } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, numberParam } from "../http/call.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { isPull, pullOf, read, repositoryOf, write } from "../http/rights.ts";
import { type PullItem, showReview, showReviewComment } from "../present/pull.ts";
import type { Repository, ReviewComment } from "../world/entities.ts";
import { mustOwn, sinceOf } from "./comments.ts";
import { checkComment } from "./texts.ts";

const Body = z.object({ body: z.string() });
const READ = read("pull_requests");
const WRITE = write("read", "pull_requests");

export function reviewCommentOf(call: Call, repository: Repository): { item: PullItem; comment: ReviewComment } {
  const id = numberParam(call, "comment_id");
  for (const item of repository.items.values()) {
    if (!isPull(item)) continue;
    const comment = item.pull.comments.find((each) => each.id === id);
    if (comment) return { item, comment };
  }
  throw notFound();
}

export const reviewRoutes: Routes = {
  "pulls/list-reviews": (call) => {
    const repository = repositoryOf(call, READ);
    const item = pullOf(call, repository);
    return pageOf(call, item.pull.reviews, (review) => showReview(call.world, repository, item, review));
  },

  "pulls/get-review": (call) => {
    const repository = repositoryOf(call, READ);
    const item = pullOf(call, repository);
    const review = item.pull.reviews.find((each) => each.id === numberParam(call, "review_id"));
    if (review === undefined) throw notFound();
    return ok(showReview(call.world, repository, item, review));
  },

  "pulls/list-review-comments": (call) => {
    const repository = repositoryOf(call, READ);
    const item = pullOf(call, repository);
    const since = sinceOf(call);
    const found = item.pull.comments.filter((each) => since === null || each.updatedAt >= since);
    const updated = call.query.get("sort") === "updated";
    const key = (each: ReviewComment) => (updated ? each.updatedAt : each.createdAt).getTime();
    const sign = call.query.has("sort") && call.query.get("direction") !== "asc" ? -1 : 1;
    const inOrder = found.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id));
    return pageOf(call, inOrder, (comment) => showReviewComment(call.world, repository, item, comment));
  },

  "pulls/get-review-comment": (call) => {
    const repository = repositoryOf(call, READ);
    const { item, comment } = reviewCommentOf(call, repository);
    return ok(showReviewComment(call.world, repository, item, comment));
  },

  "pulls/update-review-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const { item, comment } = reviewCommentOf(call, repository);
    const { body } = bodyOf(call, Body);
    checkComment("PullRequestReviewComment", body);
    mustOwn(call, repository, comment);
    editReviewComment({ world: call.world, repository, item }, doerOf(call), comment, body);
    return ok(showReviewComment(call.world, repository, item, comment));
  },

  "pulls/delete-review-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const { item, comment } = reviewCommentOf(call, repository);
    mustOwn(call, repository, comment);
    deleteReviewComment({ world: call.world, repository, item }, doerOf(call), comment);
    return empty;
  },

  /** Threads have one level: only the first comment of a thread can be answered. */
  "pulls/create-reply-for-review-comment": (call) => {
    const repository = repositoryOf(call, WRITE);
    const item = pullOf(call, repository);
    const { comment } = reviewCommentOf(call, repository);
    if (!item.pull.comments.includes(comment) || comment.inReplyTo !== null) throw notFound();
    const { body } = bodyOf(call, Body);
    checkComment("PullRequestReviewComment", body);
    const { path, line } = comment;
    const place = { world: call.world, repository, item };
    const reply = addReviewComment(place, doerOf(call), { body, path, line, inReplyTo: comment.id });
    const shown = showReviewComment(call.world, repository, item, reply);
    return created(shown, shown.url);
  },
};
