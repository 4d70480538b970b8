import { nearest } from "../config/yaml-text.ts";
import { RelayError } from "../lib/errors.ts";

/** The roles of a process: `web` receives deliveries, `planner` processes them and plans, `worker` makes changes. */
export const ROLES = ["web", "planner", "worker"] as const;
export type Role = (typeof ROLES)[number];

/** Parses a comma-separated list of roles; all roles without a list. Throws `usage` for an unknown role. */
export function rolesIn(list: string | undefined): ReadonlySet<Role> {
  if (list === undefined) return new Set(ROLES);
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const roles = names.map((name) => {
    const role = ROLES.find((one) => one === name);
    if (role !== undefined) return role;
    const meant = nearest(name, [...ROLES]);
    throw new RelayError(
      "usage",
      `there is no role “${name}”${meant === null ? "" : `; did you mean “${meant}”?`} (the roles are ${ROLES.join(", ")})`,
    );
  });
  if (roles.length > 0) return new Set(roles);
  throw new RelayError("usage", `--role needs at least one of ${ROLES.join(", ")}`);
}
