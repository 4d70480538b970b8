import { isAbsolute } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import { acpAgent } from "./acp/acp.ts";
import type { CodingAgent } from "./agent.ts";
import { commandPreset } from "./command.ts";
import type { Freedom } from "./preset.ts";
import { PRESETS } from "./presets/presets.ts";
import { presetAgent } from "./run-preset.ts";
import { scriptAgent } from "./script.ts";

/** The coding agents that a configuration may name (R-WORK-3). */
export const CODING_AGENTS = [
  "claude",
  "codex",
  "opencode",
  "gemini",
  "cursor",
  "pi",
  "acp",
  "command",
  "script",
] as const;
export type CodingAgentName = (typeof CODING_AGENTS)[number];

export interface AgentChoice {
  name: CodingAgentName;
  /** Whether what it starts is held by a sandbox: only then may it do everything unasked. */
  sandboxed: boolean;
  /** For `command` and `acp`: its words, with placeholders. */
  command?: readonly string[];
  /** For `script`: absolute path of the patch. */
  patch?: string;
}

/** The agent that was chosen. Throws `config` for a choice that lacks something. */
export function codingAgent(choice: AgentChoice): CodingAgent {
  const freedom: Freedom = choice.sandboxed ? "everything" : "edits";
  switch (choice.name) {
    case "script":
      return scriptAgent(patchOf(choice));
    case "command":
      return presetAgent(commandPreset(commandOf(choice)), freedom);
    case "acp":
      return acpAgent(commandOf(choice), freedom);
    default:
      return presetAgent(PRESETS[choice.name], freedom);
  }
}

function commandOf({ name, command }: AgentChoice): readonly string[] {
  if (command !== undefined && command.length > 0) return command;
  const example = name === "acp" ? '["opencode", "acp"]' : '["aider", "--message-file", "{prompt_file}"]';
  throw new RelayError("config", `the coding agent ${name} needs a command; set it to its words, such as ${example}`);
}

function patchOf({ patch }: AgentChoice): string {
  if (patch !== undefined && isAbsolute(patch)) return patch;
  throw new RelayError("config", "the coding agent script needs the path of a patch; set it to an absolute path");
}
