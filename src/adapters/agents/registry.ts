/*
 * The coding agents that a configuration may name (R-WORK-3): a file each, and a line each here. The file is loaded
 * when its agent is used, so that `--help` and the configuration only pay for the names.
 */

/** Command lines that need no settings besides a key, in the order in which `relay init` offers them. */
export const PRESETS = [
  { name: "claude", load: async () => (await import("./presets/claude.ts")).claude },
  { name: "codex", load: async () => (await import("./presets/codex.ts")).codex },
  { name: "opencode", load: async () => (await import("./presets/opencode.ts")).opencode },
  { name: "gemini", load: async () => (await import("./presets/gemini.ts")).gemini },
  { name: "cursor", load: async () => (await import("./presets/cursor.ts")).cursor },
  { name: "pi", load: async () => (await import("./presets/pi.ts")).pi },
] as const;

/** Agents that need a setting of their own: a command, or a patch. */
export const CUSTOM_AGENTS = [
  { name: "acp", load: async () => (await import("./acp/acp.ts")).acp },
  { name: "command", load: async () => (await import("./command.ts")).command },
  { name: "script", load: async () => (await import("./script.ts")).script },
] as const;

export type PresetName = (typeof PRESETS)[number]["name"];
export const PRESET_NAMES = PRESETS.map(({ name }) => name);

export type AgentName = PresetName | (typeof CUSTOM_AGENTS)[number]["name"];
export const AGENT_NAMES: readonly AgentName[] = [...PRESETS, ...CUSTOM_AGENTS].map(({ name }) => name);
