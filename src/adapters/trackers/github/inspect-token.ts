import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { type ConnectionFinding, assignedFindings } from "../connection.ts";
import { read } from "./api-schemas.ts";
import { checked, fine, wrong } from "../connection-findings.ts";
import { hookTo } from "./hooks.ts";
import { pathOf } from "./repository.ts";
import type { TokenAccess } from "./token-access.ts";
import { deliveryFindings, eventFindings, hookFindings } from "./webhook-inspection.ts";

/** A token that expires sooner than this is reported. */
const SOON_MS = 14 * 24 * 3_600_000;

const user = z.object({ login: z.string() });
const repository = z.object({
  permissions: z.record(z.string(), z.boolean()).optional(),
  archived: z.boolean().optional(),
  has_issues: z.boolean().optional(),
});

interface Given {
  access: TokenAccess;
  /** URL of GitHub's web pages. */
  web: string;
  webhookUrl: string | null;
  clock: Clock;
}

/** Checks a token: owner, scopes, expiry and permissions in the project, plus the project's webhook. */
export async function inspectToken(given: Given, project: string | null): Promise<ConnectionFinding[]> {
  const mend = `make a token at ${given.web}/settings/tokens, and set it as GITHUB_TOKEN`;
  return await checked({ what: "GitHub token", mend }, async () => {
    const { body, headers } = await given.access.call({ method: "GET", path: "/user" });
    const { login } = read(user, body, "the token's owner");
    return [
      fine("GitHub token", `belongs to ${login} at ${given.web}`),
      ...scopeFindings(headers.get("x-oauth-scopes"), mend),
      ...endFindings(headers.get("github-authentication-token-expiration"), { mend, clock: given.clock }),
      ...assignedFindings(await countAssigned(given.access)),
      ...(project === null ? [] : await projectFindings(given, project)),
    ];
  });
}

/**
 * Open issues and requests that the token's owner is assigned to; 0 if it may not list them. The last page of one
 * tells.
 */
async function countAssigned({ call }: TokenAccess): Promise<number> {
  const query = { filter: "assigned", state: "open", per_page: 1 };
  const answer = await call({ method: "GET", path: "/issues", query }).catch(() => null);
  return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(answer?.headers.get("link") ?? "")?.[1] ?? 0);
}

/** Only classic tokens have scopes; the project shows the permissions of the others. */
function scopeFindings(header: string | null, mend: string): ConnectionFinding[] {
  if (header === null) return [];
  const scopes = header.split(",").map((scope) => scope.trim());
  const enough = scopes.includes("repo") || scopes.includes("public_repo");
  const members = scopes.some((scope) => scope.endsWith(":org"));
  const bound = members ? "" : "; without read:org it cannot list the members of organisations";
  if (enough) return [fine("token scopes", `${scopes.join(", ")}${bound}`)];
  return [
    wrong("token scopes", `lacks repo (or public_repo, for public repositories only)`, `${mend}, with the scope repo`),
  ];
}

function endFindings(header: string | null, { mend, clock }: { mend: string; clock: Clock }): ConnectionFinding[] {
  const end = new Date((header ?? "").replace(" UTC", "Z").replace(" ", "T"));
  if (Number.isNaN(end.getTime())) return [];
  const until = end.toISOString().slice(0, 10);
  const soon = end.getTime() - clock.now().getTime() < SOON_MS;
  return [soon ? wrong("token end", `it ends on ${until}`, mend) : fine("token end", `valid until ${until}`)];
}

async function projectFindings(given: Given, project: string): Promise<ConnectionFinding[]> {
  const what = `access to ${project}`;
  const mend = `let the token's owner have write access to ${project}, and the token reach it`;
  return await checked({ what, mend }, async () => {
    const { body } = await given.access.call({ method: "GET", path: pathOf(project) });
    const found = read(repository, body, `the repository ${project}`);
    const findings: ConnectionFinding[] = [];
    if (found.permissions?.["push"] !== true) findings.push(wrong(what, "the token's owner may not write there", mend));
    if (found.archived === true) {
      findings.push(wrong(what, "it is archived, and cannot be changed", `unarchive ${project} in its settings`));
    }
    if (found.has_issues === false) {
      findings.push(wrong(what, "issues are switched off", `switch them on in the settings of ${project}`));
    }
    if (findings.length === 0) findings.push(fine(what, "the token's owner may write there"));
    return [...findings, ...(await projectHook(given, project))];
  });
}

async function projectHook(given: Given, project: string): Promise<ConnectionFinding[]> {
  const { access, web, webhookUrl, clock } = given;
  const page = `${web}/${project}/settings/hooks`;
  if (webhookUrl === null)
    return [fine("webhook", `not checked: Relay does not know its own public address; see ${page}`)];
  return await checked({ what: "webhook", mend: `look at ${page}` }, async () => {
    const query = { per_page: 100 };
    const answer = await access.call({ method: "GET", path: `${pathOf(project)}/hooks`, query }).catch(unreadable);
    if (answer === null) return [fine("webhook", `not checked: the token may not read webhooks; see ${page}`)];
    const hook = hookTo(webhookUrl, answer);
    if (hook === null) {
      const make = `add one at ${page}/new, with the URL ${webhookUrl}, the content type application/json and the value of GITHUB_WEBHOOK_SECRET`;
      return [wrong("webhook", `none leads to ${webhookUrl}`, make)];
    }
    const own = `${page}/${hook.id}`;
    const path = `${pathOf(project)}/hooks/${hook.id}/deliveries`;
    return [
      ...(hook.active ? [] : [wrong("webhook", "it is switched off", `tick Active at ${own}`)]),
      ...hookFindings(hook.config, { webhookUrl, page: own }),
      ...eventFindings(hook.events, own),
      ...(await deliveryFindings(access.call, { path, page: own, clock })),
    ];
  });
}

function unreadable(error: unknown): null {
  if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return null;
  throw error;
}
