import type { Config } from "../../config/config.ts";
import { isServed, servedName } from "../../config/served-repositories.ts";
import type { Provider } from "../../domain/issue.ts";
import type { Db } from "../../storage/db.ts";
import { findStableRepository } from "../../storage/repositories.ts";

/** A project as an event names it. */
export interface ToldProject {
  externalProjectId: string;
  /** The tracker's own id, which survives renames. */
  stableProjectId?: string | null | undefined;
}

/**
 * Whether Relay works in a project: by its name, or because it is one that Relay knows under another name. The database
 * is asked only where the name is none of the configured ones.
 */
export async function isServedProject(
  provider: Provider,
  { externalProjectId, stableProjectId }: ToldProject,
  { config, db }: { config: Pick<Config, "repositories">; db: () => Db },
): Promise<boolean> {
  if (isServed(externalProjectId, config)) return true;
  if (stableProjectId == null) return false;
  const known = await findStableRepository(db(), provider, stableProjectId);
  return known !== null && servedName(known, config) !== null;
}
