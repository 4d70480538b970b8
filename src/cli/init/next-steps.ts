import type { Hosted } from "../../app/tracker-connections.ts";
import type { MadeApp } from "../../adapters/trackers/github/app-manifest.ts";
import type { Choices } from "./choices.ts";
import { keysFor } from "./coding-agents.ts";

interface Given {
  choices: Choices;
  /** The file of secrets. */
  secrets: string;
  /** The App that was made, if one was. */
  app: MadeApp | null;
}

/** What a person has to do now, in this order; the docs say more. */
export async function nextSteps({ choices, secrets, app }: Given): Promise<string[]> {
  const { tracker, agent } = choices;
  const keys = agent === null ? null : await keysFor(agent);
  const keyStep = agent === null || keys === null ? [] : [`Give ${agent} its key, in the environment: ${keys}`];
  if (tracker === null) {
    const work = agent === null ? [] : ["relay work ISSUE.md: the same, up to a branch with the change"];
    return [...keyStep, "relay spec ISSUE.md: the spec of one issue from a file", ...work];
  }
  return [
    ...(app === null ? [tokenStep(choices, tracker, secrets)] : [`Install the App: ${app.page}/installations/new`]),
    ...keyStep,
    `Load the secrets: set -a; . ${inShell(secrets)}; set +a`,
    "Start Relay: relay serve",
    ...(app === null ? [webhookStep(choices, tracker)] : []),
    "See that all is well: relay doctor",
  ];
}

function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function tokenStep({ web }: Choices, tracker: Hosted, secrets: string): string {
  return tracker === "github"
    ? `Make a token of Relay's own account at ${web}/settings/tokens, with the scope repo, and write it into ${secrets}: GITHUB_TOKEN=…`
    : `Make a token of Relay's own account at ${web}/-/user_settings/personal_access_tokens, with the scope api, and write it into ${secrets}: GITLAB_TOKEN=…`;
}

function webhookStep({ web, project, publicUrl }: Choices, tracker: Hosted): string {
  const url = `${publicUrl ?? "https://YOUR-PUBLIC-ADDRESS"}/webhooks/${tracker}`;
  const where = `${web}/${project ?? "OWNER/NAME"}`;
  return tracker === "github"
    ? `Add a webhook at ${where}/settings/hooks/new: URL ${url}, content type application/json, secret: the value of GITHUB_WEBHOOK_SECRET, events: ${GITHUB_EVENTS}`
    : `Add a webhook at ${where}/-/hooks: URL ${url}, secret token: the value of GITLAB_WEBHOOK_SECRET, events: ${GITLAB_EVENTS}`;
}

/** As the settings of webhooks name them. */
const GITHUB_EVENTS =
  "Issues, Issue comments, Pull requests, Pull request reviews, Pull request review comments, Check suites";
const GITLAB_EVENTS = "Issues events, Comments, Merge request events, Pipeline events";
