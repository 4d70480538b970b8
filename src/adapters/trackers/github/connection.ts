import { RelayError } from "../../../lib/errors.ts";
import { type ForgeConnection, type MissedDelivery, remembered } from "../connection.ts";
import type { Forge } from "../code-host.ts";
import { type AppAccess, type AppOptions, appAccess } from "./app-access.ts";
import { type GateDeps, callersOf } from "./callers.ts";
import { settlingTime } from "../http/http.ts";
import { githubChecks } from "./checks.ts";
import { githubComments } from "./comments.ts";
import { missedDeliveries } from "./deliveries.ts";
import { githubDraft } from "./draft.ts";
import { githubGraphql, graphqlAddress } from "./graphql.ts";
import { hookTo } from "./hooks.ts";
import { inspectApp } from "./inspect-app.ts";
import { inspectToken } from "./inspect-token.ts";
import { githubIssues } from "./issues.ts";
import { githubLabels } from "./labels.ts";
import { githubProjects } from "./projects.ts";
import { githubPullRequests } from "./pull-requests.ts";
import { githubInspection } from "./comment-inspection.ts";
import { githubReactions } from "./reactions.ts";
import { githubReviews } from "./reviews.ts";
import { getRepository, pathOf, repositoryCalls } from "./repository.ts";
import { type TokenAccess, tokenAccess } from "./token-access.ts";
import { webAddress } from "./web-pages.ts";
import { type Call, pages } from "../pages.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";

export interface GithubOptions {
  /** URL of the REST API: `https://api.github.com`, or `https://ghe.example/api/v3`. */
  apiUrl: string;
  /** A token of a person or machine user, or a GitHub App. */
  credentials: { kind: "token"; token: string } | ({ kind: "app" } & AppOptions);
  /** An additional login by which people assign and mention Relay (`BOT_USERNAME`). */
  botUsername: string | null;
  /** The public URL of Relay's webhooks; null if unknown. */
  webhookUrl: string | null;
}

type Way = ({ kind: "app" } & AppAccess) | ({ kind: "token" } & TokenAccess);

/** GitHub or an Enterprise server, with Relay's credentials for it. Lazy: no request before the first use. */
export function githubConnection(options: GithubOptions, deps: GateDeps): ForgeConnection {
  const apiUrl = options.apiUrl.replace(/\/+$/, "");
  const { clock } = deps;
  const way = wayIn(options.credentials, apiUrl, deps);
  const call = repositoryCalls(way);
  const graphql = githubGraphql(call, graphqlAddress(apiUrl));
  const web = webAddress(apiUrl);

  async function connect(): Promise<Forge> {
    const { bot, calledAs } = await way.identity();
    const names = options.botUsername === null ? calledAs : [...calledAs, options.botUsername];
    return {
      provider: "github",
      bot,
      hasConfidentialIssues: false,
      calledAs: names.filter((name, at) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at),
      settlesAfterMs: settlingTime(deps.timeoutMs),
      ...githubIssues(call),
      ...githubComments(call, { apiUrl }),
      ...githubInspection(graphql),
      ...githubReactions(call),
      ...githubLabels(call),
      ...githubProjects(call),
      ...githubPullRequests(call, githubDraft(graphql)),
      ...githubReviews(call, graphql),
      ...githubChecks(call),
    };
  }

  const tracker = remembered(connect);

  return {
    provider: "github",
    baseUrl: web,
    tracker,
    listAssigned: async () => {
      if (way.kind === "token") return await assignedToOwner(way.call);
      return await assignedToApp(way, (await tracker()).calledAs);
    },
    listMissedDeliveries: async (project, since) => await untold(async () => await missed(project, since)),
    gitCredential: async (project, fresh) => ({
      username: "x-access-token",
      password: await way.password(project, fresh),
    }),
    inspect: async (project) => {
      const given = { web, webhookUrl: options.webhookUrl, clock };
      return way.kind === "app"
        ? await inspectApp({ ...given, access: way }, project)
        : await inspectToken({ ...given, access: way }, project);
    },
  };

  /** An App has one webhook for all its repositories; otherwise each repository has its own. */
  async function missed(project: string, since: Date): Promise<MissedDelivery[] | null> {
    if (way.kind === "app") {
      const { id } = await getRepository(call, project);
      return await missedDeliveries(way.call, "/app/hook/deliveries", { since, repositoryId: id });
    }
    if (options.webhookUrl === null) return null;
    const hooks = await call(project, { method: "GET", path: "/hooks", query: { per_page: 100 } });
    const hook = hookTo(options.webhookUrl, hooks);
    if (hook === null) return null;
    const path = `${pathOf(project)}/hooks/${hook.id}/deliveries`;
    return await missedDeliveries(way.call, path, { since, repositoryId: null });
  }
}

function wayIn(credentials: GithubOptions["credentials"], apiUrl: string, deps: GateDeps): Way {
  const makeCaller = callersOf(apiUrl, deps);
  return credentials.kind === "token"
    ? { kind: "token", ...tokenAccess(credentials.token, makeCaller) }
    : { kind: "app", ...appAccess(credentials, { makeCaller, clock: deps.clock }) };
}

/** Null if webhooks do not exist or are not visible. */
async function untold<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return null;
    throw error;
  }
}

const PAGE = 100;
/** 10,000 issues, repositories or installations. */
const MOST_PAGES = 100;

const issues = z.array(
  answers.issue.pick({ number: true, pull_request: true }).extend({ repository: z.object({ full_name: z.string() }) }),
);
const repositories = z.object({
  repositories: z.array(
    z.object({ full_name: z.string(), archived: z.boolean().optional(), has_issues: z.boolean().optional() }),
  ),
});
const installations = z.array(z.object({ id: z.number(), suspended_at: z.string().nullish() }));

/** Open issues in any repository that are assigned to the owner of a token. */
async function assignedToOwner(call: Call): Promise<IssueAddress[]> {
  const query = { filter: "assigned", state: "open", per_page: PAGE };
  const found: IssueAddress[] = [];
  for await (const body of listed(call, "/issues", query)) {
    for (const { number, pull_request, repository } of read(issues, body, "assigned issues")) {
      if (!pull_request) found.push(addressOf(repository.full_name, number));
    }
  }
  return found;
}

/** Open issues in the repositories of all installations that are assigned to one of the App's logins. */
async function assignedToApp(app: AppAccess, calledAs: readonly string[]): Promise<IssueAddress[]> {
  const found = new Map<string, IssueAddress>();
  for await (const body of listed(app.call, "/app/installations", { per_page: PAGE })) {
    for (const { id, suspended_at } of read(installations, body, "the App's installations")) {
      if (typeof suspended_at === "string") continue;
      const { call } = app.installation(id);
      for (const project of await repositoriesOf(call)) {
        for (const assignee of calledAs) {
          for (const number of await assignedIn(call, project, assignee)) {
            found.set(`${project}#${number}`, addressOf(project, number));
          }
        }
      }
    }
  }
  return [...found.values()];
}

async function repositoriesOf(call: Call): Promise<string[]> {
  const found: string[] = [];
  for await (const body of listed(call, "/installation/repositories", { per_page: PAGE })) {
    const page = read(repositories, body, "the repositories of an installation").repositories;
    found.push(...page.filter(canBeWorkedOn).map(({ full_name }) => full_name));
  }
  return found;
}

function canBeWorkedOn({ archived, has_issues }: { archived?: boolean | undefined; has_issues?: boolean | undefined }) {
  return archived !== true && has_issues !== false;
}

/** Empty if GitHub does not know the assignee. */
async function assignedIn(call: Call, project: string, assignee: string): Promise<number[]> {
  const found: number[] = [];
  try {
    for await (const body of listed(call, `/repos/${project}/issues`, { assignee, state: "open", per_page: PAGE })) {
      const page = read(z.array(answers.issue), body, `the issues of ${project}`);
      found.push(...page.filter((one) => !one.pull_request).map(({ number }) => number));
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

function addressOf(project: string, number: number): IssueAddress {
  return { provider: "github", externalProjectId: project, externalIssueId: String(number) };
}
