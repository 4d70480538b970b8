import { z } from "zod";
import { createTrackerHttp } from "../http/tracker-http.ts";
import type { GateDeps } from "./callers.ts";
import { read } from "./api-schemas.ts";
import { NEEDED_EVENTS, NEEDED_PERMISSIONS } from "./needs.ts";

/** An App that GitHub has just made. Its secrets are told this once. */
export interface MadeApp {
  id: number;
  slug: string;
  /** Its page, where it is installed: `https://github.com/apps/relay`. */
  page: string;
  /** PEM. */
  privateKey: string;
  webhookSecret: string;
}

export interface ManifestWish {
  /** Unique on all of GitHub, 34 characters at most; whoever confirms may change it. */
  name: string;
  /** Where GitHub reaches `relay serve`, without a slash at its end. */
  publicUrl: string;
  /** Where the browser goes with the code. */
  redirectUrl: string;
}

/** What GitHub is asked to make: an App that may do what Relay does and is told what Relay reads, and no more. */
export function appManifest({ name, publicUrl, redirectUrl }: ManifestWish) {
  return {
    name,
    url: publicUrl,
    description: "A teammate in the issue tracker: it reads, asks, plans, and opens pull requests.",
    public: false,
    hook_attributes: { url: `${publicUrl}/webhooks/github`, active: true },
    redirect_url: redirectUrl,
    default_permissions: NEEDED_PERMISSIONS,
    default_events: NEEDED_EVENTS,
  };
}

/** Where a browser posts a manifest to, for somebody to confirm. `state` comes back with the code. */
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
 * Exchanges the code of a confirmed manifest for the App, which works once and within an hour.
 *
 * @throws RelayError `not_found`: the code was used, or is too old; and what `TrackerHttp` throws
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
