import { type Concern, type ConcernKind, concern } from "../../../domain/concern.ts";
import { definitionsIn } from "../../../code/checks/definitions.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import { reviewedPaths } from "../workspace/protected-paths.ts";
import { belongsToPlan } from "./beside-plan.ts";
import type { FinishedChange } from "./finished-change.ts";
import { dependencyShift } from "./manifest-dependencies.ts";
import { changedKeys, isManifest, scriptsIn } from "./manifest-keys.ts";

/** Folders whose files stand for those of another project, and affect nothing in this one. */
export const FIXTURES = /(?:^|\/)(?:fixtures?|__fixtures__|testdata|test-data|__mocks__)\//i;
const EXAMPLES = /(?:^|\/)(?:examples?|samples?|demos?|playgrounds?)\//i;
const OF_PROJECT: ReadonlySet<ConcernKind> = new Set(["dependencies", "vendored", "build", "toolchain", "dot folder"]);

/**
 * The changed files that affect other people's work: manifests, definitions of checks, settings of bots, owners and the
 * like, by the list in `workspace/protected-paths.json` (R-WORK-11). If a manifest also defines checks, its changed
 * keys decide.
 */
export async function protectedFiles({ order, changes, rules, read }: FinishedChange): Promise<Concern[]> {
  const kindOf = reviewedPaths(rules);
  const planned = new Set(order.plan.file_changes.map(({ path }) => path));
  const runsScripts = [...order.commands.checks, ...order.commands.tests].some((one) => SCRIPT_RUNNER.test(one));
  const ofChecks = await filesOfChecks(order, read);
  const found: Concern[] = [];
  for (const file of changes) {
    const { path } = file;
    const kind = kindOf(path) ?? (ofChecks.has(path) ? "checks" : null);
    if (kind === null || isOrdinary(kind, file, order)) continue;
    const agreed = planned.has(path) && file.change !== "deleted";
    const [before, after] = [await read(path, "base"), await read(path, "head")];
    if (isMakefile(path) && before !== null && after !== null && !changesCheck(path, before, after)) continue;
    const isRead = after !== null && (kind === "dependencies" || (kind === "checks" && isManifest(path)));
    if (!isRead) {
      found.push(concern(kind, { path, agreed }));
      continue;
    }
    if (isManifest(path)) {
      const { checks, isReplaced } = changedKeys(path, before, after);
      // Agreeing to a change of the file is not agreeing to replace the checks of this very run.
      const agreedChecks = agreed && !(runsScripts && isReplaced);
      if (checks.length > 0) found.push(concern("checks", { path, names: checks, agreed: agreedChecks }));
    }
    const shift = dependencyShift(path, before, after);
    if (shift !== null)
      found.push(
        concern(shift.kind === "versions" ? "dependency versions" : "dependencies", {
          path,
          names: shift.names,
          agreed,
        }),
      );
  }
  return found;
}

function isMakefile(path: string): boolean {
  return /(?:^|\/)(?:GNU)?[Mm]akefile$/.test(path);
}

/**
 * Whether a target changed whose name says that it runs checks. Targets that this run's commands use are examined
 * elsewhere.
 */
function changesCheck(path: string, before: string, after: string): boolean {
  const [old, now] = [definitionsIn(path, before)?.parts, definitionsIn(path, after)?.parts];
  return [...(old ?? [])].some(([name, text]) => !NOT_CHECKED.test(name) && now?.get(name) !== text);
}
const NOT_CHECKED =
  /^target (?!(?:all|default|.*(?:test|lint|check|ci|verify|valid|spec|cover|types|format|fmt|vet)\w*)$)/;

const LONGEST_SCRIPTS = 100_000;

/** Files that the run's checks start, by their commands or by the manifest's scripts. */
async function filesOfChecks(
  { commands }: FinishedChange["order"],
  read: FinishedChange["read"],
): Promise<Set<string>> {
  const all = [...commands.checks, ...commands.tests];
  const manifest = all.some((one) => SCRIPT_RUNNER.test(one)) ? await read("package.json", "base") : null;
  const text = [...all, ...scriptsIn(manifest)].join("\n").slice(0, LONGEST_SCRIPTS);
  return new Set(text.split(/[\n;&|()]+/).flatMap((command) => programIn(command) ?? []));
}

const INTERPRETER = /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|bash|sh|zsh|pwsh)$/;

/** The path of the file that a command starts; not files that it works on. */
function programIn(command: string): string | null {
  const words = command.split(/[\s"'`<>]+/).filter((word) => word !== "" && !/^\w+=/.test(word));
  const [program = "", ...more] = words;
  const isInterpreter = INTERPRETER.test(program);
  const started = isInterpreter ? more.find((word) => !word.startsWith("-") && word !== "run") : program;
  const path = started?.replace(/^(?:\.\/)+/, "") ?? "";
  const onlyReads =
    isInterpreter && more.some((word) => ONLY_READS.test(word) || (word === "-c" && !SHELL.test(program)));
  return path === "" || onlyReads ? null : path;
}

const SHELL = /^(?:bash|sh|zsh)$/;
/** With these arguments, an interpreter tests or checks files, or runs a module. */
const ONLY_READS = /^(?:--test|--check|--syntax-only|test|check|lint|fmt|-m|-l|-n)$/;

const SCRIPT_RUNNER = /(?:^|[\s;&|(])(?:npm|pnpm|yarn|bun|composer|deno)\s/;

function isOrdinary(kind: ConcernKind, file: ChangedFile, { plan }: FinishedChange["order"]): boolean {
  const isOfOther = FIXTURES.test(file.path) || EXAMPLES.test(file.path);
  if (kind === "checks" && isOfOther) return !PROGRAMS.test(file.path);
  return OF_PROJECT.has(kind) && (isOfOther || belongsToPlan(file, plan));
}
const PROGRAMS = /(?:^|\/)(?:node_modules|pytest|_pytest|unittest|pluggy|nose2)(?:\/|\.py$)/;
