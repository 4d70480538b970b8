import type { Repository } from "../git/repository.ts";
import type { Conventions } from "../../domain/conventions.ts";
import { guessConventions } from "./guess-conventions.ts";

/** Conventions from the repository configuration; missing ones are inferred. */
export type OwnConventions = { [key in keyof Conventions]?: Conventions[key] | undefined };

/** The conventions of a repository: configured, or else inferred from its files (R-FIX-1). */
export async function conventionsOf(
  code: Pick<Repository, "files" | "readFile">,
  own: OwnConventions,
): Promise<Conventions> {
  const guessed = await guessConventions(code);
  return {
    branch_prefix: own.branch_prefix ?? guessed.branch_prefix,
    setup_commands: own.setup_commands ?? guessed.setup_commands,
    test_commands: own.test_commands ?? guessed.test_commands,
    lint_command: own.lint_command ?? guessed.lint_command,
    build_command: own.build_command ?? guessed.build_command,
    type_check_command: own.type_check_command ?? guessed.type_check_command,
    style_guide: own.style_guide ?? guessed.style_guide,
  };
}
