import { isPull } from "../http/rights.ts";
import type { Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Doer, tell, touch } from "./doer.ts";
import { tellItem } from "./issues.ts";

/** New commits on a branch, and on the pull requests that it is the head of. */
export function push(world: World, repository: Repository, by: Doer, branch: string, sha = world.newSha()): string {
  const before = repository.branches.get(branch) ?? "0".repeat(40);
  repository.branches.set(branch, sha);
  for (const item of repository.items.values()) {
    if (!isPull(item) || item.pull.head !== branch || item.state !== "open") continue;
    if (item.pull.headRepository !== repository.id) continue;
    item.pull.headSha = sha;
    const place = { world, repository, item };
    touch(place);
    tellItem(place, by, "synchronize", { before, after: sha });
  }
  return sha;
}

export function writeFile(
  world: World,
  repository: Repository,
  by: Doer,
  { branch, path, content }: { branch: string; path: string; content: string | null },
): string {
  // Until now the branch had what the default one has.
  const files = new Map(repository.files.get(branch) ?? repository.files.get(repository.defaultBranch));
  if (content === null) files.delete(path);
  else files.set(path, content);
  repository.files.set(branch, files);
  return push(world, repository, by, branch);
}

export function renameRepository(world: World, repository: Repository, by: Doer, name: string): void {
  const from = repository.name;
  repository.formerNames.push(from);
  for (const { repositories } of world.installationsOf(repository)) {
    if (repositories !== "all") repositories.splice(repositories.indexOf(from), 1, name);
  }
  repository.name = name;
  tell({ world, repository }, by, "repository", "renamed", () => ({ changes: { repository: { name: { from } } } }));
}
