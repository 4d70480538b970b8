import { type Call, pages } from "../pages.ts";
import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import { type AssignedIssues, type ForgeConnection, once } from "../connection.ts";
import type { IssueGlance, RequestGlance } from "../tracker.ts";
import { glance } from "./issues.ts";
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
const MOST_PAGES = 100;

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

  const tracker = once(connect);

  return {
    provider: "gitlab",
    baseUrl,
    tracker,
    listAssigned: async (since) => {
      const { bot, calledAs } = await tracker();
      const found = new Map<string, IssueGlance>();
      const cuts: Date[] = [];
      for (const login of calledAs) {
        const query = login === bot ? { scope: "assigned_to_me" } : { scope: "all", assignee_username: login };
        const { issues, cutAt } = await assigned(call, query, since);
        for (const one of issues) found.set(`${one.externalProjectId}#${one.externalIssueId}`, one);
        if (cutAt !== null) cuts.push(cutAt);
      }
      const [cutAt = null] = cuts.toSorted((one, other) => one.getTime() - other.getTime());
      return { issues: [...found.values()], cutAt };
    },
    listChangedRequests: async (since) => await changedRequests(call, since),
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

const IN_ORDER = { order_by: "updated_at", sort: "asc", per_page: PAGE };

/** Open issues of all projects, by the projects' current paths. */
async function assigned(call: Call, filter: Record<string, string>, since: Date | null): Promise<AssignedIssues> {
  const from = since === null ? {} : { updated_after: since.toISOString() };
  const query = { ...filter, ...from, ...IN_ORDER, state: "opened" };
  const found: IssueGlance[] = [];
  let seen = 0;
  let last: Date | null = null;
  for await (const body of pages(call, { method: "GET", path: "/issues", query }, MOST_PAGES)) {
    const page = read(z.array(answers.issue), body, "the issues that Relay is assigned to");
    seen += page.length;
    last = page.at(-1)?.updated_at ?? last;
    for (const one of page) {
      const project = one.references?.full.replace(/#\d+$/, "");
      if (project !== undefined && isIssueType(one.issue_type)) found.push(glance(project, one));
    }
  }
  return { issues: found, cutAt: seen >= MOST_PAGES * PAGE ? last : null };
}

/** Relay's own merge requests of all projects, one request for as many as a page holds. */
async function changedRequests(call: Call, since: Date) {
  const query = { scope: "created_by_me", state: "all", updated_after: since.toISOString(), ...IN_ORDER };
  const found: (RequestGlance & { externalProjectId: string })[] = [];
  for await (const body of pages(call, { method: "GET", path: "/merge_requests", query }, MOST_PAGES)) {
    for (const { iid, state, updated_at: updatedAt, references } of read(listed, body, "Relay's merge requests")) {
      const project = references?.full.replace(/!\d+$/, "");
      if (project === undefined) continue;
      const isOver = state === "merged" || state === "closed";
      found.push({ externalProjectId: project, number: iid, state: isOver ? "closed" : "open", updatedAt });
    }
  }
  return found;
}

const listed = z.array(
  answers.mergeRequest
    .pick({ iid: true, state: true, updated_at: true })
    .extend({ references: z.object({ full: z.string() }).nullish() }),
);
