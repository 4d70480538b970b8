import { RelayError } from "../../lib/errors.ts";
import type { OpenAgent, Preset, Start } from "./preset.ts";
import { MODEL_VARIABLES } from "./model-variables.ts";
import { presetAgent } from "./run-preset.ts";

const PROMPT_FILE = "task.md";
/** Linux refuses arguments of 128 KiB. */
const ARGUMENT_BYTES = 120_000;

/**
 * Any program that reads its task from its arguments or stdin, and prints plain text. Arguments may hold `{prompt}`,
 * `{prompt_file}`, `{directory}` and `{model}`; no shell reads them. Without a placeholder for the task, it arrives on
 * stdin.
 */
export const command: OpenAgent = (settings, freedom) => {
  const { program, words } = commandOf("command", settings.command);
  const names = (placeholder: string) => words.some((word) => word.includes(placeholder));
  const preset: Preset = {
    program,
    hosts: [],
    variables: MODEL_VARIABLES,
    settings: ({ prompt }) => ({
      files: names("{prompt_file}") ? [{ path: PROMPT_FILE, text: prompt }] : [],
      environment: {},
    }),
    call: (start) => ({
      args: words.map((word) => fill(word, start)),
      input: names("{prompt}") || names("{prompt_file}") ? null : start.prompt,
    }),
    readEvent: null,
  };
  return { ...presetAgent("command", preset, freedom), keyless: true };
};

/** A configured command. Throws `config` if there is none, or it names no program. */
export function commandOf(
  agent: "acp" | "command",
  configured: readonly string[] | undefined,
): { program: string; words: readonly string[] } {
  const [program, ...words] = configured ?? [];
  const example = agent === "acp" ? '["opencode", "acp"]' : '["aider", "--message-file", "{prompt_file}"]';
  if (program === undefined) {
    throw new RelayError(
      "config",
      `the coding agent ${agent} needs a command; set it to its words, such as ${example}`,
    );
  }
  if (program.trim() === "" || program.includes("{")) {
    throw new RelayError("config", `the agent's command has no program; write it as a list of words: ${example}`);
  }
  return { program, words };
}

/** One argument with its placeholders replaced in one pass: placeholders within a prompt stay text. */
export function fill(word: string, { prompt, home, directory, model }: Start): string {
  return word.replaceAll(/\{(prompt|prompt_file|directory|model)\}/g, (_whole, name: string) => {
    switch (name) {
      case "prompt":
        return asArgument(prompt);
      case "prompt_file":
        return `${home}/${PROMPT_FILE}`;
      case "directory":
        return directory;
      default:
        if (model !== null) return model.name;
        throw new RelayError(
          "config",
          "the agent's command asks for {model}, but no model is set; set one, or drop it",
        );
    }
  });
}

function asArgument(prompt: string): string {
  if (Buffer.byteLength(prompt) > ARGUMENT_BYTES) {
    throw new RelayError(
      "config",
      "the task is too long for an argument; write {prompt_file} instead of {prompt} in the agent's command",
    );
  }
  return prompt.replaceAll("\0", "");
}
