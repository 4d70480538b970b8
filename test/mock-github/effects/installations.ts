import { showUser } from "../present/account.ts";
import { showInstallation } from "../present/app.ts";
import { nodeId } from "../present/ids.ts";
import type { App, Installation } from "../world/entities.ts";
import type { World } from "../world/world.ts";

type Covered = Installation["repositories"];

export function install(world: World, appId: number, account: string, repositories: Covered): Installation {
  const app = world.apps.get(appId);
  if (app === undefined) throw new Error(`the mock has no App ${appId}`);
  const installation: Installation = {
    id: world.nextId(),
    appId,
    account: world.account(account).login,
    repositories,
    permissions: app.permissions,
    suspendedAt: null,
    createdAt: world.now(),
  };
  world.installations.set(installation.id, installation);
  tell(world, installation, "installation", "created", { repositories: showNames(world, installation) });
  return installation;
}

export function uninstall(world: World, id: number): void {
  const installation = find(world, id);
  tell(world, installation, "installation", "deleted", { repositories: showNames(world, installation) });
  world.installations.delete(id);
}

export function suspend(world: World, id: number, suspended: boolean): void {
  const installation = find(world, id);
  installation.suspendedAt = suspended ? world.now() : null;
  tell(world, installation, "installation", suspended ? "suspend" : "unsuspend", {});
}

/** What is taken away is gone from tokens at once; what is given comes with new tokens only. */
export function changePermissions(world: World, id: number, permissions: Installation["permissions"]): void {
  const installation = find(world, id);
  installation.permissions = permissions;
  for (const grant of world.tokens.values()) {
    if (grant.kind !== "installation" || grant.installationId !== id) continue;
    const held = Object.entries(grant.permissions);
    grant.permissions = Object.fromEntries(
      held.flatMap(([name, level]) =>
        permissions[name] === undefined ? [] : [[name, lower(level, permissions[name])]],
      ),
    );
  }
  tell(world, installation, "installation", "new_permissions_accepted", {});
}

function lower<L extends string>(one: L, other: L): L {
  return one === "read" || other === "read" ? (one === "read" ? one : other) : one;
}

export function changeRepositories(world: World, id: number, add: string[], remove: string[]): void {
  const installation = find(world, id);
  const before = installation.repositories === "all" ? [] : installation.repositories;
  const names = (some: string[]) => showNames(world, { ...installation, repositories: some });
  const removed = names(remove);
  installation.repositories = [...before.filter((name) => !remove.includes(name)), ...add];
  const what = { repository_selection: "selected", requester: null };
  const added = names(add);
  if (add.length > 0) {
    const more = { ...what, repositories_added: added, repositories_removed: [] };
    tell(world, installation, "installation_repositories", "added", more);
  }
  if (remove.length > 0) {
    const more = { ...what, repositories_added: [], repositories_removed: removed };
    tell(world, installation, "installation_repositories", "removed", more);
  }
}

function find(world: World, id: number): Installation {
  const installation = world.installations.get(id);
  if (installation === undefined) throw new Error(`the mock has no installation ${id}`);
  return installation;
}

function tell(
  world: World,
  installation: Installation,
  event: string,
  action: string,
  more: Record<string, unknown>,
): void {
  const app: App | undefined = world.apps.get(installation.appId);
  if (app === undefined) return;
  const shown = showInstallation(world, installation);
  const payload = { installation: shown, ...more, sender: showUser(world, installation.account) };
  world.courier.tellApp(app, { event, action, repository: null, installation, payload });
}

function showNames(world: World, installation: Installation) {
  return [...world.repositories.values()]
    .filter((each) => world.covers(installation, each))
    .map((each) => ({
      id: each.id,
      node_id: nodeId("repository", each.id),
      name: each.name,
      full_name: `${each.owner}/${each.name}`,
      private: each.private,
    }));
}
