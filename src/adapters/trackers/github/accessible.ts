import { RelayError } from "../../../lib/errors.ts";
import type { AppAccess } from "./app-access.ts";
import { missedDeliveries } from "./deliveries.ts";
import { type Call, pages } from "../pages.ts";
import { z } from "zod";
import type { AssignedIssues } from "../connection.ts";
import type { IssueGlance } from "../tracker.ts";
import { type FoundIssue, glance, inSeconds } from "./issues.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";

const PAGE = 100;
/** 10,000 issues, repositories or installations. */
const MOST_PAGES = 100;

const issues = z.array(answers.issue.extend({ repository: z.object({ full_name: z.string() }) }));
const repositories = z.object({
  repositories: z.array(
    z.object({
      id: z.number(),
      full_name: z.string(),
      archived: z.boolean().optional(),
      has_issues: z.boolean().optional(),
    }),
  ),
});
const installations = z.array(z.object({ id: z.number(), suspended_at: z.string().nullish() }));

/**
 * Open issues in any repository that are assigned to the owner of a token; with `since`, those that changed then or
 * later.
 */
export async function assignedToOwner(call: Call, since: Date | null): Promise<AssignedIssues> {
  const order = { sort: "updated", direction: "asc" };
  const query = {
    filter: "assigned",
    state: "open",
    per_page: PAGE,
    ...order,
    ...(since && { since: inSeconds(since) }),
  };
  const found: IssueGlance[] = [];
  let seen = 0;
  let last: Date | null = null;
  for await (const body of listed(call, "/issues", query)) {
    const page = read(issues, body, "assigned issues");
    seen += page.length;
    for (const one of page) if (!one.pull_request) found.push(glance(one.repository.full_name, one));
    last = page.at(-1)?.updated_at ?? last;
  }
  return { issues: found, cutAt: seen >= MOST_PAGES * PAGE ? last : null };
}

/** Open issues in the repositories of all installations that are assigned to one of the App's logins. */
export async function assignedToApp(app: AppAccess, calledAs: readonly string[]): Promise<IssueGlance[]> {
  const found = new Map<string, IssueGlance>();
  for await (const body of listed(app.call, "/app/installations", { per_page: PAGE })) {
    for (const { id, suspended_at } of read(installations, body, "the App's installations")) {
      if (typeof suspended_at === "string") continue;
      const { call } = app.installation(id);
      for (const { full_name: project } of await repositoriesOf(call)) {
        for (const assignee of calledAs) {
          for (const one of await assignedIn(call, project, assignee)) {
            found.set(`${project}#${one.number}`, glance(project, one));
          }
        }
      }
    }
  }
  return [...found.values()];
}

async function repositoriesOf(call: Call): Promise<{ id: number; full_name: string }[]> {
  const found: { id: number; full_name: string }[] = [];
  for await (const body of listed(call, "/installation/repositories", { per_page: PAGE })) {
    const page = read(repositories, body, "the repositories of an installation").repositories;
    found.push(...page.filter(canBeWorkedOn));
  }
  return found;
}

/**
 * Repositories of the App, besides the known ones, with failed deliveries about issues or comments since then, and the
 * time of the first.
 */
export async function missedProjects(
  app: AppAccess,
  since: Date,
  known: ReadonlySet<string>,
): Promise<{ externalProjectId: string; since: Date }[]> {
  const failed = await missedDeliveries(app.call, "/app/hook/deliveries", { since, repositoryId: null });
  const first = new Map<number, { at: Date; installationId: number }>();
  for (const { event, at, repositoryId, installationId } of failed) {
    if (repositoryId === null || installationId === null || known.has(String(repositoryId))) continue;
    if (event.startsWith("issue") && !first.has(repositoryId)) first.set(repositoryId, { at, installationId });
  }
  const found: { externalProjectId: string; since: Date }[] = [];
  for (const id of new Set([...first.values()].map(({ installationId }) => installationId))) {
    const there = await repositoriesOf(app.installation(id).call).catch(noneIfGone);
    for (const repository of there) {
      const missed = first.get(repository.id);
      if (missed !== undefined) found.push({ externalProjectId: repository.full_name, since: missed.at });
    }
  }
  return found;
}

/** Uninstalled or suspended since. */
function noneIfGone(error: unknown): [] {
  if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return [];
  throw error;
}

function canBeWorkedOn({ archived, has_issues }: { archived?: boolean | undefined; has_issues?: boolean | undefined }) {
  return archived !== true && has_issues !== false;
}

/** Empty if GitHub does not know the assignee. */
async function assignedIn(call: Call, project: string, assignee: string): Promise<FoundIssue[]> {
  const found: FoundIssue[] = [];
  try {
    for await (const body of listed(call, `/repos/${project}/issues`, { assignee, state: "open", per_page: PAGE })) {
      const page = read(z.array(answers.issue), body, `the issues of ${project}`);
      found.push(...page.filter((one) => !one.pull_request));
    }
  } catch (error) {
    // The login is not assignable, issues are disabled, or the repository has disappeared meanwhile.
    if (!(error instanceof RelayError && (error.code === "invalid" || error.code === "not_found"))) throw error;
  }
  return found;
}

function listed(call: Call, path: string, query: Record<string, string | number>) {
  return pages(call, { method: "GET", path, query }, MOST_PAGES);
}
