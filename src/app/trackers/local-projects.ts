import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Repositories } from "../code/repositories.ts";
import type { Database } from "../../storage/db.ts";
import { connectRepository, findRepositoryAt } from "../../storage/repositories.ts";
import type { People } from "../../adapters/trackers/local/people.ts";

interface LocalProjectDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  codes: Repositories;
  people: People;
  bot: string;
  /** Login of the person running this program. */
  operator: string;
  workspace: string;
}

/** Registers the repository in a directory, with its people; returns its name in the local tracker. */
export async function connectLocalProject(directory: string, deps: LocalProjectDeps): Promise<string> {
  const { db, people, bot, operator } = deps;
  const root = await realpath((await deps.codes.inDirectory(directory)).root);
  // Two commands at once must not give one directory two names.
  return await db.withPlainLock("local projects", async () => {
    const known = await findRepositoryAt(db, root);
    const name = known?.externalProjectId ?? (await freeName(people, basename(root)));
    await people.createProject(name);
    await people.setMember(name, bot, "write", true);
    await people.setMember(name, operator, "admin");
    await connectRepository(
      db,
      {
        workspace: deps.workspace,
        provider: "local",
        baseUrl: "local",
        botUsername: bot,
        externalProjectId: name,
        cloneSource: root,
      },
      deps,
    );
    return name;
  });
}

/** Two directories of one name get two names. */
async function freeName(people: People, wanted: string): Promise<string> {
  const taken = new Set(await people.listProjects());
  const base = wanted.replace(/\.git$/, "") || "repository";
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(name)) return name;
  }
}
