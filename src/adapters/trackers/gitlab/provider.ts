import { z } from "zod";
import { type Environment, readSecret } from "../../../lib/secret-variable.ts";
import type { HostedProvider } from "../provider.ts";
import { address, clientId, described, oauthClient, writesPerMinute } from "../settings.ts";

const WRITES_PER_MINUTE = 60;

const GITLAB_COM = "https://gitlab.com";

export const gitlabSettings = z
  .strictObject({
    url: address(GITLAB_COM).meta(described("Address of the GitLab server (GITLAB_URL).")),
    client_id: clientId("GITLAB_CLIENT_ID", "the OAuth application"),
    writes_per_minute: writesPerMinute(WRITES_PER_MINUTE, "GITLAB_WRITES_PER_MINUTE"),
  })
  .prefault({});

interface GitlabConfig {
  gitlab: z.infer<typeof gitlabSettings>;
  bot: { username?: string | undefined };
}

const tokenIn = (env: Environment) => readSecret("GITLAB_TOKEN", env);

export const gitlab: HostedProvider<GitlabConfig> = {
  name: "gitlab",
  title: "GitLab",
  docs: "docs/gitlab.md",
  requestSign: "!",
  requestWord: "merge request",
  commentAnchor: "#note_",
  filesAt: "/-/blob/",
  // Rendered files have lines in their source only.
  linesAt: (path, start, end) =>
    `${/\.(?:md|markdown|mdown|mkdn?|rst|adoc|asciidoc|org|textile|rdoc|ipynb|csv|svg)$/i.test(path) ? "?plain=1" : ""}#L${start}${end === start ? "" : `-${end}`}`,
  codeOwners: { paths: ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"], dialect: "sectioned" },
  // Guests read issues, and code only where everybody does.
  codeReaders: "triage",
  variables: {
    GITLAB_WRITES_PER_MINUTE: { path: ["gitlab", "writes_per_minute"], kind: "budget" },
    GITLAB_CLIENT_ID: { path: ["gitlab", "client_id"], kind: "text" },
    GITLAB_URL: { path: ["gitlab", "url"], kind: "text" },
  },
  // gitlab.com allows 60 comments per minute, and counts all requests by the minute.
  limits: { reserve: 50, windowMs: 60_000, writes: { perMinute: WRITES_PER_MINUTE, burst: 10 } },
  pushNeeds: "the role Developer",
  signIn: "set GITLAB_TOKEN; docs/gitlab.md says how to make one",
  oauth: ({ gitlab: { url, client_id } }, env) => {
    const client = oauthClient(client_id, "GITLAB_CLIENT_ID", env);
    if (client === null) return null;
    return {
      ...client,
      authorizeUrl: `${url}/oauth/authorize`,
      tokenUrl: `${url}/oauth/token`,
      userUrl: `${url}/api/v4/user`,
      user: z
        .object({ id: z.number(), username: z.string() })
        .transform(({ id, username }) => ({ id: String(id), login: username })),
      scope: "read_user",
      revocation: (token) => ({
        url: `${url}/oauth/revoke`,
        init: {
          method: "POST",
          body: new URLSearchParams({ client_id: client.id, client_secret: client.secret, token }),
        },
      }),
    };
  },
  credentials: (_config, env) => {
    const token = tokenIn(env);
    return token === null ? null : `a token of ${token.length} characters`;
  },
  connect: async (config, env, { clock, webhookUrl, quotasFor }) => {
    const token = tokenIn(env);
    if (token === null) return null;
    const { gitlabConnection } = await import("./connection.ts");
    return gitlabConnection(
      { url: config.gitlab.url, token, botUsername: config.bot.username ?? null, webhookUrl },
      { clock, quotas: await quotasFor(gitlab.limits, config.gitlab.writes_per_minute) },
    );
  },
  webhooks: async (options) => (await import("./webhook.ts")).gitlabWebhooks(options),
  // The discussion is shown to nobody who is not signed in.
  publicReader: null,
  ci: {
    nameIn: null,
    projectIn: "CI_PROJECT_PATH",
    scheduled: [],
    isOwn: (_name, event) => typeof event["object_kind"] === "string",
    callOf: ({ id, body }) => ({ headers: new Headers({ "idempotency-key": id }), body }),
  },
  inJob: (config, { GITLAB_CI: isJob, CI_SERVER_URL: url }) =>
    isJob === "true" && url && config.gitlab.url === GITLAB_COM
      ? { ...config, gitlab: { ...config.gitlab, url: url.replace(/\/+$/, "") } }
      : config,
  pageOf: (path) => {
    const [, project, kind, number] =
      /^([^/]+(?:\/[^/]+)+?)(?:\/-)?\/(issues|work_items|merge_requests)\/([1-9]\d{0,9})(?:\/|$)/.exec(path) ?? [];
    if (project === undefined || number === undefined) return null;
    return { kind: kind === "merge_requests" ? "request" : "issue", project, number };
  },
  isProjectName: (name) => name.split("/").length >= 2,
  setUp: {
    hint: "gitlab.com or your own server",
    web: "https://gitlab.com",
    webOf: (config) => config.gitlab.url,
    isHost: (hostname) => hostname.includes("gitlab"),
    serverSettings: (web) => ({ comment: "Your GitLab server.", value: { gitlab: { url: web } } }),
    tokenStep: (web, secretsFile) =>
      `Make a token of Relay's own account at ${web}/-/user_settings/personal_access_tokens, with the scope api, and write it into ${secretsFile}: GITLAB_TOKEN=…`,
    webhookStep: (place, url) =>
      `Add a webhook at ${place}/-/hooks: URL ${url}, secret token: the value of GITLAB_WEBHOOK_SECRET, events: Issues events, Comments, Confidential issues events, Confidential comments, Merge request events, Pipeline events, Push events`,
  },
};
