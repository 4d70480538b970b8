import { RelayError } from "../../lib/errors.ts";
import type { Preset, Start } from "./preset.ts";
import { MODEL_VARIABLES } from "./presets/model-variables.ts";

const PROMPT_FILE = "task.md";
/** Linux takes no argument of 128 KiB. */
const ARGUMENT_BYTES = 120_000;

/**
 * Any program that is told by its arguments or its input what to do, and prints what it says. Words may hold
 * `{prompt}`, `{prompt_file}`, `{directory}` and `{model}`; no shell reads them. Without a word for the prompt it gets it
 * on stdin. Throws `config` for an empty template.
 */
export function commandPreset(template: readonly string[]): Preset {
  const program = programOf(template);
  const words = template.slice(1);
  const names = (placeholder: string) => words.some((word) => word.includes(placeholder));
  return {
    name: "command",
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
    hear: null,
  };
}

/** The first word of a template. Throws `config` where there is none. */
export function programOf(template: readonly string[]): string {
  const [program] = template;
  if (program === undefined || program.trim() === "" || program.includes("{")) {
    throw new RelayError(
      "config",
      'the agent\'s command has no program; write it as a list of words: ["aider", "--message-file", "{prompt_file}"]',
    );
  }
  return program;
}

/** One word with its placeholders filled in, each once: what a prompt says is not read again. */
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
