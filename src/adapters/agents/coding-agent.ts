import type { CodingAgent } from "./agent.ts";
import type { AgentSettings, Preset } from "./preset.ts";
import { type AgentName, type PresetName, CUSTOM_AGENTS, PRESETS } from "./registry.ts";
import { presetAgent } from "./run-preset.ts";

export interface AgentChoice extends AgentSettings {
  name: AgentName;
  /** Whether a sandbox confines its processes: only then may it do everything without approval. */
  sandboxed: boolean;
}

/** The configured agent. Throws `config` if it lacks a setting. */
export async function codingAgent({ name, sandboxed, ...settings }: AgentChoice): Promise<CodingAgent> {
  const freedom = sandboxed ? "everything" : "edits";
  const presets = await loadPresets();
  const preset = presets.find((each) => each.name === name);
  if (preset !== undefined) return presetAgent(name, preset, freedom);
  const custom = CUSTOM_AGENTS.find((each) => each.name === name);
  if (custom === undefined) throw new RangeError(`no coding agent is called ${name}`);
  return (await custom.load())(settings, freedom, presets);
}

/** All presets, in the order of the registry. */
export async function loadPresets(): Promise<(Preset & { name: PresetName })[]> {
  return await Promise.all(PRESETS.map(async ({ name, load }) => ({ ...(await load()), name })));
}
