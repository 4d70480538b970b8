import type { Call } from "../pages.ts";
import { missing } from "../missing.ts";
import { isOfPullRequest } from "../../../domain/event.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { TrackerHttp } from "../http/http.ts";
import { sha256Of } from "../../../lib/sha256.ts";

/** Calls that count against the limits of one token. */
export function callsOf(http: TrackerHttp, quota: string): Call {
  return async (request) => await http({ ...request, quota });
}

/** Distinguishes the limits of tokens without revealing the tokens. */
export function quotaOf(apiUrl: string, token: string): string {
  return `gitlab:${apiUrl}:${sha256Of(token).slice(0, 16)}`;
}

/** GitLab hides a project from those who are no members (any more). */
export function lostAccess({ status, said }: { status: number; said: string }) {
  const lost = status === 404 ? /project not found/i.test(said) : status === 403 && /forbidden|scope/i.test(said);
  return lost ? { needs: null } : null;
}

/**
 * `/projects/group%2Fsub%2Fname`. Invalid names are rejected without a call.
 *
 * @throws RelayError `not_found`
 */
export function projectPath(project: string): string {
  const names = project.split("/");
  const fits = names.length > 1 && names.every((name) => /^[\w.-]{1,255}$/.test(name) && !/^\.{1,2}$/.test(name));
  if (!fits) throw missing(`there is no GitLab project ${JSON.stringify(project)}; they are called group/name`);
  return `/projects/${encodeURIComponent(project)}`;
}

/** @throws RelayError `not_found` for an invalid issue number */
export function issuePath({ externalProjectId, externalIssueId }: IssueAddress): string {
  if (/^[1-9]\d{0,8}$/.test(externalIssueId)) return `${projectPath(externalProjectId)}/issues/${externalIssueId}`;
  throw missing(`there is no issue ${JSON.stringify(externalIssueId)} in ${externalProjectId}`);
}

/** @throws RelayError `not_found` for an invalid merge request number */
export function requestPath(project: string, number: number): string {
  if (Number.isSafeInteger(number) && number > 0) return `${projectPath(project)}/merge_requests/${number}`;
  throw missing(`there is no merge request ${number} in ${project}`);
}

/** The path of an issue, or of a merge request where the address is one's. */
export function placeOf(address: IssueAddress): string {
  if (!isOfPullRequest(address)) return issuePath(address);
  return requestPath(address.externalProjectId, Number(address.externalIssueId.slice(1)));
}

/** @throws RelayError `not_found` for an invalid note id */
export function notePath(address: IssueAddress, commentId: string): string {
  if (/^[1-9]\d{0,18}$/.test(commentId)) return `${placeOf(address)}/notes/${commentId}`;
  throw missing(`there is no comment ${JSON.stringify(commentId)} on ${nameOf(address)}`);
}

/** @throws RelayError `not_found` for an invalid thread id */
export function threadPath(address: IssueAddress, threadId: string): string {
  if (/^[0-9a-f]{40}$/.test(threadId)) return `${issuePath(address)}/discussions/${threadId}`;
  throw missing(`there is no thread ${JSON.stringify(threadId)} on ${nameOf(address)}`);
}

/** Kinds of work items that are numbered and handled like issues; others are parts of issues, or plans. */
const ISSUE_TYPES = new Set(["issue", "incident", "task", "ticket"]);

/** Whether Relay handles a work item of this type like an issue; older versions send none. */
export function isIssueType(type: string | null | undefined): boolean {
  return !type || ISSUE_TYPES.has(type.toLowerCase());
}

export function nameOf(address: IssueAddress): string {
  return `${address.externalProjectId}#${address.externalIssueId}`;
}
