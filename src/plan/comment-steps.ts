import { codeSpan } from "../lib/text.ts";
import type { AddressOf } from "../domain/spec-document/links.ts";
import type { FileChange, FixPlan, PlanStep } from "../domain/plan.ts";
import { code, link, prose, within } from "../domain/text/comment-markdown.ts";
import { type Translate, phrases } from "../i18n/phrases.ts";
import { specProse } from "./thread-text.ts";

type Say = Translate<"plan">;

/** Files shown at their steps; if there are more, the rest is folded. */
const UNFOLDED = 15;
/** Characters of the steps, and of the folded files. */
const ROOM = { steps: 9_000, folded: 3_500 };

/**
 * What will be done: each step with the files that it changes and their lines, as links where they have addresses. Each
 * file stands at the first step that changes it. Reading the spec and running the checks are no steps here: the comment
 * names both elsewhere. In long lists deletions come first, so that the fold does not hide them.
 */
export function stepsWithFiles(
  plan: FixPlan,
  { hasSpec, language, addressOf }: { hasSpec: boolean; language: string; addressOf: AddressOf },
): string {
  const say = phrases("plan", language);
  const steps = workOf(plan, hasSpec, language);
  const { own, rest } = shared(plan.file_changes, steps);
  const known = new Map(plan.file_changes.map((file) => [file.path, file]));
  const lines = steps.map((step, at) => stepLines(step, at, { files: own.get(at) ?? [], known, addressOf, say }));
  const mark = (number: number) => `- ${say("left_out", { number })}`;
  const counts = plan.file_changes.length > UNFOLDED ? ` ${countsOf(plan.file_changes, say)}` : "";
  return [
    `**${say("steps")}:**${counts}`,
    "",
    ...within(lines, { most: ROOM.steps, total: lines.length, mark }),
    ...(rest.length === 0 ? [] : ["", foldOf(rest, addressOf, say)]),
  ].join("\n");
}

function workOf({ plan_steps: steps, validation_commands: commands }: FixPlan, hasSpec: boolean, language: string) {
  const reread = new Set([phrases("steps", language)("reread"), phrases("steps", "en")("reread")]);
  const checks = ({ command, description }: PlanStep) =>
    commands.length > 0 &&
    (command === null
      ? commands.every((each) => description.includes(codeSpan(each)))
      : commands.includes(command.trim()));
  const reads = ({ files_involved: files }: PlanStep, at: number) =>
    hasSpec &&
    at === 0 &&
    steps.length > 1 &&
    files.every((path) => steps.slice(1).some((later) => later.files_involved.includes(path)));
  const work = steps.filter((step, at) => !checks(step) && !reads(step, at) && !reread.has(step.description));
  return work.length > 0 ? work : steps;
}

/** The files of each step, by its position, and those that are too many. */
function shared(files: readonly FileChange[], steps: readonly PlanStep[]) {
  const first = new Map<string, number>();
  for (const [at, { files_involved: paths }] of steps.entries()) {
    for (const path of paths) if (!first.has(path)) first.set(path, at);
  }
  const ordered = files.length > UNFOLDED ? files.toSorted((a, b) => weight(a) - weight(b)) : files;
  const shown = ordered.slice(0, UNFOLDED);
  return {
    own: Map.groupBy(shown, ({ path }) => first.get(path) ?? steps.length - 1),
    rest: ordered.slice(UNFOLDED),
  };
}

function weight({ operation }: FileChange): number {
  return operation === "DELETE" ? 0 : 1;
}

function stepLines(
  { description, command }: PlanStep,
  at: number,
  given: { files: FileChange[]; known: ReadonlyMap<string, FileChange>; addressOf: AddressOf; say: Say },
): string {
  const { files, known, addressOf, say } = given;
  const run = command === null || command.trim() === "" ? "" : ` (${code(command, 100)})`;
  const text = withPlaces(specProse(description, 350, addressOf), description, known, addressOf);
  const isNamed = ({ path }: FileChange) => text.includes(codeSpan(path)) || text.includes(`\`${path}:`);
  const named = files.filter(isNamed).flatMap((file) => (file.operation === "MODIFY" ? [] : [operationOf(file, say)]));
  const others = files.filter((file) => !isNamed(file));
  const [only] = others;
  const line = `${at + 1}. ${text}${run}${named.length === 0 ? "" : ` (${[...new Set(named)].join(", ")})`}`;
  if (only === undefined) return line;
  if (others.length === 1) return `${line} — ${fileName(only, addressOf, say)}${reasonOf(only, description)}`;
  return [line, ...others.map((file) => `   - ${fileName(file, addressOf, say)}${reasonOf(file, description)}`)].join(
    "\n",
  );
}

/** Code spans that name a planned file lead to its lines, and name them where the step does not. */
function withPlaces(
  text: string,
  description: string,
  known: ReadonlyMap<string, FileChange>,
  addressOf: AddressOf,
): string {
  return text.replaceAll(/(?<![`[])`([^`\n]{1,400})`(?![`\]])/g, (whole, inner: string) => {
    const file = known.get(inner);
    if (file === undefined) return whole;
    const [start] = file.line_range ?? [null];
    const isSaid = start === null || new RegExp(String.raw`(?<!\d)${start}(?!\d)`).test(description);
    return link(code(isSaid ? inner : placeName(file), 200), addressOfFile(file, addressOf));
  });
}

function addressOfFile({ path, operation, line_range }: FileChange, addressOf: AddressOf): string | null {
  if (operation === "CREATE") return null;
  const [start, end] = line_range ?? [0, 0];
  return addressOf({ kind: "file", path, start, end });
}

function placeName({ path, line_range: range }: FileChange): string {
  if (range === null) return path;
  return `${path}:${range[0]}${range[1] === range[0] ? "" : `-${range[1]}`}`;
}

function fileName(file: FileChange, addressOf: AddressOf, say: Say): string {
  const name = link(code(placeName(file), 200), addressOfFile(file, addressOf));
  return file.operation === "MODIFY" ? name : `${name} (${operationOf(file, say)})`;
}

function operationOf({ operation }: FileChange, say: Say): string {
  return say(`op_${operation}`);
}

/** Where in the file, beside which its lines stand. */
const PLACE = /(?:, \p{L}{1,5} `[^`]*`|（`[^`]*`）)$/u;

/** Why a file changes, unless its step says so. */
function reasonOf({ change_summary: reason }: FileChange, description: string): string {
  return folded(description).includes(folded(reason.replace(PLACE, ""))) ? "" : `: ${prose(reason, 250)}`;
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/`[^`]*`|[^\p{L}\p{M}\p{N}]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function foldOf(files: readonly FileChange[], addressOf: AddressOf, say: Say): string {
  // No line is shorter than ten characters.
  const lines = files.slice(0, ROOM.folded / 10).map((file) => `- ${fileName(file, addressOf, say)}`);
  const mark = (number: number) => `- ${say("left_out", { number })}`;
  return [
    "<details>",
    `<summary>${say("folded", { number: files.length })}</summary>`,
    "",
    ...within(lines, { most: ROOM.folded, total: files.length, mark }),
    "",
    "</details>",
  ].join("\n");
}

function countsOf(files: readonly FileChange[], say: Say): string {
  return (["MODIFY", "CREATE", "DELETE"] as const)
    .map((operation) => ({ operation, number: files.filter((file) => file.operation === operation).length }))
    .filter(({ number }) => number > 0)
    .map(({ operation, number }) => `${say(`op_${operation}`)} ${number}`)
    .join(", ");
}
