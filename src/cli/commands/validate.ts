import { type Complexity, COMPLEXITIES } from "../../domain/spec.ts";
import { type CheckedFile, renderGithub, renderJson, renderSarif, renderText } from "../../specification/report.ts";
import type { Grounding } from "../../specification/validate/grounding.ts";
import { validateSpec } from "../../specification/validate/validate.ts";
import { readSpecFile } from "../input-files.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";

export interface ValidateOptions extends CommonOptions {
  repo?: string;
  complexity?: string;
  format?: string;
}

/** `relay validate SPEC…`: exit code 1 when any of them has an error. Needs no database and no configuration. */
export async function validate(files: string[], options: ValidateOptions, terminal: Terminal): Promise<number> {
  const complexity = COMPLEXITIES.find((level) => level === options.complexity);
  const code = options.repo === undefined ? null : await openCode(options.repo);
  const checked: CheckedFile[] = [];
  try {
    for (const file of files) checked.push(await check(file, complexity, code?.grounding, terminal));
  } finally {
    await code?.close();
  }
  const format = options.json ? "json" : (options.format ?? "text");
  switch (format) {
    case "json":
      terminal.out(renderJson(checked));
      break;
    case "github":
      terminal.out(renderGithub(checked));
      break;
    case "sarif":
      terminal.out(renderSarif(checked));
      break;
    default:
      terminal.out(renderText(checked));
  }
  return checked.every((one) => one.valid) ? EXIT.done : EXIT.negative;
}

async function check(
  file: string,
  complexity: Complexity | undefined,
  grounding: Grounding | undefined,
  terminal: Terminal,
): Promise<CheckedFile> {
  const text = file === "-" ? await terminal.readInput() : await readSpecFile(file);
  const { valid, complexity: level, errors, warnings } = await validateSpec(text, { complexity, grounding });
  return { file, valid, complexity: level, errors, warnings };
}

async function openCode(directory: string): Promise<{ grounding: Grounding; close: () => Promise<void> }> {
  const { openRepository } = await import("../../code/git/repository.ts");
  const { groundingIn } = await import("../../specification/code.ts");
  const repository = await openRepository(directory);
  return { grounding: { code: groundingIn(repository) }, close: async () => await repository.close() };
}
