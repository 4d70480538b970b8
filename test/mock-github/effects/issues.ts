import { showUser } from "../present/account.ts";
import { showIssue, showLabel } from "../present/issue.ts";
import { isPull } from "../http/rights.ts";
import { showFullPull } from "../present/pull.ts";
import { showRepository } from "../present/repository.ts";
import type { Item, Label, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Doer, type Place, tell, tellIssue, touch } from "./doer.ts";

export interface NewIssue {
  title: string;
  body: string | null;
  labels: string[];
  assignees: string[];
}

/** Tells of an issue or pull request by the event that is its own. */
export function tellItem(place: Place, by: Doer, action: string, more: Record<string, unknown> = {}): void {
  const { world, repository, item } = place;
  if (!isPull(item)) tellIssue(place, by, action, more);
  else {
    const shown = () => ({ number: item.number, pull_request: showFullPull(world, repository, item), ...more });
    tell(place, by, "pull_request", action, shown);
  }
}

export function newItem(world: World, repository: Repository, by: Doer, title: string, body: string | null): Item {
  const now = world.now();
  repository.lastNumber += 1;
  const number = repository.lastNumber;
  const item: Item = {
    id: world.nextId(),
    number,
    title,
    body,
    author: by.login,
    appId: by.appId,
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [],
    locked: false,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    comments: [],
    reactions: [],
    pull: null,
    gone: null,
  };
  repository.items.set(number, item);
  world.lags.opens(item);
  return item;
}

export function openIssue(world: World, repository: Repository, by: Doer, wanted: NewIssue): Item {
  const item = newItem(world, repository, by, wanted.title, wanted.body);
  const place = { world, repository, item };
  tellIssue(place, by, "opened");
  // GitHub tells of what an issue is opened with once more, one by one.
  for (const name of wanted.labels) addLabel(place, by, name);
  for (const login of wanted.assignees) assign(place, by, login);
  return item;
}

export function editItem(place: Place, by: Doer, change: { title?: string; body?: string | null }): void {
  const { item } = place;
  const changes: Record<string, { from: string }> = {};
  if (change.title !== undefined && change.title !== item.title) {
    changes["title"] = { from: item.title };
    item.title = change.title;
  }
  if (change.body !== undefined && change.body !== item.body) {
    changes["body"] = { from: item.body ?? "" };
    item.body = change.body;
  }
  if (Object.keys(changes).length === 0) return;
  touch(place);
  tellItem(place, by, "edited", { changes });
}

export function closeItem(place: Place, by: Doer, reason: "completed" | "not_planned" = "completed"): void {
  const { world, item } = place;
  if (item.state === "closed") return;
  item.state = "closed";
  if (item.pull === null) item.stateReason = reason;
  item.closedAt = world.now();
  item.closedBy = by.login;
  touch(place);
  tellItem(place, by, "closed");
}

export function reopenItem(place: Place, by: Doer): void {
  const { item } = place;
  if (item.state === "open") return;
  item.state = "open";
  if (item.pull === null) item.stateReason = "reopened";
  item.closedAt = null;
  item.closedBy = null;
  touch(place);
  tellItem(place, by, "reopened");
}

/** At most ten people; who is one already is left alone. */
export function assign(place: Place, by: Doer, login: string): void {
  const { world, item } = place;
  const account = world.account(login);
  if (item.assignees.includes(account.login) || item.assignees.length >= 10) return;
  item.assignees.push(account.login);
  touch(place);
  tellItem(place, by, "assigned", { assignee: showUser(world, account.login) });
}

export function unassign(place: Place, by: Doer, login: string): void {
  const { world, item } = place;
  const at = item.assignees.findIndex((each) => each.toLowerCase() === login.toLowerCase());
  if (at === -1) return;
  const [gone = login] = item.assignees.splice(at, 1);
  touch(place);
  tellItem(place, by, "unassigned", { assignee: showUser(world, gone) });
}

export function findLabel(repository: Repository, name: string): Label | undefined {
  return repository.labels.find((each) => each.name.toLowerCase() === name.toLowerCase());
}

export function createLabel(
  world: World,
  repository: Repository,
  by: Doer,
  wanted: { name: string; color?: string | undefined; description?: string | null | undefined },
): Label {
  const { name, color = "ededed", description = null } = wanted;
  const label = { id: world.nextId(), name, color, description };
  repository.labels.push(label);
  tell({ world, repository }, by, "label", "created", () => ({ label: showLabel(world, repository, label) }));
  return label;
}

/** Makes the label where the repository has none of the name, whatever its case. */
export function addLabel(place: Place, by: Doer, name: string): void {
  const { world, repository, item } = place;
  const label = findLabel(repository, name) ?? createLabel(world, repository, by, { name });
  if (item.labels.includes(label.name)) return;
  item.labels.push(label.name);
  touch(place);
  tellItem(place, by, "labeled", { label: showLabel(world, repository, label) });
}

/** Whether the issue had it. */
export function removeLabel(place: Place, by: Doer, name: string): boolean {
  const { world, repository, item } = place;
  const label = findLabel(repository, name);
  const at = label ? item.labels.indexOf(label.name) : -1;
  if (label === undefined || at === -1) return false;
  item.labels.splice(at, 1);
  touch(place);
  tellItem(place, by, "unlabeled", { label: showLabel(world, repository, label) });
  return true;
}

export function setLocked(place: Place, by: Doer, locked: boolean): void {
  if (place.item.locked === locked) return;
  place.item.locked = locked;
  touch(place);
  tellItem(place, by, locked ? "locked" : "unlocked");
}

export function deleteIssue(place: Place, by: Doer): void {
  tellIssue(place, by, "deleted");
  place.item.gone = { kind: "deleted" };
}

/** Moves an issue with its comments; the old number leads to the new one. */
export function transferIssue(place: Place, by: Doer, to: Repository): Item {
  const { world, repository, item } = place;
  const moved = newItem(world, to, { login: item.author, appId: item.appId }, item.title, item.body);
  moved.comments.push(...item.comments);
  moved.state = item.state;
  moved.assignees = item.assignees.filter((login) => world.isCollaborator(to, login));
  const changes = { new_issue: showIssue(world, to, moved), new_repository: showRepository(world, to) };
  tell(place, by, "issues", "transferred", () => ({ changes, issue: showIssue(world, repository, item) }));
  item.gone = { kind: "transferred", repositoryId: to.id, number: moved.number };
  tellIssue({ world, repository: to, item: moved }, by, "opened");
  return moved;
}
