import { isCancel, select, text } from "@clack/prompts";
import { HOSTED, HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import type { HostedName } from "../../domain/issue.ts";
import { modelName } from "../../config/schema.ts";
import { Interrupted } from "../terminal.ts";
import type { Choices, Interview } from "./choices.ts";
import { type PresetName, PRESET_NAMES } from "../../adapters/agents/registry.ts";
import type { MadeApp } from "../../adapters/trackers/github/app-manifest.ts";
import { keysFor } from "./coding-agents.ts";

/** The questions of the set-up, in the terminal. */
export const interviewInTerminal: Interview = {
  tracker: async (likely) => {
    const answer = await select<HostedName | "none">({
      message: "Where are your issues?",
      options: [
        ...HOSTED_PROVIDERS.map(({ name, title, setUp }) => ({ value: name, label: title, hint: setUp.hint })),
        { value: "none", label: "In files only, for now" },
      ],
      initialValue: likely,
      output: process.stderr,
    });
    if (isCancel(answer)) throw stopped();
    return answer;
  },
  web: async (_tracker, likely) => await ask("Its address?", likely, isAddress),
  project: async (likely) => {
    const name = await ask(
      "The repository that Relay works in (owner/name), or * for all that call it?",
      likely ?? "*",
    );
    return name === "*" ? null : name;
  },
  publicUrl: async () => {
    const url = await ask(
      "Under which address does the tracker reach Relay? Enter alone if you do not know yet.",
      "",
      (value) => (value === "" ? undefined : isAddress(value)),
    );
    return url === "" ? null : url;
  },
  model: async (likely) =>
    await ask("Who plans and writes? offline (rules), or a model as provider/name", likely, (value) =>
      modelName.safeParse(value).success ? undefined : "offline, or provider/name",
    ),
  agent: async (installed) => {
    const answer = await select<PresetName | "none">({
      message: "Which coding agent should carry out approved plans?",
      options: [
        ...installed.map((name) => ({ value: name, label: name, hint: "installed" })),
        { value: "none", label: "Nobody, for now: Relay plans only" },
        ...PRESET_NAMES.filter((name) => !installed.includes(name)).map((name) => ({
          value: name,
          label: name,
          hint: "not installed here",
        })),
      ],
      initialValue: installed[0] ?? "none",
      output: process.stderr,
    });
    if (isCancel(answer)) throw stopped();
    return answer === "none" ? null : answer;
  },
};

async function ask(
  message: string,
  likely: string,
  complaint: (value: string) => string | undefined = () => undefined,
): Promise<string> {
  const answer = await text({
    message,
    placeholder: likely,
    defaultValue: likely,
    validate: (value) => complaint(value === undefined || value === "" ? likely : value),
    output: process.stderr,
  });
  if (isCancel(answer)) throw stopped();
  return answer.trim();
}

function isAddress(value: string): string | undefined {
  return /^https?:\/\/[^\s/]+/.test(value) ? undefined : "an address like https://git.example.com";
}

function stopped(): Interrupted {
  return new Interrupted("stopped; nothing was written");
}

interface Given {
  choices: Choices;
  /** The file of secrets. */
  secrets: string;
  /** The new App, if one was created. */
  app: MadeApp | null;
  /** Whether the project's webhook is there, made with Relay's token. */
  hasWebhook: boolean;
}

/** The remaining steps for a person, in order; the docs say more. */
export async function nextSteps({ choices, secrets, app, hasWebhook }: Given): Promise<string[]> {
  const { tracker, agent } = choices;
  const keys = agent === null ? null : await keysFor(agent);
  const keyStep = agent === null || keys === null ? [] : [`Give ${agent} its key, in the environment: ${keys}`];
  if (tracker === null) {
    const work = agent === null ? [] : ["relay work ISSUE.md: the same, up to a branch with the change"];
    return [...keyStep, "relay spec ISSUE.md: the spec of one issue from a file", ...work];
  }
  return [
    ...(app !== null
      ? [`Install the App: ${app.page}/installations/new`]
      : hasWebhook
        ? []
        : [HOSTED[tracker].setUp.tokenStep(choices.web, secrets)]),
    ...keyStep,
    `Load the secrets: set -a; . ${inShell(secrets)}; set +a`,
    "Start Relay: relay serve",
    ...(app === null && !hasWebhook ? [webhookStep(choices, tracker)] : []),
    "See that all is well: relay doctor",
  ];
}

function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function webhookStep({ web, project, publicUrl }: Choices, tracker: HostedName): string {
  const url = `${publicUrl ?? "https://YOUR-PUBLIC-ADDRESS"}/webhooks/${tracker}`;
  return HOSTED[tracker].setUp.webhookStep(`${web}/${project ?? "OWNER/NAME"}`, url);
}
