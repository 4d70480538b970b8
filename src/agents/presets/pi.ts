import type { Preset, Start } from "../preset.ts";
import { keyVariable, MODEL_HOSTS, MODEL_VARIABLES, versionedAddress } from "./model-variables.ts";

/**
 * pi: https://github.com/badlogic/pi-mono. Its JSON events repeat all that was said before with each word, so that a
 * file of some size alone is a flood; its text is the last answer.
 */
export const pi: Preset = {
  name: "pi",
  program: "pi",
  hosts: MODEL_HOSTS,
  variables: MODEL_VARIABLES,

  settings: (start) => ({
    files: [{ path: "pi/models.json", text: JSON.stringify(models(start)) }],
    environment: { PI_CODING_AGENT_DIR: `${start.home}/pi`, PI_OFFLINE: "1" },
  }),

  call: ({ prompt, model, freedom }: Start) => ({
    args: [
      "--print",
      "--mode",
      "text",
      "--no-session",
      "--no-extensions",
      ...(freedom === "everything" ? [] : ["--tools", "read,edit,write,grep,find,ls"]),
      ...(model === null ? [] : ["--provider", providerName(model.provider), "--model", model.name]),
    ],
    input: prompt,
  }),

  hear: null,
};

function providerName(provider: string): string {
  return provider === "openai-compatible" ? "relay" : provider;
}

function models(start: Start): unknown {
  const { model } = start;
  const address = model?.provider === "anthropic" ? start.environment["ANTHROPIC_BASE_URL"] : versionedAddress(start);
  if (model === null || address === null || address === undefined) return { providers: {} };
  const own =
    model.provider === "openai-compatible"
      ? { api: "openai-completions", apiKey: keyVariable(model.provider), models: [{ id: model.name }] }
      : {};
  return { providers: { [providerName(model.provider)]: { baseUrl: address, ...own } } };
}
