import type { Translate } from "../i18n/messages.ts";
import type { PlanKey } from "../i18n/plan.ts";
import type { FileChange } from "../domain/plan.ts";
import { code, prose, within } from "../domain/text/comment-markdown.ts";

type Say = Translate<PlanKey>;

/** Files shown at once; more are folded. */
const UNFOLDED = 15;
/** Characters of those shown, and of those folded. */
const ROOM = 4_000;
const FOLDED_ROOM = 3_500;

/**
 * The files that a plan touches, each with what is done to it, where and why; a single one without the reason, which
 * the plan's first line tells. Of many the deletions come first: they must not hide in the fold.
 */
export function fileList(files: readonly FileChange[], say: Say): string {
  if (files.length === 0) return "";
  const title = `**${say("files")}:**`;
  const line = (file: FileChange) => fileLine(file, files.length > 1, say);
  if (files.length <= UNFOLDED) return [title, "", ...lines(files, ROOM, line, say)].join("\n");
  const ordered = files.toSorted((a, b) => weight(a) - weight(b));
  return [
    `${title} ${countsOf(files, say)}`,
    "",
    ...lines(ordered.slice(0, UNFOLDED), ROOM, line, say),
    "",
    "<details>",
    `<summary>${say("folded", { number: files.length - UNFOLDED })}</summary>`,
    "",
    ...lines(ordered.slice(UNFOLDED), FOLDED_ROOM, line, say),
    "",
    "</details>",
  ].join("\n");
}

/** As many as there is room for, and how many are not shown. */
function lines(files: readonly FileChange[], room: number, line: (file: FileChange) => string, say: Say): string[] {
  // No line is shorter than ten characters.
  const mark = (number: number) => `- ${say("left_out", { number })}`;
  return within(files.slice(0, room / 10).map(line), { most: room, total: files.length, mark });
}

function weight({ operation }: FileChange): number {
  return operation === "DELETE" ? 0 : 1;
}

function fileLine({ path, operation, line_range: range, change_summary }: FileChange, why: boolean, say: Say): string {
  const [from, to] = range ?? [null, null];
  const where = from === null ? "" : `, ${from === to ? say("line", { from }) : say("lines", { from, to })}`;
  return `- ${code(path, 200)} (${say(`op_${operation}`)}${where})${why ? `: ${prose(change_summary, 250)}` : ""}`;
}

function countsOf(files: readonly FileChange[], say: Say): string {
  return (["MODIFY", "CREATE", "DELETE"] as const)
    .map((operation) => ({ operation, number: files.filter((file) => file.operation === operation).length }))
    .filter(({ number }) => number > 0)
    .map(({ operation, number }) => `${say(`op_${operation}`)} ${number}`)
    .join(", ");
}
