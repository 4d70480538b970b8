import { pages } from "../pages.ts";
import { z } from "zod";
import { MOST_REVIEW_COMMENTS } from "../review-threads.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { pullPath } from "./pull-requests.ts";
import type { RepositoryCall } from "./repository.ts";

const PAGE = 100;
const MOST_PAGES = MOST_REVIEW_COMMENTS / PAGE;
/** Reviews are always listed oldest first; each line comment creates one, mostly with an empty body. */
const MOST_REVIEW_PAGES = 5 * MOST_PAGES;

export type ReviewComment = z.infer<typeof answers.reviewComment>;
type Review = z.infer<typeof answers.review>;
type Comment = z.infer<typeof answers.comment>;

/** The newest line comments of a pull request, oldest of them first. */
export async function reviewComments(call: RepositoryCall, project: string, number: number): Promise<ReviewComment[]> {
  const path = `${pullPath(project, number)}/comments`;
  const found: ReviewComment[] = [];
  for await (const body of listed(call, project, { path, query: { sort: "created", direction: "desc" } }, MOST_PAGES)) {
    found.push(...read(z.array(answers.reviewComment), body, `the review comments of ${project}#${number}`));
  }
  // GitHub's times are whole seconds; ids give the order within one.
  return found.toSorted((one, other) => one.id - other.id);
}

/** The newest reviews with a body. */
export async function reviewsOf(call: RepositoryCall, project: string, number: number): Promise<Review[]> {
  const path = `${pullPath(project, number)}/reviews`;
  const found: Review[] = [];
  for await (const body of listed(call, project, { path, query: {} }, MOST_REVIEW_PAGES)) {
    const reviews = read(z.array(answers.review), body, `the reviews of ${project}#${number}`);
    found.push(...reviews.filter((one) => one.submitted_at && one.body.trim() !== ""));
  }
  return found.slice(-MOST_REVIEW_COMMENTS);
}

/** The newest comments under a pull request that has `count`. GitHub lists them oldest first. */
export async function commentsUnder(
  call: RepositoryCall,
  project: string,
  number: number,
  count: number,
): Promise<Comment[]> {
  const page = Math.max(1, Math.ceil(count / PAGE) - MOST_PAGES);
  const found: Comment[] = [];
  const first = { path: `/issues/${number}/comments`, query: { page } };
  // The last page may be nearly empty, and a new comment may have started another.
  for await (const body of listed(call, project, first, MOST_PAGES + 2)) {
    found.push(...read(z.array(answers.comment), body, `the comments of ${project}#${number}`));
  }
  return found.slice(-MOST_REVIEW_COMMENTS);
}

function listed(
  call: RepositoryCall,
  project: string,
  { path, query }: { path: string; query: Record<string, string | number> },
  most: number,
): AsyncGenerator {
  return pages(
    async (request) => await call(project, request),
    { method: "GET", path, query: { ...query, per_page: PAGE } },
    most,
  );
}
