import { type Call, pages } from "../pages.ts";
import { sameLogin } from "../../../domain/login.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { Projects } from "../code-host.ts";
import type { Member, Permission, Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { projectPath } from "./calls.ts";

const PAGE = 100;
const MOST_PAGES = 10;

/** GitLab's roles, highest first. A custom role has the number of the role that it is based on. */
const ROLES: readonly [level: number, permission: Permission][] = [
  [50, "admin"], // Owner
  [40, "maintain"], // Maintainer
  [30, "write"], // Developer
  [15, "triage"], // Reporter is 20, Planner 15
  [10, "read"], // Guest
];

/** Projects, their people and their code. */
export function gitlabProjects(call: Call): Projects & Pick<Tracker, "permissionOf" | "listMembers"> {
  return {
    getProject: async (project) => await getProject(call, project),
    permissionOf: async (project, login) => {
      const id = await findUser(call, login);
      const path = `${projectPath(project)}/members/all/${id ?? 0}`;
      const answer = id === null ? null : await unlessMissing(call({ method: "GET", path }));
      if (answer !== null) return permission(read(answers.member, answer.body, `${login} in ${project}`));
      // Either the member or the project does not exist.
      await getProject(call, project);
      return "none";
    },
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

/** The numeric id of a user, which GitLab's API needs; null if there is no such login. */
export async function findUser(call: Call, login: string): Promise<number | null> {
  if (!/^[\w.-]{1,255}$/.test(login)) return null;
  const { body } = await call({ method: "GET", path: "/users", query: { username: login } });
  return (
    read(z.array(answers.user), body, `the user ${login}`).find((one) => sameLogin(one.username, login))?.id ?? null
  );
}

/** The current role of a user, direct or inherited from a group; none for blocked users. */
export function permission({ access_level: level, state }: z.infer<typeof answers.member>): Permission {
  if (state !== undefined && state !== "active") return "none";
  return ROLES.find(([least]) => level >= least)?.[1] ?? "none";
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
