/** Words of the paths of trackers' APIs. */
const WORDS: ReadonlySet<string> = new Set(
  `access_tokens all annotations api app approvals assignees award_emoji branches changes check-runs check-suites
   closed_by_pull_requests collaborators comments commits compare contents conversions diffs discussions draft_notes
   events files git graphql groups hooks installation installations issues jobs labels links members merge merge_requests
   notes orgs organizations participants permission pipelines projects pulls raw reactions refs related_merge_requests
   repos repositories repository requested_reviewers resource_label_events reviews search status statuses threads timeline
   trees user users v3 v4 version`.split(/\s+/),
);

/**
 * The path of a call without the names in it: `/repos/{}/{}/issues/{}/comments`. Names of branches, labels and files
 * may be words of people, and there are too many to group calls by.
 */
export function routeOf(path: string): string {
  return path.replaceAll(/[^/]+/g, (part) => (WORDS.has(part) ? part : "{}"));
}
