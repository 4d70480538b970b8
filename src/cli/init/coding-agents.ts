import { loadPresets } from "../../adapters/agents/coding-agent.ts";
import type { PresetName } from "../../adapters/agents/registry.ts";
import { programFolders } from "../../adapters/sandbox/environment.ts";
import { whereProgramIs } from "../../adapters/sandbox/find-program.ts";

/** The agents without further settings that are on this account's PATH, in the order in which they are offered. */
export async function installedAgents(): Promise<PresetName[]> {
  const where = { cwd: "/", folders: programFolders() };
  const presets = await loadPresets();
  const found = await Promise.all(presets.map(async ({ program }) => await whereProgramIs(program, where)));
  return presets.filter((_preset, at) => found[at] !== null).map(({ name }) => name);
}

/** The key that an agent requires, as text for people; null if that depends on its model. */
export async function keysFor(name: PresetName): Promise<string | null> {
  return (await loadPresets()).find((preset) => preset.name === name)?.needs ?? null;
}
