import type { z } from "zod";
import type { Operation } from "../schema/operations.ts";
import type { App, Installation, Permissions, Repository, Role } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Answer, refuse } from "./answer.ts";

/** Who asks. */
export type Actor =
  | { kind: "anonymous" }
  | { kind: "app"; app: App }
  | { kind: "user"; login: string; scopes: string[]; permissions: Permissions | null }
  | {
      kind: "installation";
      app: App;
      installation: Installation;
      permissions: Permissions;
      /** Ids of the only ones that the token is for. */
      only: number[] | null;
    };

/** One request, understood: what a route gets. */
export interface Call {
  world: World;
  operation: Operation;
  actor: Actor;
  params: Map<string, string>;
  query: URLSearchParams;
  accept: string;
  body: unknown;
  /** The path as asked for, without the prefix of the API. */
  path: string;
}

export type Route = (call: Call) => Answer;
export type Routes = Record<string, Route>;

export function param(call: Call, name: string): string {
  return call.params.get(name) ?? "";
}

export function numberParam(call: Call, name: string): number {
  return Number(call.params.get(name));
}

/** The body as the route takes it; GitHub's answer to what is of the wrong type. */
export function bodyOf<T>(call: Call, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(call.body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join("/") ?? "";
  throw refuse(422, `Invalid request.\n\nFor '${field}', ${issue?.message ?? "the value is wrong"}.`);
}

/** Login that the actor writes as. */
export function loginOf(call: Call): string {
  if (call.actor.kind === "user") return call.actor.login;
  if (call.actor.kind === "installation") return call.world.botOf(call.actor.app);
  throw refuse(401, "Requires authentication");
}

/** How the actor may act on a repository by its role there; Apps have permissions instead. */
export function roleIn(call: Call, repository: Repository): Role {
  if (call.actor.kind === "user") return call.world.roleOf(repository, call.actor.login);
  return repository.private ? "none" : "read";
}
