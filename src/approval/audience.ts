import { staysNeutral } from "../domain/confidential.ts";
import type { Issue } from "../domain/issue.ts";
import type { Projects } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import type { Db } from "../storage/db.ts";
import { getIssue, setConfidential } from "../storage/issues.ts";
import { setPrivate } from "../storage/repositories.ts";

/** The issue, with who reads its repository now: a request only where that matters. */
export async function withAudience(
  issue: Issue,
  { db, codeHost }: { db: Db; codeHost: Pick<Projects, "getProject"> },
): Promise<Issue> {
  if (!issue.confidential) return issue;
  const { isPrivate } = await codeHost.getProject(issue.externalProjectId);
  await setPrivate(db, issue.repositoryId, isPrivate);
  return { ...issue, repositoryPrivate: isPrivate };
}

/**
 * Whether an issue whose words went into its commits became confidential since, or its repository readable by more
 * people: then they must not be pushed (R-SAFE-11).
 */
export async function becameConfidential(
  issue: Issue,
  { db, tracker, codeHost }: { db: Db; tracker: Tracker; codeHost: Pick<Projects, "getProject"> },
): Promise<boolean> {
  if (!tracker.hasConfidentialIssues || staysNeutral(issue)) return false;
  const { confidential } = await tracker.getIssue(issue);
  await setConfidential(db, issue.id, confidential);
  return staysNeutral(await withAudience(await getIssue(db, issue.id), { db, codeHost }));
}
