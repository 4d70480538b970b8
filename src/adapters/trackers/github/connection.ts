import { RelayError } from "../../../lib/errors.ts";
import { type ForgeConnection, type MissedDelivery, once } from "../connection.ts";
import type { Forge } from "../code-host.ts";
import { type AppAccess, type AppOptions, appAccess } from "./app-access.ts";
import { type GateDeps, callersOf } from "./callers.ts";
import { settlingTime } from "../http/http.ts";
import { githubChecks } from "./checks.ts";
import { githubCommitting } from "./commit-author.ts";
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
import { assignedToApp, assignedToOwner, missedProjects } from "./accessible.ts";

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
    const { bot, calledAs, profile } = await way.identity();
    const names = options.botUsername === null ? calledAs : [...calledAs, options.botUsername];
    return {
      provider: "github",
      bot,
      hasConfidentialIssues: false,
      hasHiddenComments: true,
      calledAs: names.filter((name, at) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at),
      settlesAfterMs: settlingTime(deps.timeoutMs),
      ...githubIssues(call),
      ...githubComments(call, { apiUrl }),
      ...githubInspection(graphql),
      // Only people who may triage can assign.
      assignerOf: async () => await Promise.resolve(null),
      ...githubReactions(call),
      ...githubLabels(call),
      ...githubProjects(call),
      ...githubCommitting({ bot, profile, web }, way),
      ...githubPullRequests(call, githubDraft(graphql)),
      ...githubReviews(call, graphql),
      ...githubChecks(call),
    };
  }

  const tracker = once(connect);
  let missedUntil: Date | null = null;

  return {
    provider: "github",
    baseUrl: web,
    tracker,
    listAssigned: async (since) => {
      if (way.kind === "token") {
        return await assignedToOwner(way.call, since).catch(async (error: unknown) => {
          // Nothing can be assigned to an App.
          if ((await tracker()).bot.endsWith("[bot]")) return { issues: [], cutAt: null };
          throw error;
        });
      }
      // GitHub has no list for an App over all repositories; the list of each known repository shows what changed, and
      // `listMissedProjects` failed deliveries of others.
      if (since !== null) return { issues: [], cutAt: null };
      return { issues: await assignedToApp(way, (await tracker()).calledAs), cutAt: null };
    },
    listChangedRequests: async () => await Promise.resolve([]),
    listMissedProjects: async (now, known) => {
      if (way.kind === "token") return [];
      // GitHub keeps its list for three days.
      const since = missedUntil ?? new Date(now.getTime() - 3 * 86_400_000);
      const found = (await untold(async () => await missedProjects(way, since, known))) ?? [];
      missedUntil = new Date(now.getTime() - MARGIN_MS);
      return found;
    },
    listMissedDeliveries: async (project, since) => await untold(async () => await missed(project, since)),
    // An App has its own webhook; with a token, a person makes it.
    makeWebhook: async () => await Promise.resolve(null),
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
    ? { kind: "token", ...tokenAccess(credentials.token, makeCaller, graphqlAddress(apiUrl)) }
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

/** Milliseconds by which the list of deliveries may be behind. */
const MARGIN_MS = 10 * 60_000;
