import { showUser } from "../present/account.ts";
import { showIssue } from "../present/issue.ts";
import { showRepository } from "../present/repository.ts";
import type { Item, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";

/** Who does something, and through which App. */
export interface Doer {
  login: string;
  appId: number | null;
}

export const person = (login: string): Doer => ({ login, appId: null });

/** Where something happens. */
export interface Place {
  world: World;
  repository: Repository;
  item: Item;
}

/** Tells the hooks of something in a repository. */
export function tell(
  { world, repository }: Pick<Place, "world" | "repository">,
  by: Doer,
  event: string,
  action: string | null,
  payload: () => Record<string, unknown>,
): void {
  world.courier.tell(repository, event, () => ({
    event,
    action,
    repository,
    payload: {
      ...payload(),
      repository: showRepository(world, repository),
      ...(world.account(repository.owner).type === "Organization"
        ? { organization: showOrganization(world, repository) }
        : {}),
      sender: showUser(world, by.login),
    },
  }));
}

function showOrganization(world: World, repository: Repository) {
  const { login, id, node_id, avatar_url } = showUser(world, repository.owner);
  const url = `${world.api}/orgs/${login}`;
  return {
    login,
    id,
    node_id,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url,
    description: null,
  };
}

/** Tells of an issue. */
export function tellIssue(place: Place, by: Doer, action: string, more: Record<string, unknown> = {}): void {
  const { world, repository, item } = place;
  tell(place, by, "issues", action, () => ({ issue: showIssue(world, repository, item), ...more }));
}

/** The time that something of it last changed. */
export function touch({ world, item }: Place): void {
  item.updatedAt = world.now();
}
