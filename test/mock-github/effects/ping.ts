import { showUser } from "../present/account.ts";
import { showHook } from "../present/hook.ts";
import { showRepository } from "../present/repository.ts";
import type { Hook, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";

/** The first thing that a new hook is told. */
export function tellPing(world: World, repository: Repository, hook: Hook): void {
  world.courier.tellHook(repository, hook, {
    event: "ping",
    action: null,
    repository,
    payload: {
      zen: "Anything added dilutes everything else.",
      hook_id: hook.id,
      hook: showHook(world, repository, hook),
      repository: showRepository(world, repository),
      sender: showUser(world, repository.owner),
    },
  });
}
