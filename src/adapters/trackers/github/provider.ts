import { z } from "zod";
import type { HostedProvider } from "../provider.ts";
import { address, clientId, described, oauthClient, writesPerMinute } from "../settings.ts";
import { githubCredentials } from "./credentials.ts";
import { apiAddress, webAddress } from "./web-pages.ts";

const WRITES_PER_MINUTE = 80;

export const githubSettings = z
  .strictObject({
    api_url: address("https://api.github.com").meta(
      described("Address of GitHub's API; of an Enterprise server https://HOST/api/v3 (GITHUB_API_URL)."),
    ),
    app_id: z
      .union([z.int().positive().transform(String), z.string().regex(/^[\w.-]{1,100}$/)], {
        error: "must be the id of a GitHub App, as its settings show it",
      })
      .optional()
      .meta(described("Id of the GitHub App that Relay acts as (GITHUB_APP_ID); without it, GITHUB_TOKEN is used.")),
    private_key_file: z
      .string()
      .min(1)
      .optional()
      .meta(
        described("File of the App's private key, PEM (GITHUB_PRIVATE_KEY_FILE; or the key in GITHUB_PRIVATE_KEY)."),
      ),
    client_id: clientId("GITHUB_CLIENT_ID", "the GitHub App, or of an OAuth app,"),
    writes_per_minute: writesPerMinute(WRITES_PER_MINUTE, "GITHUB_WRITES_PER_MINUTE"),
  })
  .prefault({});

interface GithubConfig {
  github: z.infer<typeof githubSettings>;
  bot: { username?: string | undefined };
}

export const github: HostedProvider<GithubConfig> = {
  name: "github",
  title: "GitHub",
  docs: "docs/github.md",
  requestSign: "#",
  requestWord: "pull request",
  commentAnchor: "#issuecomment-",
  filesAt: "/blob/",
  // Rendered files have lines in their source only.
  linesAt: (path, start, end) =>
    `${/\.(?:md|markdown|mdown|mkdn?|rst|adoc|asciidoc|org|textile|rdoc|pod|ipynb|csv|tsv|svg)$/i.test(path) ? "?plain=1" : ""}#L${start}${end === start ? "" : `-L${end}`}`,
  codeOwners: { paths: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"], dialect: "flat" },
  codeReaders: "read",
  variables: {
    GITHUB_WRITES_PER_MINUTE: { path: ["github", "writes_per_minute"], kind: "budget" },
    GITHUB_API_URL: { path: ["github", "api_url"], kind: "text" },
    GITHUB_CLIENT_ID: { path: ["github", "client_id"], kind: "text" },
    GITHUB_APP_ID: { path: ["github", "app_id"], kind: "text" },
    GITHUB_PRIVATE_KEY_FILE: { path: ["github", "private_key_file"], kind: "text" },
  },
  // GitHub limits requests that create content to 80 per minute and 500 per hour.
  limits: { reserve: 50, writes: { perMinute: WRITES_PER_MINUTE, burst: 10, perHour: 500 } },
  pushNeeds: "the permission Contents: read and write",
  signIn: "set GITHUB_TOKEN, or make an App with `relay init --github-app`; docs/github.md has both ways",
  oauth: ({ github: { api_url, client_id } }, env) => {
    const client = oauthClient(client_id, "GITHUB_CLIENT_ID", env);
    if (client === null) return null;
    const web = webAddress(api_url);
    return {
      ...client,
      authorizeUrl: `${web}/login/oauth/authorize`,
      tokenUrl: `${web}/login/oauth/access_token`,
      userUrl: `${api_url}/user`,
      user: z.object({ id: z.number(), login: z.string() }).transform(({ id, login }) => ({ id: String(id), login })),
      scope: null,
      revocation: (token) => ({
        url: `${api_url}/applications/${encodeURIComponent(client.id)}/token`,
        init: {
          method: "DELETE",
          headers: {
            accept: "application/vnd.github+json",
            "user-agent": "relay",
            authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`,
          },
          body: JSON.stringify({ access_token: token }),
        },
      }),
    };
  },
  credentials: (config, env) => {
    const found = githubCredentials(config.github, env);
    if (found === null) return null;
    return found.kind === "app"
      ? `App ${found.appId}, with its private key`
      : `a token of ${found.token.length} characters`;
  },
  connect: async (config, env, { clock, webhookUrl, quotasFor }) => {
    const credentials = githubCredentials(config.github, env);
    if (credentials === null) return null;
    const { githubConnection } = await import("./connection.ts");
    return githubConnection(
      { apiUrl: config.github.api_url, credentials, botUsername: config.bot.username ?? null, webhookUrl },
      { clock, quotas: await quotasFor(github.limits, config.github.writes_per_minute) },
    );
  },
  webhooks: async (options) => (await import("./webhook.ts")).githubWebhooks(options),
  ci: {
    nameIn: "GITHUB_EVENT_NAME",
    projectIn: "GITHUB_REPOSITORY",
    scheduled: ["schedule", "workflow_dispatch"],
    isOwn: (name) => name !== null,
    callOf: ({ name, id, body }) => ({
      // A workflow hears of requests also by an event of another name, which no webhook has.
      headers: new Headers({
        "x-github-event": name === "pull_request_target" ? "pull_request" : (name ?? ""),
        "x-github-delivery": id,
      }),
      body,
    }),
  },
  publicReader: async (config, { clock, quotasFor }) => {
    const { githubReader } = await import("./public-reader.ts");
    const quotas = await quotasFor(github.limits, config.github.writes_per_minute);
    return githubReader(config.github.api_url, { clock, quotas });
  },
  pageOf: (path) => {
    const [, project, kind, number] = /^([^/]+\/[^/]+)\/(issues|pull)\/([1-9]\d{0,9})(?:\/|$)/.exec(path) ?? [];
    if (project === undefined || number === undefined) return null;
    return { kind: kind === "pull" ? "request" : "issue", project, number };
  },
  isProjectName: (name) => name.split("/").length === 2,
  setUp: {
    hint: "github.com or your own server",
    web: "https://github.com",
    webOf: (config) => webAddress(config.github.api_url),
    isHost: (hostname) => hostname.includes("github") || hostname.endsWith(".ghe.com"),
    serverSettings: (web) => ({
      comment: "The API of your GitHub server.",
      value: { github: { api_url: apiAddress(web) } },
    }),
    tokenStep: (web, secretsFile) =>
      `Make a token of Relay's own account at ${web}/settings/tokens, with the scope repo, and write it into ${secretsFile}: GITHUB_TOKEN=…`,
    webhookStep: (place, url) =>
      `Add a webhook at ${place}/settings/hooks/new: URL ${url}, content type application/json, secret: the value of GITHUB_WEBHOOK_SECRET, events: Issues, Issue comments, Pull requests, Pull request reviews, Pull request review comments, Check suites, Pushes`,
  },
};
