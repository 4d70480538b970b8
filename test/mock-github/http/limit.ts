import type { World } from "../world/world.ts";
import type { Actor } from "./call.ts";

/** Whose requests are counted together; null for those that nobody signed. */
export function ownerOf(world: World, actor: Actor): string | null {
  switch (actor.kind) {
    case "anonymous":
      return null;
    case "app":
      return `app ID ${actor.app.id}`;
    case "user":
      return `user ID ${world.account(actor.login).id}`;
    default:
      return `installation ID ${actor.installation.id}`;
  }
}
