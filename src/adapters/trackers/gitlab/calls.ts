import { createHash } from "node:crypto";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { TrackerHttp, TrackerRequest, TrackerResponse } from "../http/http.ts";

/** A call in the name of Relay's token. */
export type Call = (request: Omit<TrackerRequest, "quota">) => Promise<TrackerResponse>;

/** Calls that count against the limits of one token. */
export function callsOf(http: TrackerHttp, quota: string): Call {
  return async (request) => await http({ ...request, quota });
}

/** Tells the limits of tokens apart without telling the tokens. */
export function quotaOf(apiUrl: string, token: string): string {
  return `gitlab:${apiUrl}:${createHash("sha256").update(token).digest("hex").slice(0, 16)}`;
}

/**
 * `/projects/group%2Fsub%2Fname`. What can be no project is not asked for.
 *
 * @throws RelayError `not_found`
 */
export function projectPath(project: string): string {
  const names = project.split("/");
  const fits = names.length > 1 && names.every((name) => /^[\w.-]{1,255}$/.test(name) && !/^\.{1,2}$/.test(name));
  if (!fits) throw missing(`there is no GitLab project ${JSON.stringify(project)}; they are called group/name`);
  return `/projects/${encodeURIComponent(project)}`;
}

/** @throws RelayError `not_found` for what is no number of an issue */
export function issuePath({ externalProjectId, externalIssueId }: IssueAddress): string {
  if (/^[1-9]\d{0,8}$/.test(externalIssueId)) return `${projectPath(externalProjectId)}/issues/${externalIssueId}`;
  throw missing(`there is no issue ${JSON.stringify(externalIssueId)} in ${externalProjectId}`);
}

/** @throws RelayError `not_found` for what is no number of a merge request */
export function requestPath(project: string, number: number): string {
  if (Number.isSafeInteger(number) && number > 0) return `${projectPath(project)}/merge_requests/${number}`;
  throw missing(`there is no merge request ${number} in ${project}`);
}

/** @throws RelayError `not_found` for what is no id of a note */
export function notePath(address: IssueAddress, commentId: string): string {
  if (/^[1-9]\d{0,18}$/.test(commentId)) return `${issuePath(address)}/notes/${commentId}`;
  throw missing(`there is no comment ${JSON.stringify(commentId)} on ${nameOf(address)}`);
}

/** @throws RelayError `not_found` for what is no id of a thread */
export function threadPath(address: IssueAddress, threadId: string): string {
  if (/^[0-9a-f]{40}$/.test(threadId)) return `${issuePath(address)}/discussions/${threadId}`;
  throw missing(`there is no thread ${JSON.stringify(threadId)} on ${nameOf(address)}`);
}

export function nameOf(address: IssueAddress): string {
  return `${address.externalProjectId}#${address.externalIssueId}`;
}

export function missing(message: string): RelayError {
  return new RelayError("not_found", message, { status: 404 });
}

/** The answer; null where GitLab says that there is nothing. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RelayError && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * The answers of a list, page after page, until there is no next one or `most` were read. Each page is asked for only
 * when it is wanted.
 */
export async function* pages(call: Call, first: Parameters<Call>[0], most: number): AsyncGenerator {
  let request = first;
  for (let page = 0; page < most; page += 1) {
    const answer = await call(request);
    yield answer.body;
    if (answer.next === null) return;
    request = { method: "GET", path: answer.next };
  }
}

export function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
