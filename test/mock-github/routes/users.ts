import { notFound, ok, refuse } from "../http/answer.ts";
import { ownerOf } from "../http/limit.ts";
import { type Routes, param } from "../http/call.ts";
import { pageOf } from "../http/paging.ts";
import { showProfile } from "../present/account.ts";
import { showRepository } from "../present/repository.ts";

export const userRoutes: Routes = {
  "users/get-authenticated": (call) => {
    if (call.actor.kind === "anonymous") throw refuse(401, "Requires authentication");
    if (call.actor.kind !== "user") throw refuse(403, "Resource not accessible by integration");
    return ok(showProfile(call.world, call.world.account(call.actor.login)));
  },

  "users/get-by-username": (call) => {
    const account = call.world.accounts.get(param(call, "username").toLowerCase());
    if (account === undefined) throw notFound();
    return ok(showProfile(call.world, account));
  },

  "repos/list-for-authenticated-user": (call) => {
    if (call.actor.kind !== "user") throw refuse(403, "Resource not accessible by integration");
    const { login } = call.actor;
    const mine = [...call.world.repositories.values()].filter((each) => call.world.isCollaborator(each, login));
    return pageOf(call, mine, (each) => showRepository(call.world, each, call.world.roleOf(each, login)));
  },

  "meta/root": (call) =>
    ok({ current_user_url: `${call.world.api}/user`, rate_limit_url: `${call.world.api}/rate_limit` }),

  "meta/get": () => ok({ verifiable_password_authentication: false }),

  "rate-limit/get": (call) => {
    const owner = ownerOf(call.world, call.actor);
    const core = call.world.limits.count(owner, "core", 0);
    const graphql = call.world.limits.count(owner, "graphql", 0);
    return ok({ resources: { core, graphql, search: core }, rate: core });
  },
};
