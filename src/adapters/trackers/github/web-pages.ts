/** The URL of the web pages that belong to this API: `https://github.com`, or the Enterprise server. */
export function webAddress(apiUrl: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  const prefix = pathname.replace(/\/(api\/v3\/?)?$/, "");
  // `api.github.com` belongs to `github.com`, `api.acme.ghe.com` to `acme.ghe.com`.
  return `${protocol}//${host.replace(/^api\./, "")}${prefix}`;
}

/** The inverse: `https://api.github.com`, the `api.` host of a company at ghe.com, or `/api/v3` of a server. */
export function apiAddress(web: string): string {
  const { protocol, host, pathname } = new URL(web);
  if (host === "github.com" || host.endsWith(".ghe.com")) return `${protocol}//api.${host}`;
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}/api/v3`;
}

/** The settings page of an App, which is below its owner's. */
export function appSettings(web: string, { slug, owner }: { slug: string; owner: AppOwner | null }): string {
  const place = owner?.type === "Organization" ? `/organizations/${owner.login}` : "";
  return `${web}${place}/settings/apps/${slug}`;
}

export interface AppOwner {
  login: string;
  type: string;
}
