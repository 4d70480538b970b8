import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { App } from "./entities.ts";
import { newKeys } from "./seed.ts";
import type { World } from "./world.ts";

/** What GitHub takes of an App's manifest. */
export const Manifest = z.object({
  name: z.string().optional(),
  url: z.string(),
  hook_attributes: z.object({ url: z.string(), active: z.boolean().default(true) }).optional(),
  redirect_url: z.string().optional(),
  callback_urls: z.array(z.string()).max(10).default([]),
  setup_url: z.string().optional(),
  description: z.string().optional(),
  public: z.boolean().default(false),
  default_events: z.array(z.string()).default([]),
  default_permissions: z.record(z.string(), z.enum(["read", "write", "admin"])).default({}),
  request_oauth_on_install: z.boolean().optional(),
  setup_on_update: z.boolean().optional(),
});

/** A person has confirmed a manifest in the browser: the code that GitHub sends back with them, good for an hour. */
export function submitManifest(world: World, owner: string, manifest: z.output<typeof Manifest>): string {
  const code = randomBytes(20).toString("hex");
  world.manifests.set(code, { owner, manifest, until: new Date(world.now().getTime() + 3_600_000) });
  return code;
}

/** Makes the App of a code, which is used up by this; null where there is no such code any more. */
export function confirmManifest(world: World, code: string) {
  const found = world.manifests.get(code);
  world.manifests.delete(code);
  if (found === undefined || found.until <= world.now()) return null;
  const { manifest, owner } = found;
  const keys = newKeys();
  const id = world.nextId();
  const name = manifest.name ?? `app-${id}`;
  const webhook_secret = manifest.hook_attributes ? randomBytes(20).toString("hex") : null;
  const app: App = {
    id,
    slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
    name,
    owner: world.account(owner).login,
    clientId: `Iv23${id}`,
    publicKey: keys.publicKey,
    permissions: { metadata: "read", ...manifest.default_permissions },
    events: manifest.default_events,
    hook: manifest.hook_attributes
      ? {
          id: world.nextId(),
          url: manifest.hook_attributes.url,
          secret: webhook_secret ?? "",
          events: manifest.default_events,
          active: manifest.hook_attributes.active,
          createdAt: world.now(),
        }
      : null,
    createdAt: world.now(),
  };
  world.apps.set(app.id, app);
  world.account(world.botOf(app));
  const client_secret = randomBytes(20).toString("hex");
  return { app, secrets: { client_id: app.clientId, client_secret, webhook_secret, pem: keys.privateKey } };
}
