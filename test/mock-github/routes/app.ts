import { randomBytes } from "node:crypto";
import { z } from "zod";
import { created, notFound, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, numberParam, param } from "../http/call.ts";
import { pageOf } from "../http/paging.ts";
import { showApp, showInstallation } from "../present/app.ts";
import { time } from "../present/ids.ts";
import { showRepository } from "../present/repository.ts";
import type { App, Installation, Permissions } from "../world/entities.ts";
import { confirmManifest } from "../world/manifests.ts";

const Level = z.enum(["read", "write", "admin"]);
const Wanted = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.number()).optional(),
  permissions: z.record(z.string(), Level).optional(),
});
const HOUR = 3_600_000;

/** The App that signed the request; these operations are for Apps as such. */
export function appAsking(call: Call): App {
  if (call.actor.kind === "app") return call.actor.app;
  throw refuse(401, "A JSON web token could not be decoded");
}

function installationOf(call: Call): Installation {
  const installation = call.world.installations.get(numberParam(call, "installation_id"));
  if (installation?.appId !== appAsking(call).id) throw notFound();
  return installation;
}

export const appRoutes: Routes = {
  "apps/get-authenticated": (call) => {
    const app = appAsking(call);
    const mine = [...call.world.installations.values()].filter((each) => each.appId === app.id);
    return ok({ ...showApp(call.world, app), installations_count: mine.length });
  },

  "apps/list-installations": (call) => {
    const app = appAsking(call);
    const mine = [...call.world.installations.values()].filter((each) => each.appId === app.id);
    return pageOf(call, mine, (each) => showInstallation(call.world, each));
  },

  "apps/get-installation": (call) => ok(showInstallation(call.world, installationOf(call))),

  "apps/get-repo-installation": (call) => {
    const app = appAsking(call);
    const repository = call.world.findRepository(param(call, "owner"), param(call, "repo"));
    const covering = repository === undefined ? [] : call.world.installationsOf(repository);
    const installation = covering.find((each) => each.appId === app.id);
    if (installation === undefined) throw notFound();
    return ok(showInstallation(call.world, installation));
  },

  /** For an hour. Never more than the installation has: GitHub refuses to widen it. */
  "apps/create-installation-access-token": (call) => {
    const installation = installationOf(call);
    if (installation.suspendedAt !== null) throw refuse(403, "This installation has been suspended");
    const wanted = bodyOf(call, Wanted);
    const permissions = wanted.permissions ?? installation.permissions;
    if (!within(permissions, installation.permissions)) {
      throw refuse(422, "The permissions requested are not granted to this installation.");
    }
    const covered = [...call.world.repositories.values()].filter((each) => call.world.covers(installation, each));
    const named = wanted.repositories ?? wanted.repository_ids;
    const chosen = covered.filter(
      (each) => wanted.repositories?.includes(each.name) ?? wanted.repository_ids?.includes(each.id) ?? false,
    );
    if (named !== undefined && chosen.length < named.length) {
      const message =
        "There is at least one repository that does not exist or is not accessible to the parent installation.";
      throw refuse(422, message);
    }
    const token = `ghs_${randomBytes(18).toString("hex")}`;
    const expiresAt = new Date(call.world.now().getTime() + HOUR);
    const only = named === undefined ? null : chosen.map((each) => each.id);
    const grant = { kind: "installation", installationId: installation.id, permissions, repositories: only } as const;
    call.world.tokens.set(token, { ...grant, expiresAt });
    return created({
      token,
      expires_at: time(expiresAt),
      permissions: { metadata: "read", ...permissions },
      repository_selection: installation.repositories === "all" && only === null ? "all" : "selected",
      ...(only === null ? {} : { repositories: chosen.map((each) => showRepository(call.world, each)) }),
    });
  },

  "apps/list-repos-accessible-to-installation": (call) => {
    const { actor, world } = call;
    if (actor.kind !== "installation")
      throw refuse(
        403,
        "You must authenticate with an installation access token in order to list repositories for an installation.",
      );
    const covered = [...world.repositories.values()].filter(
      (each) => world.covers(actor.installation, each) && (actor.only?.includes(each.id) ?? true),
    );
    const selection = actor.installation.repositories === "all" ? "all" : "selected";
    const show = (each: (typeof covered)[number]) => showRepository(world, each, "read");
    return pageOf(call, covered, show, (repositories, total_count) => ({
      total_count,
      repository_selection: selection,
      repositories,
    }));
  },

  /** Once, within an hour of its confirmation, and by nobody in particular. */
  "apps/create-from-manifest": (call) => {
    const made = confirmManifest(call.world, param(call, "code"));
    if (made === null) throw notFound();
    const { app, secrets } = made;
    return created({ ...showApp(call.world, app), ...secrets });
  },
};

function within(wanted: Permissions, held: Permissions): boolean {
  const order = ["read", "write", "admin"];
  return Object.entries(wanted).every(
    ([name, level]) =>
      (name === "metadata" && level === "read") || order.indexOf(held[name] ?? "") >= order.indexOf(level),
  );
}
