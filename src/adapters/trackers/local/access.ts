import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { PERMISSIONS, atLeast, type Permission } from "../tracker.ts";
import type { Sql } from "./rows.ts";

export interface Member {
  permission: Permission;
  isBot: boolean;
}

const memberRow = z
  .object({ permission: z.enum(PERMISSIONS).nullable(), is_bot: z.boolean().nullable() })
  .transform((row): Member => ({ permission: row.permission ?? "none", isBot: row.is_bot ?? false }));

/**
 * A person's current membership in a project; strangers have no permission. Logins are case-insensitive.
 *
 * @throws RelayError `not_found` if there is no such project
 */
export async function memberOf(db: Sql, project: string, login: string): Promise<Member> {
  const member = await db.maybeOne(
    memberRow,
    `select m.permission, m.is_bot from local_projects p
     left join local_members m on m.project = p.name and lower(m.login) = lower($2) where p.name = $1`,
    [project, login],
  );
  if (!member) throw new RelayError("not_found", `there is no local project ${project}`, { status: 404 });
  return member;
}

/**
 * Throws unless the person has the permission: `not_found` without read access, as if there were no project, otherwise
 * `forbidden` with the missing permission.
 *
 * @throws RelayError `not_found` or `forbidden`
 */
export async function permit(db: Sql, project: string, login: string, needed: Permission): Promise<Member> {
  const member = await memberOf(db, project, login);
  if (member.permission === "none") {
    throw new RelayError("not_found", `there is no local project ${project} for ${login}; make them a member first`, {
      status: 404,
    });
  }
  if (!atLeast(member.permission, needed)) {
    throw new RelayError("forbidden", `${login} needs the permission ${needed} in ${project}`, { status: 403 });
  }
  return member;
}
