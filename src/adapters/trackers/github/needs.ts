/**
 * What Relay's App may do in a repository: read it, talk in its issues and pull requests, push branches and open pull
 * requests, and see what checks say. Not `workflows`: no branch of Relay's changes those.
 */
export const NEEDED_PERMISSIONS: Readonly<Record<string, "read" | "write">> = {
  metadata: "read",
  issues: "write",
  contents: "write",
  pull_requests: "write",
  checks: "read",
  statuses: "read",
};

/** What GitHub has to tell Relay of. */
export const NEEDED_EVENTS: readonly string[] = [
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "pull_request_review_comment",
  "check_suite",
  "status",
];

/** `issues: write`, … for what is not granted. */
export function lackingPermissions(granted: Readonly<Record<string, string>>): string[] {
  const levels = ["none", "read", "write", "admin"];
  return Object.entries(NEEDED_PERMISSIONS)
    .filter(([name, needed]) => levels.indexOf(granted[name] ?? "none") < levels.indexOf(needed))
    .map(([name, needed]) => `${name}: ${needed}`);
}

export function lackingEvents(subscribed: readonly string[]): string[] {
  return subscribed.includes("*") ? [] : NEEDED_EVENTS.filter((event) => !subscribed.includes(event));
}
