import { notFound } from "../answer.ts";
import { page } from "../paging.ts";
import { PAGES, get, part, projectOf, type Route } from "../route.ts";
import { projectShape } from "../shapes/project.ts";
import { memberShape, userShape, ownUserShape, wholeUserShape } from "../shapes/user.ts";
import { findUser, levelOf } from "../state.ts";

/** Users, projects and their members. */
export const people: Route[] = [
  get("/user", [], ({ world, user }) => ({ status: 200, json: ownUserShape(user, world.origin) })),
  get("/personal_access_tokens/self", [], ({ user, scopes }) => ({
    status: 200,
    json: { id: user.id, name: "relay", revoked: false, active: true, user_id: user.id, scopes, expires_at: null },
  })),
  get("/users", ["username", "search", "active", ...PAGES], (call) => {
    const { state, origin } = call.world;
    const name = call.query.get("username");
    const one = name === null ? undefined : findUser(state, name);
    const found = name === null ? state.users : one ? [one] : [];
    return page(call, found, (user) => userShape(user, origin));
  }),
  get("/users/{user_id}", [], (call) => {
    const found = call.world.state.users.find((user) => String(user.id) === part(call, "user_id"));
    if (!found) throw notFound("User");
    return { status: 200, json: wholeUserShape(found, call.world.origin) };
  }),
  get("/projects/{id}", ["statistics", "license", "with_custom_attributes"], (call) => {
    const project = projectOf(call);
    return { status: 200, json: projectShape(project, levelOf(project, call.user), call.world.origin) };
  }),
  get("/projects/{id}/members/all", ["query", "user_ids", "state", ...PAGES], (call) => {
    const project = projectOf(call);
    const ids = call.query.getAll("user_ids[]").map(Number);
    const members = call.world.state.users.filter(
      (user) => (project.members.get(user.id) ?? 0) > 0 && (ids.length === 0 || ids.includes(user.id)),
    );
    return page(call, members, (user) => memberShape(user, project.members.get(user.id) ?? 0, call.world.origin));
  }),
  get("/projects/{id}/members/all/{user_id}", [], (call) => {
    const project = projectOf(call);
    const user = call.world.state.users.find((one) => String(one.id) === part(call, "user_id"));
    const level = user ? (project.members.get(user.id) ?? 0) : 0;
    if (!user || level === 0) throw notFound();
    return { status: 200, json: memberShape(user, level, call.world.origin) };
  }),
];
