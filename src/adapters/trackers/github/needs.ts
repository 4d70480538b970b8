/**
 * Permissions of Relay's App: read the repository, comment on issues and pull requests, push branches, open pull
 * requests and read checks. Not `workflows`: Relay's branches never change those.
 */
export const NEEDED_PERMISSIONS: Readonly<Record<string, "read" | "write">> = {
  metadata: "read",
  issues: "write",
  contents: "write",
  pull_requests: "write",
  checks: "read",
  statuses: "read",
};

/** Webhook events that Relay needs. */
export const NEEDED_EVENTS: readonly string[] = [
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "pull_request_review_comment",
  "check_suite",
  "status",
];

/** Events that a new App subscribes to besides these: without them, Relay sees only hourly what a push changed. */
export const USEFUL_EVENTS: readonly string[] = ["push"];

/** The missing permissions: `issues: write`, … */
export function lackingPermissions(granted: Readonly<Record<string, string>>): string[] {
  const levels = ["none", "read", "write", "admin"];
  return Object.entries(NEEDED_PERMISSIONS)
    .filter(([name, needed]) => levels.indexOf(granted[name] ?? "none") < levels.indexOf(needed))
    .map(([name, needed]) => `${name}: ${needed}`);
}

export function lackingEvents(subscribed: readonly string[]): string[] {
  return subscribed.includes("*") ? [] : NEEDED_EVENTS.filter((event) => !subscribed.includes(event));
}
