import { notFound } from "../answer.ts";
import { page } from "../paging.ts";
import { PAGES, get, need, part, projectOf, type Route } from "../route.ts";
import { branchShape } from "../shapes/project.ts";

export const repository: Route[] = [
  get("/projects/{id}/repository/branches", ["search", "regex", ...PAGES], (call) => {
    const project = projectOf(call);
    return page(call, [...project.branches], ([name, commit]) => branchShape(name, commit, project, call.world.origin));
  }),
  get("/projects/{id}/repository/branches/{branch}", [], (call) => {
    const project = projectOf(call);
    const commit = project.branches.get(part(call, "branch"));
    if (commit === undefined) throw notFound("Branch");
    return { status: 200, json: branchShape(part(call, "branch"), commit, project, call.world.origin) };
  }),
  get("/projects/{id}/repository/files/{file_path}/raw", ["ref", "lfs"], (call) => {
    const project = projectOf(call);
    // Code of a private project is not for guests.
    if (project.visibility === "private") need(call, project, 15);
    const ref = call.query.get("ref") ?? "HEAD";
    const branch = ref === "HEAD" ? "main" : ref;
    if (!project.branches.has(branch)) throw notFound("Commit");
    const text = project.files.get(`${branch}:${part(call, "file_path")}`);
    if (text === undefined) throw notFound("File");
    return { status: 200, text, headers: { "content-type": "text/plain; charset=utf-8" } };
  }),
];
