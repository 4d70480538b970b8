import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** The files in `prompts/`, without `.md`. A new prompt gets its name here first. */
export type PromptName = "planner" | "explorer" | "rerank" | "spec" | "triage" | "fix-plan" | "worker" | "answer";

/** The instructions of a model, with slots for values. */
export interface Prompt {
  name: PromptName;
  /** SHA-256 of the file, in hex; stored with every call that used it (R-OBS-1). */
  hash: string;
  /** The slots, in the order of their first use. */
  slots: readonly string[];
  /**
   * The text with every slot replaced. Values are taken as they are: `{{slot}}` in a value stays text. Untrusted values
   * go through `fence` first. Throws `internal` for a slot without value or a value without slot.
   */
  fill(values: Readonly<Record<string, string>>): string;
}

const PROMPTS = join(import.meta.dirname, "../../../prompts");
const loaded = new Map<string, Prompt>();

/**
 * The prompt of that name, read once from the package's `prompts/`. The front matter declares the slots:
 *
 *     ---
 *     slots: language, tools
 *     ---
 *
 * Without any slots it may be left out. Throws `internal` when the file is missing or its slots are not the declared
 * ones.
 */
export function loadPrompt(name: PromptName, folder: string = PROMPTS): Prompt {
  const file = join(folder, `${name}.md`);
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const prompt = readPrompt(name, file);
  loaded.set(file, prompt);
  return prompt;
}

function readPrompt(name: PromptName, file: string): Prompt {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (cause) {
    throw new RelayError("internal", `the prompt ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  const { declared, text } = withoutFrontMatter(content.toString("utf8").replaceAll("\r\n", "\n"), file);
  const pieces = piecesOf(text, file);
  const slots = [...new Set(pieces.filter((_, index) => index % 2 === 1))];
  const odd = [...without(slots, declared), ...without(declared, slots)];
  if (odd.length > 0) {
    throw new RelayError("internal", `the slots of the prompt ${file} are not the declared ones: ${odd.join(", ")}`);
  }
  return {
    name,
    hash: sha256Of(content),
    slots,
    fill: (values) => {
      const unknown = without(Object.keys(values), slots);
      const missing = slots.filter((slot) => !Object.hasOwn(values, slot));
      if (unknown.length + missing.length > 0) {
        const problems = [
          ...missing.map((slot) => `no value for ${slot}`),
          ...unknown.map((slot) => `no slot ${slot}`),
        ];
        throw new RelayError("internal", `the prompt ${name} cannot be filled: ${problems.join(", ")}`);
      }
      return pieces.map((piece, index) => (index % 2 === 1 ? (values[piece] ?? "") : piece)).join("");
    },
  };
}

const FRONT_MATTER = /^---\n(?:slots:([^\n]*)\n)?---\n/;

function withoutFrontMatter(content: string, file: string): { declared: string[]; text: string } {
  const found = FRONT_MATTER.exec(content);
  if (found === null && content.startsWith("---\n")) {
    throw new RelayError("internal", `the front matter of the prompt ${file} is not one line "slots: a, b"`);
  }
  const declared = (found?.[1] ?? "").split(",").map((slot) => slot.trim());
  return { declared: declared.filter((slot) => slot !== ""), text: content.slice(found?.[0].length ?? 0).trim() };
}

/** Text and slot names in turn, starting with text. Braces that open no slot are a slip of the pen, never text. */
function piecesOf(text: string, file: string): string[] {
  const pieces = text.split(/\{\{([a-z][a-z0-9_]{0,39})\}\}/);
  const slip = pieces.find((piece, index) => index % 2 === 0 && /\{\{|\}\}/.test(piece));
  if (slip === undefined) return pieces;
  const at = /[^\n]*(?:\{\{|\}\})[^\n]*/.exec(slip)?.[0] ?? "";
  throw new RelayError("internal", `the prompt ${file} has braces that are no slot: ${at.trim().slice(0, 80)}`);
}

function without(all: readonly string[], known: readonly string[]): string[] {
  return all.filter((each) => !known.includes(each));
}
