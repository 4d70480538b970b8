import { isPull } from "../http/rights.ts";
import { showUser } from "../present/account.ts";
import { type PullItem, showPull, showReview, showReviewComment } from "../present/pull.ts";
import type { Repository, Review, ReviewComment } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Doer, type Place, tell, touch } from "./doer.ts";
import { newItem, tellItem } from "./issues.ts";

export interface NewPull {
  title: string;
  body: string | null;
  head: string;
  base: string;
  draft: boolean;
  /** Where its head is; the repository itself where absent. */
  from?: Repository;
}

export type PullPlace = Place & { item: PullItem };

export function openPull(world: World, repository: Repository, by: Doer, wanted: NewPull): PullItem {
  const item = newItem(world, repository, by, wanted.title, wanted.body);
  const from = wanted.from ?? repository;
  item.pull = {
    id: world.nextId(),
    headRepository: from.id,
    head: wanted.head,
    headSha: from.branches.get(wanted.head) ?? world.newSha(),
    base: wanted.base,
    baseSha: repository.branches.get(wanted.base) ?? world.newSha(),
    draft: wanted.draft,
    mergeable: true,
    mergedAt: null,
    mergedBy: null,
    reviewers: [],
    reviews: [],
    comments: [],
    resolved: new Set(),
  };
  if (!isPull(item)) throw new Error("a pull request without its own part");
  tellItem({ world, repository, item }, by, "opened");
  return item;
}

export function setDraft(place: PullPlace, by: Doer, draft: boolean): void {
  if (place.item.pull.draft === draft) return;
  place.item.pull.draft = draft;
  touch(place);
  tellItem(place, by, draft ? "converted_to_draft" : "ready_for_review");
}

export function requestReview(place: PullPlace, by: Doer, login: string): void {
  const { world, item } = place;
  if (item.pull.reviewers.includes(login)) return;
  item.pull.reviewers.push(login);
  touch(place);
  tellItem(place, by, "review_requested", { requested_reviewer: showUser(world, login) });
}

export function withdrawReview(place: PullPlace, by: Doer, login: string): void {
  const { world, item } = place;
  if (!item.pull.reviewers.includes(login)) return;
  item.pull.reviewers = item.pull.reviewers.filter((each) => each !== login);
  touch(place);
  tellItem(place, by, "review_request_removed", { requested_reviewer: showUser(world, login) });
}

export function mergePull(place: PullPlace, by: Doer): void {
  const { world, repository, item } = place;
  if (item.state === "closed") return;
  const now = world.now();
  Object.assign(item, { state: "closed", closedAt: now, closedBy: by.login });
  Object.assign(item.pull, { mergedAt: now, mergedBy: by.login });
  repository.branches.set(item.pull.base, item.pull.headSha);
  touch(place);
  tellItem(place, by, "closed");
}

export function submitReview(place: PullPlace, by: Doer, state: Review["state"], body: string): Review {
  const { world, repository, item } = place;
  const review: Review = { id: world.nextId(), author: by.login, body, state, submittedAt: world.now() };
  item.pull.reviews.push(review);
  item.pull.reviewers = item.pull.reviewers.filter((each) => each !== by.login);
  touch(place);
  tell(place, by, "pull_request_review", "submitted", () => ({
    // In webhooks the state is in small letters, in the API it is not.
    review: { ...showReview(world, repository, item, review), state: state.toLowerCase() },
    pull_request: showPull(world, repository, item),
  }));
  return review;
}

export function addReviewComment(
  place: PullPlace,
  by: Doer,
  wanted: { body: string; path: string; line: number; inReplyTo: number | null; reviewId?: number },
): ReviewComment {
  const { world, item } = place;
  const now = world.now();
  const comment: ReviewComment = {
    id: world.nextId(),
    author: by.login,
    appId: by.appId,
    body: wanted.body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
    reviewId: wanted.reviewId ?? world.nextId(),
    path: wanted.path,
    line: wanted.line,
    inReplyTo: wanted.inReplyTo,
  };
  item.pull.comments.push(comment);
  touch(place);
  tellReviewComment(place, by, "created", comment);
  return comment;
}

export function editReviewComment(place: PullPlace, by: Doer, comment: ReviewComment, body: string): void {
  const changes = { body: { from: comment.body } };
  comment.body = body;
  comment.updatedAt = place.world.now();
  touch(place);
  tellReviewComment(place, by, "edited", comment, { changes });
}

export function deleteReviewComment(place: PullPlace, by: Doer, comment: ReviewComment): void {
  const { pull } = place.item;
  pull.comments = pull.comments.filter((each) => each !== comment);
  touch(place);
  tellReviewComment(place, by, "deleted", comment);
}

function tellReviewComment(
  place: PullPlace,
  by: Doer,
  action: string,
  comment: ReviewComment,
  more: Record<string, unknown> = {},
): void {
  const { world, repository, item } = place;
  tell(place, by, "pull_request_review_comment", action, () => ({
    ...more,
    comment: showReviewComment(world, repository, item, comment),
    pull_request: showPull(world, repository, item),
  }));
}
