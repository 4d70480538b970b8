import { isCancel, select, text } from "@clack/prompts";
import { modelName } from "../../config/schema.ts";
import { Interrupted } from "../terminal.ts";
import type { Interview } from "./choices.ts";
import type { PresetName } from "../../adapters/agents/registry.ts";
import { PRESET_NAMES } from "../../adapters/agents/registry.ts";

/** The questions of the set-up, in the terminal. */
export const interviewInTerminal: Interview = {
  tracker: async (likely) => {
    const answer = await select({
      message: "Where are your issues?",
      options: [
        { value: "github" as const, label: "GitHub", hint: "github.com or your own server" },
        { value: "gitlab" as const, label: "GitLab", hint: "gitlab.com or your own server" },
        { value: "none" as const, label: "In files only, for now" },
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
      message: "Who carries a plan out once somebody said yes to it?",
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
