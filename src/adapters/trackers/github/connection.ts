import { RelayError } from "../../../lib/errors.ts";
import type { MissedDelivery, ForgeConnection } from "../connection.ts";
import { remembered } from "../connection.ts";
import type { Forge } from "../code-host.ts";
import type { AppAccess, AppOptions } from "./app-access.ts";
import { appAccess } from "./app-access.ts";
import { assignedToApp, assignedToOwner } from "./assigned.ts";
import type { GateDeps } from "./callers.ts";
import { callersOf } from "./callers.ts";
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
import { githubReactions } from "./reactions.ts";
import { githubReviews } from "./reviews.ts";
import { getRepository, pathOf, repositoryCalls } from "./repository.ts";
import type { TokenAccess } from "./token-access.ts";
import { tokenAccess } from "./token-access.ts";
import { webAddress } from "./web-pages.ts";

export interface GithubOptions {
  /** Address of the REST API: `https://api.github.com`, or `https://ghe.example/api/v3`. */
  apiUrl: string;
  /** A token of a person or a machine user, or a GitHub App. */
  credentials: { kind: "token"; token: string } | ({ kind: "app" } & AppOptions);
  /** A login besides its own by which Relay is assigned and mentioned (`BOT_USERNAME`). */
  botUsername: string | null;
  /** Where GitHub reaches Relay's webhooks; null where Relay does not know. */
  webhookUrl: string | null;
}

type Way = ({ kind: "app" } & AppAccess) | ({ kind: "token" } & TokenAccess);

/** GitHub, or an Enterprise server, with the credentials that Relay has for it. Nothing is asked before it is needed. */
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
      calledAs: names.filter((name, at) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at),
      ...githubIssues(call),
      ...githubComments(call, { apiUrl }),
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

/** Null where webhooks are not there, or not to be seen. */
async function untold<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return null;
    throw error;
  }
}
