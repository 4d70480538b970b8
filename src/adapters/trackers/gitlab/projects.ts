import { type Call, pages } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { Projects } from "../code-host.ts";
import type { Member, Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { projectPath } from "./calls.ts";
import { type GitlabPeople, permission } from "./people.ts";

const PAGE = 100;
const MOST_PAGES = 10;

/** Projects, their people and their code. */
export function gitlabProjects(
  call: Call,
  people: GitlabPeople,
): Projects & Pick<Tracker, "permissionOf" | "accountIdOf" | "isBot" | "listMembers"> {
  return {
    getProject: async (project) => await getProject(call, project),
    permissionOf: people.permissionOf,
    accountIdOf: async (_project, login) => await people.accountIdOf(login),
    isBot: people.isBot,
    listMembers: async (project) => {
      const members: Member[] = [];
      const first = { method: "GET", path: `${projectPath(project)}/members/all`, query: { per_page: PAGE } } as const;
      for await (const body of pages(call, first, MOST_PAGES)) {
        const found = read(z.array(answers.member), body, `the members of ${project}`);
        members.push(...found.map((one) => ({ login: one.username, permission: permission(one) })));
      }
      return members.filter((one) => one.permission !== "none");
    },
    ...gitlabCode(call),
  };
}

async function getProject(call: Call, project: string) {
  const { body } = await call({ method: "GET", path: projectPath(project) });
  const found = read(answers.project, body, `the project ${project}`);
  return {
    externalProjectId: found.path_with_namespace,
    stableId: String(found.id),
    defaultBranch: found.default_branch ?? "main",
    cloneUrl: found.http_url_to_repo,
    url: found.web_url ?? null,
    isPrivate: found.visibility === "private",
  };
}

const LARGEST_FILE = 1024 * 1024;

/** Branches and files that are read from GitLab rather than from a mirror. */
function gitlabCode(call: Call): Pick<Projects, "branchExists" | "readFile"> {
  return {
    branchExists: async (project, branch) => {
      if (branch === "") return false;
      const path = `${projectPath(project)}/repository/branches/${encodeURIComponent(branch)}`;
      return (await unlessMissing(call({ method: "GET", path }))) !== null;
    },
    readFile: async (project, path) => {
      const place = `${projectPath(project)}/repository/files/${encodeURIComponent(path)}/raw`;
      const request = {
        method: "GET",
        path: place,
        query: { ref: "HEAD" },
        as: "text",
        maxBytes: LARGEST_FILE,
      } as const;
      const answer = await unlessMissing(call(request));
      return typeof answer?.body === "string" ? answer.body : null;
    },
  };
}
