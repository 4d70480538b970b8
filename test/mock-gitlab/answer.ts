import type { IncomingMessage } from "node:http";
import type { Project, State, User } from "./state.ts";

/** What a route says. `text` is sent as it is, `json` as JSON; with neither the body is empty. */
export interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

/** A request that was understood: authenticated, with the numbers of its path and its parsed parameters. */
export interface Call {
  state: State;
  user: User;
  /** The parts of the path that the route names, decoded. */
  part(name: string): string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The address that was asked for, for `Link` headers. */
  url: URL;
  request: IncomingMessage;
}

/** Ends a route with an error of GitLab's own wording. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export const unauthorized = () => new Refusal({ status: 401, json: { message: "401 Unauthorized" } });
export const forbidden = () => new Refusal({ status: 403, json: { message: "403 Forbidden" } });
export const notFound = (what?: string) =>
  new Refusal({ status: 404, json: { message: what === undefined ? "404 Not found" : `404 ${what} Not Found` } });
export const badRequest = (reason: string) =>
  new Refusal({ status: 400, json: { message: `400 Bad request - ${reason}` } });
/** As the parameter checks of Grape say it. */
export const badParameter = (reason: string) => new Refusal({ status: 400, json: { error: reason } });
export const conflict = (messages: string[]) => new Refusal({ status: 409, json: { message: messages } });
export const unprocessable = (messages: string[]) => new Refusal({ status: 422, json: { message: messages } });

/** The project of a call. What its user may not see is not there. */
export function visibleProject(call: Call, level: (project: Project) => number): Project {
  const key = call.part("id");
  const project = call.state.projects.find(
    (one) => String(one.id) === key || one.path.toLowerCase() === key.toLowerCase(),
  );
  if (!project || (project.visibility === "private" && level(project) < 10)) throw notFound("Project");
  return project;
}
