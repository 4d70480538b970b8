import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import type { Projects } from "../code-host.ts";
import { projectPath } from "./calls.ts";

const LARGEST_FILE = 1024 * 1024;

/** Branches and files, as far as they are asked of GitLab and not of a mirror. */
export function gitlabCode(call: Call): Pick<Projects, "branchExists" | "readFile"> {
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
