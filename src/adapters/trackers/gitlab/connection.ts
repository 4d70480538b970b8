import { type Call, pages } from "../pages.ts";
import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { type ForgeConnection, remembered } from "../connection.ts";
import { settlingTime } from "../http/http.ts";
import { type TrackerHttpOptions, createTrackerHttp } from "../http/tracker-http.ts";
import type { Forge } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { callsOf, isIssueType, lostAccess, quotaOf } from "./calls.ts";
import { hookTo, makeHook, missedDeliveries, unlessHidden } from "./hooks.ts";
import { inspect } from "./inspect.ts";
import { gitlabTracker } from "./tracker.ts";

export interface GitlabOptions {
  /** URL of its web pages: `https://gitlab.com`, `https://host/gitlab`. */
  url: string;
  /** A token of a person, project, group or service account, with the scope `api`. */
  token: string;
  /** An additional login by which people assign and mention Relay (`BOT_USERNAME`). */
  botUsername: string | null;
  /** The public URL of Relay's webhooks; null if unknown. */
  webhookUrl: string | null;
}

export type GitlabDeps = Pick<TrackerHttpOptions, "quotas" | "clock" | "timeoutMs" | "fetch">;

const PAGE = 100;
const MOST_PAGES = 50;

/** GitLab with Relay's token for it. Lazy: no request before the first use. */
export function gitlabConnection(options: GitlabOptions, deps: GitlabDeps): ForgeConnection {
  const baseUrl = options.url.replace(/\/+$/, "");
  const apiUrl = `${baseUrl}/api/v4`;
  const { token, botUsername, webhookUrl } = options;
  const http = createTrackerHttp({
    ...deps,
    baseUrl: apiUrl,
    name: "GitLab",
    lostAccess,
    // Accepts tokens of all kinds, including OAuth.
    authorization: async () => await Promise.resolve({ authorization: `Bearer ${token}` }),
  });
  const call = callsOf(http, quotaOf(apiUrl, token));

  async function connect(): Promise<Forge> {
    const { body } = await call({ method: "GET", path: "/user" });
    const { id, username: bot, name, commit_email: chosen } = read(answers.ownUser, body, "the token's owner");
    const other = botUsername !== null && !sameLogin(botUsername, bot) ? [botUsername] : [];
    return gitlabTracker(call, {
      bot,
      calledAs: [bot, ...other],
      commitAuthor: {
        name: name.trim() || bot,
        email: chosen?.trim() || `${id}-${bot}@users.noreply.${new URL(baseUrl).hostname}`,
      },
      settlesAfterMs: settlingTime(deps.timeoutMs),
      graphqlUrl: `${baseUrl}/api/graphql`,
    });
  }

  const tracker = remembered(connect);

  return {
    provider: "gitlab",
    baseUrl,
    tracker,
    listAssigned: async () => {
      const { bot, calledAs } = await tracker();
      const found: IssueAddress[] = [];
      for (const login of calledAs) {
        const query = login === bot ? { scope: "assigned_to_me" } : { scope: "all", assignee_username: login };
        found.push(...(await assigned(call, query)));
      }
      return [...new Map(found.map((one) => [`${one.externalProjectId}#${one.externalIssueId}`, one])).values()];
    },
    // GitLab's log belongs to the webhook of a project.
    listMissedProjects: async () => await Promise.resolve([]),
    listMissedDeliveries: async (project, since) => {
      if (webhookUrl === null) return null;
      const hook = await unlessHidden(hookTo(call, project, webhookUrl));
      return hook === null ? null : await unlessHidden(missedDeliveries(call, { project, hookId: hook.id, since }));
    },
    makeWebhook: async (project, secret) =>
      webhookUrl === null ? null : await unlessHidden(makeHook(call, project, { url: webhookUrl, secret })),
    // GitLab ignores the user name if the password is a token; this one works for all kinds.
    gitCredential: async () => await Promise.resolve({ username: "oauth2", password: token }),
    inspect: async (project) => await inspect({ call, baseUrl, webhookUrl, clock: deps.clock }, project),
  };
}

/** Open issues of all projects, by the projects' current paths. */
async function assigned(call: Call, filter: Record<string, string>): Promise<IssueAddress[]> {
  const query = { ...filter, state: "opened", per_page: PAGE };
  const found: IssueAddress[] = [];
  for await (const body of pages(call, { method: "GET", path: "/issues", query }, MOST_PAGES)) {
    for (const { iid, references, issue_type: type } of read(
      z.array(answers.issue),
      body,
      "the issues that Relay is assigned to",
    )) {
      const project = references?.full.replace(/#\d+$/, "");
      if (project === undefined || !isIssueType(type)) continue;
      found.push({ provider: "gitlab", externalProjectId: project, externalIssueId: String(iid) });
    }
  }
  return found;
}
