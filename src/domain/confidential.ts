import type { Issue } from "./issue.ts";

/**
 * Whether more people can read the repository than the issue: branches, commits and requests then say no more of the
 * issue than its number (R-SAFE-11). Who reads the code of a private repository may read its confidential issues too.
 */
export function staysNeutral(issue: Pick<Issue, "confidential" | "repositoryPrivate">): boolean {
  return issue.confidential && !issue.repositoryPrivate;
}

/** The title of the request of an issue that stays neutral. */
export function neutralTitle(issueNumber: number): string {
  return `Fix #${issueNumber}`;
}
