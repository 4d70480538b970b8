import { z } from "zod";
import {
  addLabel,
  assign,
  closeItem,
  editItem,
  openIssue,
  removeLabel,
  reopenItem,
  unassign,
} from "../effects/issues.ts";
import { created, invalid, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, loginOf } from "../http/call.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { itemOf, read, repositoryOf, write } from "../http/rights.ts";
import { showIssue } from "../present/issue.ts";
import { showRepository } from "../present/repository.ts";
import type { Item, Repository } from "../world/entities.ts";
import { roleAtLeast } from "../world/world.ts";
import { checkText } from "./texts.ts";

export const READ_ITEMS = read("issues", "pull_requests");

const Names = z.array(z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]));
const NewIssue = z.object({
  title: z.union([z.string(), z.number().transform(String)]),
  body: z.string().nullish(),
  labels: Names.optional(),
  assignees: z.array(z.string()).nullish(),
});
const Change = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  state: z.enum(["open", "closed"]).optional(),
  state_reason: z.enum(["completed", "not_planned", "duplicate", "reopened"]).nullish(),
  labels: Names.optional(),
  assignees: z.array(z.string()).optional(),
});

export const issueRoutes: Routes = {
  "issues/get": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    return ok(showIssue(call.world, repository, call.world.read(itemOf(call, repository), "count")));
  },

  "issues/list-for-repo": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    const found = sorted(
      call,
      itemsOf(call, repository).filter((item) => matches(call, item)),
    );
    return pageOf(call, found, (item) => showIssue(call.world, repository, item));
  },

  "issues/list": (call) => {
    const login = loginOf(call);
    const all = [...call.world.repositories.values()].filter((each) => call.world.roleOf(each, login) !== "none");
    const where = new Map(all.flatMap((each) => itemsOf(call, each).map((item): [Item, Repository] => [item, each])));
    const mine = (item: Item) =>
      call.query.get("filter") === "all" ||
      (call.query.get("filter") === "created" ? item.author === login : item.assignees.includes(login));
    const found = sorted(
      call,
      [...where.keys()].filter((item) => mine(item) && matches(call, item)),
    );
    return pageOf(call, found, (item) => {
      const repository = where.get(item);
      if (repository === undefined) throw new Error("an issue of no repository");
      return { ...showIssue(call.world, repository, item), repository: showRepository(call.world, repository) };
    });
  },

  "issues/create": (call) => {
    const repository = repositoryOf(call, write("read", "issues"));
    if (!repository.hasIssues) throw refuse(410, "Issues has been disabled in this repository.");
    const wanted = bodyOf(call, NewIssue);
    if (wanted.title.trim() === "") throw invalid({ resource: "Issue", code: "missing_field", field: "title" });
    if (wanted.body) checkText("Issue", wanted.body);
    // Labels and assignees of somebody who may not triage are dropped without a word.
    const may = call.actor.kind !== "user" || roleAtLeast(call.world.roleOf(repository, call.actor.login), "triage");
    const item = openIssue(call.world, repository, doerOf(call), {
      title: wanted.title,
      body: wanted.body ?? null,
      labels: may ? (wanted.labels ?? []) : [],
      assignees: may ? assignable(call, repository, wanted.assignees ?? []) : [],
    });
    const shown = showIssue(call.world, repository, item);
    return created(shown, shown.url);
  },

  "issues/update": (call) => {
    const repository = repositoryOf(call, write("read", "issues", "pull_requests"));
    const item = itemOf(call, repository);
    const author = call.actor.kind === "user" && item.author === call.actor.login;
    if (!author) repositoryOf(call, write("triage", "issues", "pull_requests"));
    const change = bodyOf(call, Change);
    if (change.title?.trim() === "") throw invalid({ resource: "Issue", code: "missing_field", field: "title" });
    if (change.body) checkText("Issue", change.body);
    const place = { world: call.world, repository, item };
    const by = doerOf(call);
    const { title, body } = change;
    editItem(place, by, { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) });
    if (change.state === "closed")
      closeItem(place, by, change.state_reason === "not_planned" ? "not_planned" : "completed");
    if (change.state === "open") reopenItem(place, by);
    if (change.labels) {
      const wanted = change.labels;
      for (const name of item.labels.filter((each) => !wanted.includes(each))) removeLabel(place, by, name);
      for (const name of wanted) addLabel(place, by, name);
    }
    if (change.assignees) {
      const wanted = assignable(call, repository, change.assignees);
      for (const login of item.assignees.filter((each) => !wanted.includes(each))) unassign(place, by, login);
      for (const login of wanted) assign(place, by, login);
    }
    return ok(showIssue(call.world, repository, item));
  },
};

/** All that are found, as one reads them now. */
function itemsOf({ world }: Call, repository: Repository): Item[] {
  const found = [...repository.items.values()].filter((item) => !world.lags.hides(item, item.number));
  return found.map((item) => world.read(item, "count"));
}

/** Who of these can be assigned; GitHub leaves out the others without a word. */
export function assignable(call: Call, repository: Repository, logins: string[]): string[] {
  return logins
    .filter((login) => call.world.isCollaborator(repository, login))
    .map((login) => call.world.account(login).login);
}

function matches(call: Call, item: Item): boolean {
  if (item.gone) return false;
  const { query } = call;
  const state = query.get("state") ?? "open";
  if (state !== "all" && item.state !== state) return false;
  const since = query.get("since");
  if (since !== null && item.updatedAt < new Date(since)) return false;
  const assignee = query.get("assignee");
  if (assignee === "none" && item.assignees.length > 0) return false;
  if (assignee === "*" && item.assignees.length === 0) return false;
  const named = assignee !== null && assignee !== "none" && assignee !== "*";
  if (named && !item.assignees.some((login) => login.toLowerCase() === assignee.toLowerCase())) return false;
  const creator = query.get("creator");
  if (creator !== null && item.author.toLowerCase() !== creator.toLowerCase()) return false;
  const labels = (query.get("labels") ?? "").split(",").filter((name) => name !== "");
  return labels.every((name) => item.labels.some((each) => each.toLowerCase() === name.toLowerCase()));
}

function sorted(call: Call, items: Item[]): Item[] {
  const by = call.query.get("sort") ?? "created";
  const key = (item: Item) =>
    by === "comments" ? item.comments.length : by === "updated" ? item.updatedAt.getTime() : item.createdAt.getTime();
  const sign = call.query.get("direction") === "asc" ? 1 : -1;
  return items.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id));
}
