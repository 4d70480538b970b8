import type { App, Installation } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { showUser } from "./account.ts";
import { nodeId, time, timeOrNull } from "./ids.ts";

export function showApp(world: World, app: App) {
  return {
    id: app.id,
    client_id: app.clientId,
    slug: app.slug,
    node_id: nodeId("app", app.id),
    owner: showUser(world, app.owner),
    name: app.name,
    description: "",
    external_url: "https://example.com",
    html_url: `${world.html}/apps/${app.slug}`,
    created_at: time(app.createdAt),
    updated_at: time(app.createdAt),
    permissions: app.permissions,
    events: app.events,
  };
}

export function showInstallation(world: World, installation: Installation) {
  const app = world.apps.get(installation.appId);
  const account = world.account(installation.account);
  return {
    id: installation.id,
    client_id: app?.clientId ?? "",
    account: showUser(world, account.login),
    repository_selection: installation.repositories === "all" ? "all" : "selected",
    access_tokens_url: `${world.api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${world.api}/installation/repositories`,
    html_url: `${world.html}/settings/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app?.slug ?? "",
    target_id: account.id,
    target_type: account.type,
    permissions: { metadata: "read", ...installation.permissions },
    events: app?.events ?? [],
    created_at: time(installation.createdAt),
    updated_at: time(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: timeOrNull(installation.suspendedAt),
  };
}
