import type { Issue } from "../domain/issue.ts";
import { originsOf } from "../domain/text/outgoing-links.ts";
import type { Account } from "../adapters/trackers/tracker.ts";
import type { Db } from "../storage/db.ts";
import { listThread } from "../storage/messages.ts";
import { repositoriesOf } from "../storage/repositories.ts";

/**
 * The origins that links in what Relay writes about an issue may lead to (R-SAFE-7): the tracker's and the repository's,
 * those that people named in the thread, those of the operator's list, and `own` addresses of Relay.
 */
export async function originsIn(
  issue: Issue,
  db: Db,
  { linked = [] }: Pick<Account, "linked">,
  own: readonly (string | null)[] = [],
): Promise<Set<string>> {
  const [{ cloneSource }] = await repositoriesOf(db, issue);
  return originsOf(issue, await listThread(db, issue.id), [cloneSource, ...linked, ...own]);
}
