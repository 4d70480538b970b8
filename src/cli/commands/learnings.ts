import { LONGEST_LEARNING, type KeptLearning, LEARNING_STATUSES, type LearningStatus } from "../../domain/learning.ts";
import { RelayError } from "../../lib/errors.ts";
import { oneLine } from "../../lib/text.ts";
import { type Learning, shownLearning } from "../../server/api/shapes/learning.ts";
import { type LearningChange, changeLearning, listKept } from "../../storage/learnings.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

export interface LearningOptions extends CommonOptions {
  repo?: string;
}

/** What `relay learnings list`, `approve` and `edit` print with `--json`. */
export interface LearningsAnswer {
  learnings: Learning[];
}
/** What `relay learnings remove --json` prints: the learnings as they were. */
export interface RemovedLearningsAnswer {
  removed: Learning[];
}

/** `relay learnings list [--repo NAME] [--status S]`: what people taught Relay (R-SAFE-8). */
export async function list(options: LearningOptions & { status?: string }, terminal: Terminal): Promise<number> {
  const status = statusOf(options.status);
  return await withRelay(options, terminal, async ({ db }) => {
    const found = await listKept(db, { repository: options.repo ?? null, status });
    if (options.json) printJson<LearningsAnswer>(terminal, { learnings: found.map(shownLearning) });
    else if (found.length === 0) terminal.out("No learnings yet.\n");
    else terminal.out(found.map(line).join(""));
    return EXIT.done;
  });
}

/** `relay learnings approve|edit|remove ID…`: a person's decisions, each recorded in the audit log. */
export async function change(
  wanted: readonly string[],
  decision: LearningChange,
  options: LearningOptions,
  terminal: Terminal,
): Promise<number> {
  const ids = wanted.map(idOf);
  const content = decision.kind === "edit" ? decision.content.trim() : null;
  if (content === "" || (content !== null && content.length > LONGEST_LEARNING)) {
    throw new RelayError("usage", `a learning has 1 to ${LONGEST_LEARNING} characters, not ${content.length}`);
  }
  return await withRelay(options, terminal, async ({ db, clock, ids: newIds, operator }) => {
    const known = await listKept(db, { repository: options.repo ?? null, status: null });
    const unknown = ids.find((id) => !known.some((one) => one.id === id));
    if (unknown !== undefined) {
      const where = options.repo === undefined ? "there is" : `${options.repo} has`;
      throw new RelayError("not_found", `${where} no learning ${unknown}; \`relay learnings list\` shows them`);
    }
    const changed: KeptLearning[] = [];
    for (const id of ids) changed.push(await changeLearning(db, id, decision, { operator, clock, ids: newIds }));
    if (options.json && decision.kind === "remove")
      printJson<RemovedLearningsAnswer>(terminal, { removed: changed.map(shownLearning) });
    else if (options.json) printJson<LearningsAnswer>(terminal, { learnings: changed.map(shownLearning) });
    else terminal.out(changed.map((one) => (decision.kind === "remove" ? `removed ${line(one)}` : line(one))).join(""));
    return EXIT.done;
  });
}

function statusOf(text: string | undefined): LearningStatus | null {
  const found = LEARNING_STATUSES.find((status) => status === text);
  if (text === undefined || found !== undefined) return found ?? null;
  throw new RelayError("usage", `--status must be ${LEARNING_STATUSES.join(" or ")}, not “${text}”`);
}

function idOf(text: string): string {
  if (/^[1-9]\d{0,17}$/.test(text)) return text;
  throw new RelayError("usage", `“${text}” is no id of a learning; \`relay learnings list\` shows them`);
}

function line({ id, repository, content, status, proposedBy }: KeptLearning): string {
  const from = proposedBy === null ? "" : `  (from @${proposedBy})`;
  return `${id}  ${status}  ${repository ?? "all repositories"}  ${oneLine(content)}${from}\n`;
}
