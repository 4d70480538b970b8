import { z } from "zod";
import type { World } from "./changes.ts";
import { Refusal, forbidden, notFound, type Answer } from "./answer.ts";
import {
  type AccessLevel,
  type Issue,
  type MergeRequest,
  type Note,
  type Noteable,
  type Project,
  type User,
  findProject,
  levelOf,
} from "./state.ts";

/** A request that was understood. */
export interface Call {
  world: World;
  user: User;
  /** Of the token that it came with. */
  scopes: string[];
  /** The parts of the path that the route names, decoded. */
  parts: Record<string, string>;
  query: URLSearchParams;
  /** Whether nothing is to change. */
  reads: boolean;
  /** The address that was asked for, for `Link` headers. */
  url: URL;
}

/** One operation, with what GitLab's description lets a request hold. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v4`, with `{names}`. */
  path: string;
  query: readonly string[];
  body: z.ZodType<Record<string, unknown>> | null;
  answer: (call: Call, body: unknown) => Answer | Promise<Answer>;
}

type Handler = (call: Call) => Answer | Promise<Answer>;

export const PAGES = ["page", "per_page"] as const;

export function get(path: string, query: readonly string[], answer: Handler): Route {
  return { method: "GET", path, query, body: null, answer };
}

export function remove(path: string, answer: Handler): Route {
  return { method: "DELETE", path, query: [], body: null, answer };
}

/** A route that takes a body. What the description does not name is a violation, and is not looked at. */
export function write<S extends z.ZodRawShape>(
  method: "POST" | "PUT",
  path: string,
  shape: S,
  answer: (call: Call, body: z.output<z.ZodObject<S>>) => Answer | Promise<Answer>,
): Route {
  const body = z.object(shape);
  return {
    method,
    path,
    query: [],
    body: z.strictObject(shape),
    answer: async (call, given) => {
      const parsed = body.safeParse(given ?? {});
      if (parsed.success) return await answer(call, parsed.data);
      const fields = parsed.error.issues.map(
        ({ path: field, code }) => `${field.join(".")} is ${code === "invalid_type" ? "missing" : "invalid"}`,
      );
      throw new Refusal({ status: 400, json: { error: fields.join(", ") } });
    },
  };
}

export function part(call: Call, name: string): string {
  return call.parts[name] ?? "";
}

/** The project of a call. What its user may not see is not there. */
export function projectOf(call: Call): Project {
  const project = findProject(call.world.state, part(call, "id"));
  if (!project || (project.visibility === "private" && levelOf(project, call.user) < 10)) throw notFound("Project");
  return project;
}

export function need(call: Call, project: Project, level: AccessLevel): void {
  if (levelOf(project, call.user) < level) throw forbidden();
}

export function issueOf(call: Call, what?: string): { project: Project; noteable: Issue } {
  const project = projectOf(call);
  const noteable = project.issues.find((one) => String(one.iid) === part(call, "issue_iid"));
  if (!noteable || (noteable.confidential && levelOf(project, call.user) < 15)) throw notFound(what);
  if (call.reads && call.world.state.lags.hides(noteable, noteable.iid)) throw notFound(what);
  return { project, noteable };
}

export function mergeRequestOf(call: Call, what?: string): { project: Project; noteable: MergeRequest } {
  const project = projectOf(call);
  const noteable = project.mergeRequests.find((one) => String(one.iid) === part(call, "merge_request_iid"));
  if (!noteable) throw notFound(what);
  return { project, noteable };
}

/** What a note, a thread or an award is on, by the kind that the path names. */
export function noteableOf(call: Call): { project: Project; noteable: Noteable } {
  return call.parts["issue_iid"] === undefined ? mergeRequestOf(call, "MergeRequest") : issueOf(call, "Issue");
}

export function noteOf(call: Call, noteable: Noteable): Note {
  const note = noteable.notes.find((one) => String(one.id) === part(call, "note_id"));
  if (!note) throw notFound();
  return note;
}

/** Who may change a note: who wrote it, and who looks after the project. */
export function mayAdminister(call: Call, project: Project, note: Note): void {
  if (note.system || (note.author !== call.user && levelOf(project, call.user) < 40)) throw forbidden();
}
