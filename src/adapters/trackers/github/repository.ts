import type { Call } from "../pages.ts";
import { missing } from "../missing.ts";
import type { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { TrackerResponse } from "../http/http.ts";
import type { Access } from "./access.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";

/** A call about one repository. The path is relative to the repository's, or the full URL of a next page. */
export type RepositoryCall = (project: string, request: Parameters<Call>[0]) => Promise<TrackerResponse>;

/** Sends calls for a repository with the credential that has access to it. */
export function repositoryCalls(access: Pick<Access, "callFor">): RepositoryCall {
  return async (project, request) => {
    const root = pathOf(project);
    const call = await access.callFor(project);
    return await call(
      request.path.startsWith("https:") || request.path.startsWith("http:")
        ? request
        : { ...request, path: `${root}${request.path}` },
    );
  };
}

/**
 * `/repos/owner/name`. Invalid names are rejected without a call: one like `..` would change the URL's target.
 *
 * @throws RelayError `not_found`
 */
export function pathOf(project: string): string {
  const [owner = "", name = "", ...rest] = project.split("/");
  const isName = /^[\w.-]{1,100}$/.test(name) && name !== "." && name !== "..";
  if (!isLogin(owner) || !isName || rest.length > 0) {
    throw missing(`there is no GitHub repository ${JSON.stringify(project)}; they are called owner/name`);
  }
  return `/repos/${owner}/${name}`;
}

/** The number of an issue; `not_found` if it is invalid. */
export function numberOf(address: IssueAddress): string {
  const { externalIssueId, externalProjectId } = address;
  if (/^[1-9]\d{0,9}$/.test(externalIssueId)) return externalIssueId;
  throw missing(`there is no issue ${JSON.stringify(externalIssueId)} in ${externalProjectId}`);
}

/** The id of a comment; `not_found` if it is invalid. */
export function commentIdOf(id: string): string {
  if (/^[1-9]\d{0,18}$/.test(id)) return id;
  throw missing(`there is no comment ${JSON.stringify(id)} on GitHub`);
}

/** Whether it is a possible login of a person, bot or organisation. */
export function isLogin(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}(\[bot\])?$/.test(text);
}

/** @throws RelayError `not_found` */
export async function getRepository(
  call: RepositoryCall,
  project: string,
): Promise<z.infer<typeof answers.repository>> {
  const { body } = await call(project, { method: "GET", path: "" });
  return read(answers.repository, body, `the repository ${project}`);
}
