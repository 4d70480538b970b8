import type { Item, Repository, Role } from "../world/entities.ts";
import { roleAtLeast } from "../world/world.ts";
import { notFound, Refusal, refuse } from "./answer.ts";
import { type Call, numberParam, param, roleIn } from "./call.ts";

type Level = "read" | "write" | "admin";

/** What a call needs: any one of these permissions of an App, or a role of a person. */
export interface Need {
  anyOf: string[];
  level: Level;
  role: Role;
}

export const READ: Need = { anyOf: ["metadata"], level: "read", role: "read" };
export const read = (...anyOf: string[]): Need => ({ anyOf, level: "read", role: "read" });
export const write = (role: Role, ...anyOf: string[]): Need => ({ anyOf, level: "write", role });

/** The repository of a call, for whoever may see it and do this there; GitHub hides the others as not found. */
export function repositoryOf(call: Call, need: Need = READ): Repository {
  const { world, actor } = call;
  const repository = world.findRepository(param(call, "owner"), param(call, "repo"));
  if (repository === undefined) throw movedOrMissing(call, need);
  if (repository.archived && need.level !== "read" && canSee(call, repository)) {
    throw refuse(403, "Repository was archived so is read-only.");
  }
  if (actor.kind === "installation") {
    const mine = world.covers(actor.installation, repository) && (actor.only?.includes(repository.id) ?? true);
    if (!mine && (repository.private || need.level !== "read")) {
      if (repository.private) throw notFound();
      throw refuse(403, "Resource not accessible by integration");
    }
    // What everybody may read takes no permission.
    const open = !repository.private && need.level === "read" && need.role === "read";
    if (!open && !need.anyOf.some((name) => grants(actor.permissions[name], need.level) || isFree(name, need.level))) {
      throw lacking("integration", need);
    }
    return repository;
  }
  if (actor.kind === "app") throw refuse(401, "A JSON web token could not be decoded");
  const role = roleIn(call, repository);
  if (role === "none") throw notFound();
  if (actor.kind === "anonymous") {
    if (need.level !== "read") throw refuse(401, "Requires authentication");
    return repository;
  }
  if (actor.permissions !== null) {
    const { permissions } = actor;
    if (repository.private && Object.keys(permissions).length === 0) throw notFound();
    const open = !repository.private && need.level === "read" && need.role === "read";
    if (!open && !need.anyOf.some((name) => grants(permissions[name], need.level) || isFree(name, need.level))) {
      throw lacking("personal access token", need);
    }
    if (!roleAtLeast(role, need.role)) throw lacking("personal access token", need);
    return repository;
  }
  // A classic token without the scope sees what everybody sees.
  const scoped = actor.scopes.includes("repo") || (!repository.private && actor.scopes.includes("public_repo"));
  if (!scoped && (repository.private || need.level !== "read")) throw notFound();
  if (!roleAtLeast(role, need.role)) throw refuse(403, "Must have admin rights to Repository.");
  return repository;
}

/** 301 for a repository that has another name now, for who may see it; 307 for what is to be sent again as it is. */
function movedOrMissing(call: Call, need: Need): Refusal {
  const [owner, name] = [param(call, "owner").toLowerCase(), param(call, "repo").toLowerCase()];
  const named = (each: Repository) => each.formerNames.some((former) => former.toLowerCase() === name);
  const now = [...call.world.repositories.values()].find((each) => each.owner.toLowerCase() === owner && named(each));
  if (now === undefined) return notFound();
  repositoryOf({ ...call, params: new Map([...call.params, ["owner", now.owner], ["repo", now.name]]) }, need);
  const rest = call.path.split("/").slice(4).join("/");
  const query = call.query.size === 0 ? "" : `?${call.query.toString()}`;
  return moved(
    call.operation.method,
    `${call.world.api}/repositories/${now.id}${rest === "" ? "" : `/${rest}`}${query}`,
  );
}

function moved(method: string, url: string): Refusal {
  const refusal =
    method === "GET" ? refuse(301, "Moved Permanently", { url }) : refuse(307, "Temporary Redirect", { url });
  refusal.answer.headers = { location: url };
  return refusal;
}

/** GitHub tells which permissions would do. */
function lacking(who: string, need: Need): Refusal {
  const refusal = refuse(403, `Resource not accessible by ${who}`);
  const accepted = need.anyOf.map((name) => `${name}=${need.level}`).join("; ");
  refusal.answer.headers = { "x-accepted-github-permissions": accepted };
  return refusal;
}

/** For what GitHub hides from those who may see the rest. */
export function notFoundFor<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof Refusal && error.answer.status === 403) throw notFound();
    throw error;
  }
}

function canSee({ world, actor }: Call, repository: Repository): boolean {
  if (!repository.private) return true;
  if (actor.kind === "installation") return world.covers(actor.installation, repository);
  return actor.kind === "user" && world.roleOf(repository, actor.login) !== "none";
}

/** All Apps have `metadata: read`. */
function isFree(name: string, level: Level): boolean {
  return name === "metadata" && level === "read";
}

function grants(held: Level | undefined, needed: Level): boolean {
  const order: Level[] = ["read", "write", "admin"];
  return held !== undefined && order.indexOf(held) >= order.indexOf(needed);
}

/** The issue or pull request of a call; 301 where it has moved, 410 where it was deleted. */
export function itemOf(call: Call, repository: Repository, name = "issue_number"): Item {
  const number = numberParam(call, name);
  const item = repository.items.get(number);
  if (item === undefined) throw notFound();
  if (call.operation.method === "GET" && call.world.lags.hides(item, number)) throw notFound();
  if (item.gone?.kind === "deleted") throw refuse(410, "This issue was deleted");
  if (item.gone?.kind === "transferred") {
    const to = call.world.repositories.get(item.gone.repositoryId);
    if (to === undefined) throw notFound();
    const rest = call.path.slice(call.path.indexOf(`/issues/${number}`) + `/issues/${number}`.length);
    const url = `${call.world.api}/repositories/${to.id}/issues/${item.gone.number}${rest}`;
    throw moved("GET", url);
  }
  return item;
}

export function pullOf(call: Call, repository: Repository): Item & { pull: NonNullable<Item["pull"]> } {
  const item = repository.items.get(numberParam(call, "pull_number"));
  if (!isPull(item)) throw notFound();
  return item;
}

export function isPull(item: Item | undefined): item is Item & { pull: NonNullable<Item["pull"]> } {
  return item !== undefined && item.pull !== null;
}
