import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import QuickLRU from "quick-lru";
import { z } from "zod";
import { sameLogin } from "../../../domain/login.ts";
import { type Permission, atLeast } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { isBotName } from "./bots.ts";
import { projectPath } from "./calls.ts";

/** People rename themselves, and others take the names. */
const ID_MS = 10 * 60_000;
/** An account remains what it is. */
const BOT_MS = 24 * 3_600_000;
const PROJECT_MS = 60_000;
/** GitLab's longest page. */
const MOST_AT_ONCE = 100;

/** The accounts of a GitLab, as one token sees them; what changes rarely is kept. */
export interface GitlabPeople {
  /** Remembers the author of a note: GitLab's API needs ids, and this saves looking the id up. */
  readonly meet: (author: { login: string; id: number | null }) => void;
  /** The numeric id of a user; null if there is no such login. */
  readonly idOf: (login: string) => Promise<number | null>;
  /** Whose login it is at this moment; null without such an account. */
  readonly accountIdOf: (login: string) => Promise<string | null>;
  /** By its name, or else by what GitLab says of the account: notes and webhooks do not tell. */
  readonly isBot: (login: string) => Promise<boolean>;
  /** The role of an account in a project now. */
  readonly roleOf: (project: string, login: string) => Promise<Permission>;
  /** The same of a person; none for bots, whose words decide nothing. */
  readonly permissionOf: (project: string, login: string) => Promise<Permission>;
}

export function gitlabPeople(call: Call): GitlabPeople {
  const ids = new QuickLRU<string, number>({ maxSize: 10_000, maxAge: ID_MS });
  const bots = new QuickLRU<number, boolean>({ maxSize: 10_000, maxAge: BOT_MS });
  const projects = new QuickLRU<string, true>({ maxSize: 1_000, maxAge: PROJECT_MS });
  const members = new Map<string, Waiting>();

  const people: GitlabPeople = {
    meet: ({ login, id }) => void (id !== null && ids.set(login.toLowerCase(), id)),
    idOf: async (login) => {
      const known = ids.get(login.toLowerCase());
      if (known !== undefined) return known;
      const id = await findUser(call, login);
      if (id !== null) ids.set(login.toLowerCase(), id);
      return id;
    },
    accountIdOf: async (login) => {
      const id = await findUser(call, login);
      return id === null ? null : String(id);
    },
    isBot: async (login) => {
      if (isBotName(login)) return true;
      const id = await people.idOf(login);
      if (id === null) return false;
      const known = bots.get(id);
      if (known !== undefined) return known;
      const answer = await unlessMissing(call({ method: "GET", path: `/users/${id}` }));
      const isBot = answer !== null && (read(answers.user, answer.body, `the user ${login}`).bot ?? false);
      bots.set(id, isBot);
      return isBot;
    },
    permissionOf: async (project, login) => {
      const role = await people.roleOf(project, login);
      return atLeast(role, "triage") && (await people.isBot(login)) ? "none" : role;
    },
    roleOf: async (project, login) => {
      const id = await people.idOf(login);
      const member = id === null ? null : await memberOf(project, id);
      if (member !== null) return permission(member);
      // Either the member or the project does not exist.
      if (!projects.has(project)) await call({ method: "GET", path: projectPath(project) });
      projects.set(project, true);
      return "none";
    },
  };
  return people;

  /** Members that are asked for in the same turn of the event loop share one request. */
  async function memberOf(project: string, id: number): Promise<Member | null> {
    const waiting = members.get(project);
    if (waiting !== undefined && waiting.ids.size < MOST_AT_ONCE) {
      waiting.ids.add(id);
      return (await waiting.found).get(id) ?? null;
    }
    const asked = new Set([id]);
    const found = new Promise((resolve) => setImmediate(resolve)).then(async () => {
      if (members.get(project)?.ids === asked) members.delete(project);
      const answer = await membersOf(call, project, [...asked]);
      // A list comes only from a project that is there.
      if (asked.size > 1) projects.set(project, true);
      return answer;
    });
    members.set(project, { ids: asked, found });
    return (await found).get(id) ?? null;
  }
}

type Member = z.infer<typeof answers.member>;

interface Waiting {
  ids: Set<number>;
  found: Promise<ReadonlyMap<number, Member>>;
}

async function membersOf(call: Call, project: string, ids: readonly number[]): Promise<ReadonlyMap<number, Member>> {
  const path = `${projectPath(project)}/members/all`;
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const answer = await unlessMissing(call({ method: "GET", path: `${path}/${only}` }));
    return new Map(answer === null ? [] : [[only, read(answers.member, answer.body, `user ${only} in ${project}`)]]);
  }
  const chosen = ids.map((id) => `user_ids%5B%5D=${id}`).join("&");
  const { body } = await call({ method: "GET", path: `${path}?${chosen}`, query: { per_page: MOST_AT_ONCE } });
  return new Map(read(z.array(answers.member), body, `the members of ${project}`).map((member) => [member.id, member]));
}

/** The numeric id of a user, which GitLab's API needs; null if there is no such login. */
export async function findUser(call: Call, login: string): Promise<number | null> {
  if (!/^[\w.-]{1,255}$/.test(login)) return null;
  const { body } = await call({ method: "GET", path: "/users", query: { username: login } });
  return (
    read(z.array(answers.user), body, `the user ${login}`).find((one) => sameLogin(one.username, login))?.id ?? null
  );
}

/** GitLab's roles, highest first. A custom role has the number of the role that it is based on. */
const ROLES: readonly [level: number, permission: Permission][] = [
  [50, "admin"], // Owner
  [40, "maintain"], // Maintainer
  [30, "write"], // Developer
  [15, "triage"], // Reporter is 20, Planner 15
  [10, "read"], // Guest
];

/** The current role of a user, direct or inherited from a group; none for blocked users. */
export function permission({ access_level: level, state }: Pick<Member, "access_level" | "state">): Permission {
  if (state !== undefined && state !== "active") return "none";
  return ROLES.find(([least]) => level >= least)?.[1] ?? "none";
}
