import type { Complexity } from "../domain/spec.ts";
import type { SpecProblem } from "./validate/rules.ts";

/** One checked spec in the machine-readable output. */
export interface CheckedFile {
  valid: boolean;
  complexity: Complexity;
  errors: SpecProblem[];
  warnings: SpecProblem[];
  file: string;
}

export function renderText(files: CheckedFile[]): string {
  return files
    .map((one) => {
      const problems = all(one).map(
        ({ line, severity, rule, detail }) => `  ${one.file}:${line}  ${severity}  ${rule}  ${detail}\n`,
      );
      const counts = `${one.errors.length} error(s), ${one.warnings.length} warning(s)`;
      return `${one.file}: ${one.valid ? "valid" : "NOT valid"} (${one.complexity}; ${counts})\n${problems.join("")}`;
    })
    .join("");
}

/** JSON Lines: one document per line. */
export function renderJson(files: CheckedFile[]): string {
  return files
    .map(
      ({ valid, complexity, errors, warnings, file }) =>
        `${JSON.stringify({ valid, complexity, errors, warnings, file })}\n`,
    )
    .join("");
}

/** Workflow commands that GitHub shows at the lines of a pull request. */
export function renderGithub(files: CheckedFile[]): string {
  return files
    .flatMap((one) =>
      all(one).map(
        ({ severity, line, rule, detail }) =>
          `::${severity} file=${property(one.file)},line=${line},title=${property(rule)}::${escaped(detail)}\n`,
      ),
    )
    .join("");
}

/** SARIF 2.1.0, for code scanning. */
export function renderSarif(files: CheckedFile[]): string {
  const rules = [...new Set(files.flatMap((one) => all(one).map((problem) => problem.rule)))].toSorted();
  return `${JSON.stringify({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "relay validate", rules: rules.map((id) => ({ id })) } },
        results: files.flatMap((one) =>
          all(one).map(({ rule, severity, line, detail }) => ({
            ruleId: rule,
            level: severity,
            message: { text: detail },
            locations: [
              { physicalLocation: { artifactLocation: { uri: encodeURI(one.file) }, region: { startLine: line } } },
            ],
          })),
        ),
      },
    ],
  })}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function all(one: CheckedFile): SpecProblem[] {
  return [...one.errors, ...one.warnings];
}
