import { TRACKERS } from "../adapters/trackers/registry.ts";
import type { Issue } from "../domain/issue.ts";
import type { TaskRequest } from "../domain/work.ts";

/** How people name a request. */
export function nameOf(
  { url, number }: Pick<TaskRequest, "url" | "number">,
  { provider }: Pick<Issue, "provider">,
): string {
  return url ?? `${TRACKERS[provider].requestSign}${number}`;
}
