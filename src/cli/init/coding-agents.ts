import { PRESETS } from "../../adapters/agents/presets/presets.ts";
import { programFolders } from "../../adapters/sandbox/environment.ts";
import { whereProgramIs } from "../../adapters/sandbox/find-program.ts";

export type PresetName = keyof typeof PRESETS;

/** The agents that can be named without more settings, in the order in which they are proposed. */
export const PRESET_NAMES: readonly PresetName[] = ["claude", "codex", "opencode", "gemini", "cursor", "pi"];

/** Those of them that are on this account's PATH. */
export async function installedAgents(): Promise<PresetName[]> {
  const where = { cwd: "/", folders: programFolders() };
  const found = await Promise.all(PRESET_NAMES.map(async (name) => await whereProgramIs(PRESETS[name].program, where)));
  return PRESET_NAMES.filter((_name, at) => found[at] !== null);
}

/** Which keys an agent cannot do without, for people; null where that depends on its model. */
export function keysFor(name: PresetName): string | null {
  const preset: { needs?: string } = PRESETS[name];
  return preset.needs ?? null;
}
