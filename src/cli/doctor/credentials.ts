import type { Config } from "../../config/config.ts";
import { githubAccess, gitlabToken, webhookSecrets } from "../../config/config.ts";
import { missingWebhookSecret } from "../../config/secrets.ts";
import type { Hosted } from "../../app/tracker-connections.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";

type Environment = Record<string, string | undefined>;

export const TRACKER_NAMES: Record<Hosted, string> = { github: "GitHub", gitlab: "GitLab" };

const HOW_TO_GET_IN: Record<Hosted, string> = {
  github: "set GITHUB_TOKEN, or make an App with `relay init --github-app`; docs/github.md has both ways",
  gitlab: "set GITLAB_TOKEN; docs/gitlab.md says how to make one",
};

/**
 * What Relay signs in with, and what its webhooks are signed with: there, and long enough. Says nothing of a tracker
 * for which nothing is set, unless it is asked for. No value is told.
 *
 * @returns whether the tracker can be asked
 */
export async function examineCredentials(
  provider: Hosted,
  { config, env, isWanted }: { config: Config; env: Environment; isWanted: boolean },
  report: Report,
): Promise<boolean> {
  const name = TRACKER_NAMES[provider];
  const mend = HOW_TO_GET_IN[provider];
  if (!isWanted && isBlank(provider, config, env)) return false;
  const found = await attempt(report, { name: `${name} credentials`, mend }, () => {
    const detail = provider === "github" ? githubDetail(config, env) : gitlabDetail(env);
    if (detail !== null) return { value: true, detail };
    throw new RelayError("config", `nothing is set that Relay could sign in to ${name} with`);
  });
  const secret = { name: `${name} webhook secret`, mend: `see “The webhook” in docs/${provider}.md` };
  await attempt(report, secret, () => {
    const secrets = webhookSecrets(provider, env);
    if (secrets.length === 0) throw missingWebhookSecret(provider);
    return { value: true, detail: secrets.map((one) => `${one.length} characters`).join(" and ") };
  });
  return found === true;
}

function isBlank(provider: Hosted, config: Config, env: Environment): boolean {
  try {
    const access = provider === "github" ? githubAccess(config, env) : gitlabToken(env);
    return access === null && webhookSecrets(provider, env).length === 0;
  } catch {
    // What is wrong is told by the check.
    return false;
  }
}

function githubDetail(config: Config, env: Environment): string | null {
  const access = githubAccess(config, env);
  if (access === null) return null;
  return access.kind === "app" ? `App ${access.appId}, with its private key` : tokenDetail(access.token);
}

function gitlabDetail(env: Environment): string | null {
  const token = gitlabToken(env);
  return token === null ? null : tokenDetail(token);
}

function tokenDetail(token: string): string {
  return `a token of ${token.length} characters`;
}
