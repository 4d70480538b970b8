import type { Risk } from "../domain/plan.ts";
import type { Conventions } from "../domain/conventions.ts";

/** What the contract assumes where its input does not say; empty means that there is none. */
const TYPE_CHECK = "npm run type-check";
const TYPED = /\.(?:[cm]?ts|tsx|vue)$/i;

/**
 * The commands that validate the result (R-FIX-6): always lint, type checks if TypeScript or Vue changes, the build
 * from MEDIUM risk on. Commands that contain "test" are omitted with a warning.
 */
export function validationCommands(
  risk: Risk,
  paths: readonly string[],
  conventions: Pick<Conventions, "lint_command" | "build_command" | "type_check_command">,
): { commands: string[]; warnings: string[] } {
  const wanted = [
    conventions.lint_command,
    ...(paths.some((path) => TYPED.test(path)) ? [typeCheckOf(conventions)] : []),
    ...(risk === "LOW" ? [] : [conventions.build_command]),
  ];
  const distinct = [...new Set(wanted.map((each) => each.trim()))].filter((each) => each !== "");
  const left = distinct.filter(mayValidate);
  const warnings = distinct
    .filter((each) => !left.includes(each))
    .map((each) => `The command “${each}” is left out of the checks, since it contains the letters “test”.`);
  return { commands: left, warnings };
}

/** Validation never runs tests; the rule matches the letters "test", in any case. */
export function mayValidate(command: string): boolean {
  return !/test/i.test(command);
}

function typeCheckOf({ type_check_command: own }: Pick<Conventions, "type_check_command">): string {
  return own ?? TYPE_CHECK;
}
