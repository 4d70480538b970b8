import { z } from "zod";
import { type Mode, MODES } from "../domain/issue.ts";
import { CLASSIFICATIONS } from "../domain/plan.ts";
import { RelayError } from "../lib/errors.ts";
import { isRecord } from "../lib/text.ts";
import type { Projects } from "../adapters/trackers/code-host.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { RENAMED_REPOSITORY_KEYS } from "./renamed.ts";
import { mappingIn, unknownKey } from "./yaml-text.ts";

/** The file in which maintainers configure Relay for their repository. Read from the default branch only. */
export const REPOSITORY_FILE = ".relay.yml";

const LONGEST = 64 * 1024;
const key = (description: string) => ({ description });

const command = z
  .string()
  .trim()
  .max(1_000)
  .regex(/^\P{Cc}*$/u, { error: "must be one line" });
/** An empty list means none, and overrides the detected commands. */
const commands = z.array(command.min(1)).max(20);
const anyPath = z
  .string()
  .max(500)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\p{Cc}]*$/u, { error: "must be a path inside of the repository" });
const insidePath = anyPath.min(1);

/** The schema of `.relay.yml`. */
export const repositoryFileSchema = z.strictObject({
  mode: z.enum(MODES).optional().meta(key("How far Relay goes here; never further than its operator allows.")),
  fast_track: z
    .boolean()
    .optional()
    .meta(key("Whether small, low-risk issues get spec and plan in one comment and need one approval.")),
  conventions: z
    .strictObject({
      branch_prefix: z
        .partialRecord(z.enum(CLASSIFICATIONS), z.enum(["fix", "feature", "docs", "chore"]))
        .optional()
        .meta(key("Prefix of branch names by kind of issue.")),
      setup_commands: commands
        .optional()
        .meta(key("Commands to run once before work begins, such as the package manager's.")),
      test_commands: commands.optional().meta(key("Commands that run the tests.")),
      lint_command: command.optional().meta(key("Linter; empty if there is none.")),
      type_check_command: command.optional().meta(key("Type checker; empty if there is none.")),
      build_command: command.optional().meta(key("Build command; empty if there is none.")),
      style_guide: anyPath
        .optional()
        .meta(key("File with the coding style of this repository; empty if there is none.")),
    })
    .optional()
    .meta(key("How to work on this repository; Relay detects what is left out from its files.")),
  blocked_paths: z
    .array(insidePath)
    .max(200)
    .optional()
    .meta(key("Globs of paths that Relay never changes, besides secrets and CI.")),
  review_paths: z
    .array(
      insidePath.regex(/^[^!]/, {
        error: "must not begin with “!”: a repository can ask for more review, not for less",
      }),
    )
    .max(200)
    .optional()
    .meta(key("Globs of files whose change makes a request a draft, besides those of Relay and its operator.")),
  protected_files: z
    .array(
      insidePath.regex(/^[^!]/, { error: "must not begin with “!”: only Relay's operator can open a protected file" }),
    )
    .max(200)
    .optional()
    .meta(key("Globs of files that no model may read, besides those of Relay and its operator.")),
  learnings: insidePath.optional().meta(key("File with what the team wants Relay to know.")),
});

export type RepositoryConventions = NonNullable<z.output<typeof repositoryFileSchema>["conventions"]>;

/** The operator's limits for a repository. */
export interface OperatorLimits {
  mode: Mode;
  fastTrack: boolean;
}

/** Settings of one repository: the operator's limits, narrowed by the repository's own file (R-LIFE-7). */
export interface RepositorySettings {
  mode: Mode;
  fastTrack: boolean;
  conventions: RepositoryConventions;
  /** Globs. */
  blockedPaths: readonly string[];
  /** Globs; none begins with `!`. */
  reviewPaths: readonly string[];
  /** Globs of files that no model reads; none begins with `!`. */
  protectedFiles: readonly string[];
  /** Path of a file; null if none is set. */
  learnings: string | null;
  /** The problem with the file and its remedy; null if it is valid. */
  problem: string | null;
}

export function withoutFile(operator: OperatorLimits): RepositorySettings {
  return {
    ...operator,
    conventions: {},
    blockedPaths: [],
    reviewPaths: [],
    protectedFiles: [],
    learnings: null,
    problem: null,
  };
}

/**
 * Parses a repository's file, which can only narrow the operator's limits. Errors are reported in `problem`, and the
 * rest of the file applies; but if an error may hide a prohibition, Relay does not go beyond a plan.
 */
export function readRepositoryFile(text: string, operator: OperatorLimits): RepositorySettings {
  let values: Record<string, unknown>;
  try {
    if (text.length > LONGEST) throw new RelayError("config", `${REPOSITORY_FILE} is larger than 64 KiB; shorten it`);
    values = mappingIn(text, REPOSITORY_FILE);
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "config")) throw error;
    return unreadable(error.message, operator);
  }
  const parsed = repositoryFileSchema.safeParse(values);
  if (parsed.success) return settingsOf(parsed.data, operator);
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const rest = repositoryFileSchema.safeParse(withoutFaults(values, parsed.error.issues));
  const why = `${REPOSITORY_FILE}: ${parsed.error.issues.map(explain).join("; ")}`;
  if (!rest.success) return unreadable(why, operator);
  // An unknown key may be one of those, misspelt.
  const hides =
    wrong.has(undefined) ||
    ["mode", "blocked_paths", "review_paths", "protected_files"].some((name) => wrong.has(name));
  const limits = hides ? { ...operator, mode: narrower(operator.mode, "plan"), fastTrack: false } : operator;
  return { ...settingsOf(rest.data, limits), problem: why };
}

/** The values without the keys that are wrong: of the conventions, each for itself. */
function withoutFaults(
  { conventions, ...values }: Record<string, unknown>,
  faults: readonly z.core.$ZodIssue[],
): Record<string, unknown> {
  const wrong = faults.flatMap((fault) =>
    fault.code === "unrecognized_keys" ? fault.keys.map((name) => [...fault.path, name]) : [fault.path],
  );
  const own = wrong.filter(([first, second]) => first === "conventions" && second !== undefined);
  const kept = isRecord(conventions)
    ? without(
        conventions,
        own.map((path) => path.slice(1)),
      )
    : conventions;
  const others = wrong.filter((path) => !own.includes(path));
  return without({ ...values, conventions: kept }, others);
}

function without(of: object, at: readonly PropertyKey[][]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => !at.some(([first]) => first === name)));
}

/** For a file that exists and cannot be read: its prohibitions are unknown. */
export function unreadable(problem: string, { mode }: OperatorLimits): RepositorySettings {
  return { ...withoutFile({ mode: narrower(mode, "plan"), fastTrack: false }), problem };
}

function settingsOf(file: z.output<typeof repositoryFileSchema>, operator: OperatorLimits): RepositorySettings {
  return {
    mode: narrower(operator.mode, file.mode ?? operator.mode),
    fastTrack: file.fast_track ?? operator.fastTrack,
    conventions: file.conventions ?? {},
    blockedPaths: file.blocked_paths ?? [],
    reviewPaths: file.review_paths ?? [],
    protectedFiles: file.protected_files ?? [],
    learnings: file.learnings ?? null,
    problem: null,
  };
}

function narrower(one: Mode, other: Mode): Mode {
  return MODES.indexOf(one) < MODES.indexOf(other) ? one : other;
}

function explain(issue: z.core.$ZodIssue): string {
  return (
    unknownKey(issue, repositoryFileSchema, RENAMED_REPOSITORY_KEYS) ?? `${issue.path.join(".")}: ${issue.message}`
  );
}

/** A repository's settings, as its operator and its own file define them at this moment (R-LIFE-7). */
export type SettingsOf = (
  repository: StoredRepository,
  codeHost: Pick<Projects, "readFile">,
) => Promise<RepositorySettings>;
