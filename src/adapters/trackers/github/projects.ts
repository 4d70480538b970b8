import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { Projects } from "../code-host.ts";
import { type Member, type Permission, type Tracker, PERMISSIONS } from "../tracker.ts";
import { read } from "./api-schemas.ts";
import { branchExists, readFile } from "./code.ts";
import { type RepositoryCall, getRepository, isLogin } from "./repository.ts";

const PAGE = 100;
const MOST_PAGES = 10;

/** A person's role in a repository. Custom roles of an organisation are each based on one of GitHub's. */
const role = z
  .object({
    role_name: z.string().optional(),
    permission: z.string().optional(),
    permissions: z.record(z.string(), z.boolean()).optional(),
  })
  .transform(({ role_name, permission, permissions }): Permission => {
    const given = PERMISSIONS.find((known) => known === role_name);
    return given ?? PERMISSIONS.find((known) => known === permission) ?? highest(permissions ?? {});
  });
const member = z.object({ login: z.string() }).and(role.transform((permission) => ({ permission })));

/** Whose permission it is. */
const permissionOwner = z.object({ user: z.object({ id: z.number() }).nullish() });

/** Repositories, their people and their code. */
export function githubProjects(
  call: RepositoryCall,
): Projects & Pick<Tracker, "permissionOf" | "accountIdOf" | "isBot" | "listMembers"> {
  return {
    getProject: async (project) => {
      const found = await getRepository(call, project);
      return {
        externalProjectId: found.full_name,
        stableId: String(found.id),
        defaultBranch: found.default_branch,
        cloneUrl: found.clone_url,
        url: found.html_url ?? null,
        isPrivate: found.private ?? false,
      };
    },
    permissionOf: async (project, login) => {
      const answer = isLogin(login)
        ? await unlessMissing(call(project, { method: "GET", path: `/collaborators/${login}/permission` }))
        : null;
      if (answer !== null) return read(role, answer.body, `the permission of ${login} in ${project}`);
      // Either the person or the repository does not exist.
      await getRepository(call, project);
      return "none";
    },
    accountIdOf: async (project, login) => {
      if (!isLogin(login)) return null;
      const answer = await unlessMissing(call(project, { method: "GET", path: `/collaborators/${login}/permission` }));
      if (answer === null) return null;
      const { user } = read(permissionOwner, answer.body, `the account of ${login}`);
      return user?.id === undefined ? null : String(user.id);
    },
    // GitHub says so with each comment.
    isBot: async () => await Promise.resolve(false),
    listMembers: async (project) => {
      const members: Member[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const query = { per_page: PAGE, page };
        const answer = await call(project, { method: "GET", path: "/collaborators", query });
        members.push(...read(z.array(member), answer.body, `the members of ${project}`));
        if (answer.next === null) break;
      }
      return members;
    },
    branchExists: async (project, branch) => await branchExists(call, project, branch),
    readFile: async (project, path) => await readFile(call, project, path),
  };
}

/** GitHub's older names for permissions: `pull` for read, `push` for write. */
function highest(permissions: Record<string, boolean>): Permission {
  const names: Record<string, boolean> = {
    ...permissions,
    read: permissions["pull"] ?? false,
    write: permissions["push"] ?? false,
  };
  return PERMISSIONS.findLast((known) => names[known] === true) ?? "none";
}
