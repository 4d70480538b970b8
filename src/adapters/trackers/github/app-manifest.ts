import { z } from "zod";
import { createTrackerHttp } from "../http/tracker-http.ts";
import type { GateDeps } from "./callers.ts";
import { read } from "./api-schemas.ts";
import { NEEDED_EVENTS, NEEDED_PERMISSIONS, USEFUL_EVENTS } from "./needs.ts";

/** An App that GitHub has just created. This is the only time GitHub returns its secrets. */
export interface MadeApp {
  id: number;
  slug: string;
  /** Its page, where people install it: `https://github.com/apps/relay`. */
  page: string;
  /** PEM. */
  privateKey: string;
  webhookSecret: string;
}

export interface ManifestWish {
  /** Unique across GitHub, at most 34 characters; the person confirming may change it. */
  name: string;
  /** The public URL of `relay serve`, without a trailing slash. */
  publicUrl: string;
  /** Where GitHub redirects the browser with the code. */
  redirectUrl: string;
}

/** The manifest: an App with only the permissions that Relay uses and the events that it reads. */
export function appManifest({ name, publicUrl, redirectUrl }: ManifestWish) {
  return {
    name,
    url: publicUrl,
    description: "A teammate in the issue tracker: it reads, asks, plans, and opens pull requests.",
    public: false,
    hook_attributes: { url: `${publicUrl}/webhooks/github`, active: true },
    redirect_url: redirectUrl,
    callback_urls: [`${publicUrl}/login/github/callback`],
    default_permissions: NEEDED_PERMISSIONS,
    default_events: [...NEEDED_EVENTS, ...USEFUL_EVENTS],
  };
}

/** The URL to which a browser posts a manifest for confirmation. `state` is returned with the code. */
export function manifestAddress(web: string, { org, state }: { org: string | null; state: string }): string {
  const owner = org === null ? "" : `/organizations/${encodeURIComponent(org)}`;
  return `${web}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`;
}

const made = z.object({
  id: z.number(),
  slug: z.string(),
  html_url: z.string(),
  pem: z.string(),
  webhook_secret: z.string().min(1),
});

/**
 * Exchanges the code of a confirmed manifest for the App. A code works once, within an hour.
 *
 * @throws RelayError `not_found`: the code was used or has expired; also the errors of `TrackerHttp`
 */
export async function appFromCode(apiUrl: string, code: string, deps: GateDeps): Promise<MadeApp> {
  const http = createTrackerHttp({
    ...deps,
    baseUrl: apiUrl,
    name: "GitHub",
    // The code is the credential.
    authorization: async () => await Promise.resolve({}),
    headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
  });
  const path = `/app-manifests/${encodeURIComponent(code)}/conversions`;
  const { body } = await http({ method: "POST", path, quota: `github:${apiUrl}:manifest` });
  const app = read(made, body, "the new App");
  return {
    id: app.id,
    slug: app.slug,
    page: app.html_url,
    privateKey: app.pem,
    webhookSecret: app.webhook_secret,
  };
}
