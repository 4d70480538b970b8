import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { ConnectionFinding } from "../connection.ts";
import { read } from "./api-schemas.ts";
import type { AppAccess } from "./app-access.ts";
import { checked, fine, wrong } from "../connection-findings.ts";
import { readHookConfig } from "./hooks.ts";
import { lackingPermissions } from "./needs.ts";
import { deliveryFindings, eventFindings, hookFindings } from "./webhook-inspection.ts";
import { appSettings } from "./web-pages.ts";

const permissions = z.record(z.string(), z.string());
const app = z.object({
  slug: z.string(),
  owner: z.object({ login: z.string(), type: z.string() }).nullish().catch(null),
  permissions,
  events: z.array(z.string()),
});
const installations = z.array(
  z.object({
    account: z.object({ login: z.string().optional() }).nullish(),
    html_url: z.string(),
    permissions,
    suspended_at: z.string().nullish(),
  }),
);

interface Given {
  access: AppAccess;
  /** URL of GitHub's web pages. */
  web: string;
  webhookUrl: string | null;
  clock: Clock;
}

/** Checks the App: its key, permissions, events, webhook, installations, and access to the project. */
export async function inspectApp(given: Given, project: string | null): Promise<ConnectionFinding[]> {
  const mend = `see that GITHUB_APP_ID and GITHUB_PRIVATE_KEY are those of one App at ${given.web}/settings/apps`;
  return await checked({ what: "GitHub App", mend }, async () => {
    const { body } = await given.access.call({ method: "GET", path: "/app" });
    const found = read(app, body, "the App");
    const page = appSettings(given.web, { slug: found.slug, owner: found.owner ?? null });
    const place = { what: "webhook", mend: `set the webhook of the App at ${page}` };
    return [
      fine("GitHub App", `${found.slug} at ${given.web}`),
      permissionFinding("App permissions", found.permissions, `grant them at ${page}/permissions`),
      ...eventFindings(found.events, `${page}/permissions`),
      ...(await checked(place, async () => {
        const config = readHookConfig(await given.access.call({ method: "GET", path: "/app/hook/config" }));
        return hookFindings(config, { webhookUrl: given.webhookUrl, page });
      })),
      ...(await deliveryFindings(given.access.call, {
        path: "/app/hook/deliveries",
        page: `${page}/advanced`,
        clock: given.clock,
      })),
      ...(await installationFindings(given, found.slug)),
      ...(project === null ? [] : await projectFindings(given, { project, slug: found.slug })),
    ];
  });
}

async function installationFindings({ access, web }: Given, slug: string): Promise<ConnectionFinding[]> {
  const what = "App installations";
  const install = `install the App at ${web}/apps/${slug}/installations/new`;
  return await checked({ what, mend: install }, async () => {
    const query = { per_page: 100 };
    const { body } = await access.call({ method: "GET", path: "/app/installations", query });
    const found = read(installations, body, "the App's installations");
    if (found.length === 0) return [wrong(what, "nobody has installed the App", install)];
    return found.map(({ account, html_url, suspended_at, permissions: granted }) => {
      const name = `installation at ${account?.login ?? html_url}`;
      if (typeof suspended_at === "string") return wrong(name, "it is suspended", `unsuspend it at ${html_url}`);
      return permissionFinding(name, granted, `accept the App's new permissions at ${html_url}`);
    });
  });
}

async function projectFindings(
  { access, web }: Given,
  { project, slug }: { project: string; slug: string },
): Promise<ConnectionFinding[]> {
  const what = `access to ${project}`;
  const mend = `install the App for ${project} at ${web}/apps/${slug}/installations/new`;
  return await checked({ what, mend }, async () => {
    const call = await access.callFor(project);
    await call({ method: "GET", path: `/repos/${project}` });
    return [fine(what, "the App is installed there")];
  });
}

function permissionFinding(what: string, granted: Record<string, string>, mend: string): ConnectionFinding {
  const lacking = lackingPermissions(granted);
  return lacking.length === 0 ? fine(what, "all that Relay needs") : wrong(what, `lacks ${lacking.join(", ")}`, mend);
}
