import {
  type PullPlace,
  addReviewComment,
  deleteReviewComment,
  editReviewComment,
  mergePull,
  openPull,
  requestReview,
  setDraft,
  submitReview,
} from "../effects/pulls.ts";
import { runCheck, setStatus, tellChecks } from "../effects/checks.ts";
import { addComment, deleteComment, editComment, react } from "../effects/comments.ts";
import { type Place, person } from "../effects/doer.ts";
import { changePermissions, changeRepositories, install, suspend, uninstall } from "../effects/installations.ts";
import {
  addLabel,
  assign,
  closeItem,
  deleteIssue,
  editItem,
  openIssue,
  removeLabel,
  reopenItem,
  setLocked,
  transferIssue,
  unassign,
} from "../effects/issues.ts";
import { push, renameRepository, writeFile } from "../effects/repositories.ts";
import { isPull } from "../http/rights.ts";
import type { Deed, Outcome } from "./acts.ts";
import type { World } from "./world.ts";

/** Lets somebody do something; the hooks are told. */
export function perform(world: World, act: Deed): Outcome {
  switch (act.do) {
    case "open":
    case "open_pull":
    case "push":
    case "write_file":
    case "rename_repository":
    case "delete_branch":
    case "check_run":
    case "status":
      return inRepository(world, act);
    case "permit": {
      const { collaborators } = world.repository(act.repo);
      if (act.role === "none") collaborators.delete(act.login);
      else collaborators.set(world.account(act.login).login, act.role);
      return {};
    }
    case "install":
      return { installation: install(world, act.app, act.account, act.repositories).id };
    case "uninstall":
      return done(() => uninstall(world, act.installation));
    case "suspend":
    case "unsuspend":
      return done(() => suspend(world, act.installation, act.do === "suspend"));
    case "change_permissions":
      return done(() => changePermissions(world, act.installation, act.permissions));
    case "change_repositories":
      return done(() => changeRepositories(world, act.installation, act.add, act.remove));
    default: {
      const place = { world, repository: world.repository(act.repo), item: world.item(act.repo, act.number) };
      return onItem(place, act);
    }
  }
}

type InRepository = Extract<
  Deed,
  { do: "open" | "open_pull" | "push" | "write_file" | "rename_repository" | "delete_branch" | "check_run" | "status" }
>;
type OnItem = Extract<Deed, { number: number }>;

function inRepository(world: World, act: InRepository): Outcome {
  const repository = world.repository(act.repo);
  const by = person(world.account(act.as).login);
  switch (act.do) {
    case "open":
      return { number: openIssue(world, repository, by, act).number };
    case "open_pull": {
      const from = act.from === null ? repository : world.repository(act.from);
      return { number: openPull(world, repository, by, { ...act, from }).number };
    }
    case "check_run":
      return { check: runCheck({ world, repository }, by, act).id };
    case "status":
      return { check: setStatus({ world, repository }, by, act).id };
    case "push":
      return { sha: push(world, repository, by, act.branch, act.sha) };
    case "write_file":
      return { sha: writeFile(world, repository, by, act) };
    case "rename_repository":
      return done(() => renameRepository(world, repository, by, act.name));
    default:
      return done(() => repository.branches.delete(act.branch));
  }
}

function onItem(place: Place, act: OnItem): Outcome {
  const { world, item } = place;
  const by = person(world.account(act.as).login);
  const comment = (id: number) =>
    mustFind(
      item.comments.find((each) => each.id === id),
      `comment ${id}`,
    );
  switch (act.do) {
    case "edit": {
      const { title, body } = act;
      return done(() =>
        editItem(place, by, { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) }),
      );
    }
    case "close":
      return done(() => closeItem(place, by, act.reason));
    case "reopen":
      return done(() => reopenItem(place, by));
    case "assign":
      return done(() => assign(place, by, act.login));
    case "unassign":
      return done(() => unassign(place, by, act.login));
    case "label":
      return done(() => addLabel(place, by, act.label));
    case "unlabel":
      return done(() => removeLabel(place, by, act.label));
    case "lock":
    case "unlock":
      return done(() => setLocked(place, by, act.do === "lock"));
    case "delete":
      return done(() => deleteIssue(place, by));
    case "transfer":
      return { number: transferIssue(place, by, world.repository(act.to)).number };
    case "comment":
      return { comment: addComment(place, by, act.body).id };
    case "edit_comment":
      return done(() => editComment(place, by, comment(act.comment), act.body));
    case "delete_comment":
      return done(() => deleteComment(place, by, comment(act.comment)));
    case "react":
      return done(() => react(world, act.comment === null ? item : comment(act.comment), by.login, act.content));
    default: {
      if (!isPull(item)) throw new Error(`${act.repo}#${act.number} is no pull request`);
      return onPull({ ...place, item }, act);
    }
  }
}

type OnPull = Extract<
  OnItem,
  {
    do:
      | "find_mergeable"
      | "ready"
      | "request_review"
      | "review"
      | "review_comment"
      | "edit_review_comment"
      | "delete_review_comment"
      | "resolve_thread"
      | "merge"
      | "checks_completed";
  }
>;

function onPull(place: PullPlace, act: OnPull): Outcome {
  const { world, item } = place;
  const by = person(world.account(act.as).login);
  const comment = (id: number) =>
    mustFind(
      item.pull.comments.find((each) => each.id === id),
      `comment ${id}`,
    );
  switch (act.do) {
    case "find_mergeable":
      return done(() => {
        place.item.pull.mergeable = act.mergeable;
      });
    case "ready":
      return done(() => setDraft(place, by, act.draft));
    case "request_review":
      return done(() => requestReview(place, by, world.account(act.login).login));
    case "review": {
      const review = submitReview(place, by, act.state, act.body);
      for (const each of act.comments) addReviewComment(place, by, { ...each, inReplyTo: null, reviewId: review.id });
      return { review: review.id };
    }
    case "review_comment": {
      const { inReplyTo, body } = act;
      const { path, line } = inReplyTo === null ? act : comment(inReplyTo);
      return { comment: addReviewComment(place, by, { body, path, line, inReplyTo }).id };
    }
    case "edit_review_comment":
      return done(() => editReviewComment(place, by, comment(act.comment), act.body));
    case "delete_review_comment":
      return done(() => deleteReviewComment(place, by, comment(act.comment)));
    case "resolve_thread": {
      const { id } = comment(act.comment);
      return done(() => (act.resolved ? item.pull.resolved.add(id) : item.pull.resolved.delete(id)));
    }
    case "merge":
      return done(() => mergePull(place, by));
    default:
      return done(() => tellChecks(place, by, act.conclusion));
  }
}

function done(act: () => unknown): Outcome {
  act();
  return {};
}

function mustFind<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the mock has no ${what}`);
  return found;
}
