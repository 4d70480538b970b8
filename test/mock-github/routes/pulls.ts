import { z } from "zod";
import { closeItem, editItem, reopenItem } from "../effects/issues.ts";
import { openPull, requestReview, withdrawReview } from "../effects/pulls.ts";
import { created, invalid, ok, refuse } from "../http/answer.ts";
import { type Routes, bodyOf } from "../http/call.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { isPull, pullOf, read, repositoryOf, write } from "../http/rights.ts";
import { showUser } from "../present/account.ts";
import { type PullItem, showFullPull, showPull } from "../present/pull.ts";
import type { Pull, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { checkText } from "./texts.ts";

const READ = read("pull_requests");
const WRITE = write("write", "pull_requests");
const NewPull = z.object({
  title: z.string().optional(),
  head: z.string(),
  base: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().optional(),
  issue: z.number().optional(),
});
const Change = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  state: z.enum(["open", "closed"]).optional(),
  base: z.string().optional(),
});
const custom = (message: string) => invalid({ resource: "PullRequest", code: "custom", message });
const Reviewers = z.object({
  reviewers: z.array(z.string()).default([]),
  team_reviewers: z.array(z.string()).default([]),
});

export const pullRoutes: Routes = {
  "pulls/create": (call) => {
    // Who may read may open one from a fork; from a branch of the same repository takes a branch pushed there.
    const repository = repositoryOf(call, write("read", "pull_requests"));
    const wanted = bodyOf(call, NewPull);
    const head = headOf(repository, wanted.head);
    if (wanted.title === undefined || wanted.title.trim() === "") {
      throw invalid({ resource: "PullRequest", code: "missing_field", field: "title" });
    }
    if (!repository.branches.has(wanted.base)) {
      throw invalid({ resource: "PullRequest", field: "base", code: "invalid" });
    }
    if (head === null || !repository.branches.has(head)) {
      throw invalid({ resource: "PullRequest", field: "head", code: "invalid" });
    }
    const own = openPulls(repository).filter(({ pull }) => pull.headRepository === repository.id);
    if (own.some(({ pull }) => pull.head === head && pull.base === wanted.base)) {
      throw custom(`A pull request already exists for ${repository.owner}:${head}.`);
    }
    if (repository.branches.get(head) === repository.branches.get(wanted.base)) {
      throw custom(`No commits between ${wanted.base} and ${head}`);
    }
    if (wanted.body) checkText("PullRequest", wanted.body);
    const item = openPull(call.world, repository, doerOf(call), {
      title: wanted.title,
      body: wanted.body ?? null,
      head,
      base: wanted.base,
      draft: wanted.draft ?? false,
    });
    const shown = showFullPull(call.world, repository, item);
    return created(shown, shown.url);
  },

  "pulls/list": (call) => {
    const repository = repositoryOf(call, READ);
    const state = call.query.get("state") ?? "open";
    const [head, base] = [call.query.get("head"), call.query.get("base")];
    const found = pullsOf(repository).filter(
      ({ state: is, pull }) =>
        (state === "all" || is === state) &&
        // GitHub takes a head without its owner as no filter at all.
        (head === null || !head.includes(":") || head === headOfPull(call.world, pull)) &&
        (base === null || pull.base === base),
    );
    const sort = call.query.get("sort") ?? "created";
    const key = (item: PullItem) => (sort === "updated" ? item.updatedAt : item.createdAt).getTime();
    const direction = call.query.get("direction") ?? (sort === "created" ? "desc" : "asc");
    const sign = direction === "asc" ? 1 : -1;
    const inOrder = found.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id));
    return pageOf(call, inOrder, (item) => showPull(call.world, repository, item));
  },

  "pulls/get": (call) => {
    const repository = repositoryOf(call, READ);
    return ok(showFullPull(call.world, repository, pullOf(call, repository)));
  },

  /** `draft` is not among what can be changed: GitHub ignores it here, and has mutations of GraphQL for it. */
  "pulls/update": (call) => {
    const repository = repositoryOf(call, write("read", "pull_requests"));
    const item = pullOf(call, repository);
    const own = call.actor.kind === "user" && call.actor.login === item.author;
    if (!own) repositoryOf(call, WRITE);
    const change = bodyOf(call, Change);
    if (change.title?.trim() === "") throw invalid({ resource: "PullRequest", code: "missing_field", field: "title" });
    if (change.body) checkText("PullRequest", change.body);
    if (change.base !== undefined) {
      if (!repository.branches.has(change.base))
        throw invalid({ resource: "PullRequest", field: "base", code: "invalid" });
      item.pull.base = change.base;
    }
    if (change.state === "open" && item.pull.mergedAt !== null) {
      throw invalid({ resource: "PullRequest", code: "invalid", field: "state" });
    }
    const place = { world: call.world, repository, item };
    const { title, body } = change;
    editItem(place, doerOf(call), {
      ...(title === undefined ? {} : { title }),
      ...(body === undefined ? {} : { body }),
    });
    if (change.state === "closed") closeItem(place, doerOf(call));
    if (change.state === "open") reopenItem(place, doerOf(call));
    return ok(showFullPull(call.world, repository, item));
  },

  "pulls/request-reviewers": (call) => {
    const repository = repositoryOf(call, WRITE);
    const item = pullOf(call, repository);
    const { reviewers, team_reviewers } = bodyOf(call, Reviewers);
    const strange = reviewers.some((login) => !call.world.isCollaborator(repository, login));
    if (strange || team_reviewers.length > 0) {
      throw refuse(
        422,
        `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repository.owner}/${repository.name} repository.`,
      );
    }
    if (reviewers.some((login) => login.toLowerCase() === item.author.toLowerCase())) {
      throw refuse(422, "Review cannot be requested from pull request author.");
    }
    const place = { world: call.world, repository, item };
    for (const login of reviewers) requestReview(place, doerOf(call), call.world.account(login).login);
    return { status: 201, body: showPull(call.world, repository, item) };
  },

  "pulls/remove-requested-reviewers": (call) => {
    const repository = repositoryOf(call, WRITE);
    const item = pullOf(call, repository);
    const place = { world: call.world, repository, item };
    for (const login of bodyOf(call, Reviewers).reviewers) withdrawReview(place, doerOf(call), login);
    return ok(showPull(call.world, repository, item));
  },

  "pulls/list-requested-reviewers": (call) => {
    const item = pullOf(call, repositoryOf(call, READ));
    return ok({ users: item.pull.reviewers.map((login) => showUser(call.world, login)), teams: [] });
  },
};

function pullsOf(repository: Repository): PullItem[] {
  return [...repository.items.values()].filter(isPull);
}

function openPulls(repository: Repository): PullItem[] {
  return pullsOf(repository).filter((item) => item.state === "open");
}

/** `owner:branch` of where its head is. */
function headOfPull(world: World, pull: Pull): string {
  return `${world.repositories.get(pull.headRepository)?.owner ?? ""}:${pull.head}`;
}

/** The branch of `owner:branch` or `branch`; null where it is another owner's. */
function headOf(repository: Repository, head: string): string | null {
  const colon = head.indexOf(":");
  if (colon === -1) return head;
  return head.slice(0, colon).toLowerCase() === repository.owner.toLowerCase() ? head.slice(colon + 1) : null;
}
