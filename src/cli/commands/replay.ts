import { diffLines } from "diff";
import { type Issue, issueName } from "../../domain/issue.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Relay } from "../../app/relay.ts";
import type { CycleRecord } from "../../engine/recording/cycle-record.ts";
import { type Difference, type ReplayedCycle, replayCycle } from "../../engine/recording/replay-cycle.ts";
import { groundingIn } from "../../specification/code.ts";
import { getRepository } from "../../storage/repositories.ts";
import { removedAt } from "../../storage/retention.ts";
import { cycleNumber, pickIssue } from "../issues.ts";
import { removedText } from "../retention-text.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

/** Lines shown of one difference. */
const MOST_LINES = 40;
/** Longer texts are reported as changed without a diff, which would take minutes. */
const MOST_EDITS = 1_000;

/** What `relay replay --json` prints. */
export interface ReplayAnswer {
  issue: string;
  cycles: ReplayedCycle[];
}

/**
 * `relay replay ISSUE [--cycle N]`: replays recorded cycles of an issue with the answers of that time, and prints what
 * differs now (R-OBS-4). Nothing is posted or stored, and no model is called. Exit code 1 if anything differs.
 */
export async function replay(
  wanted: string,
  options: CommonOptions & { cycle?: string },
  terminal: Terminal,
): Promise<number> {
  const only = options.cycle === undefined ? null : cycleNumber(options.cycle);
  return await withRelay(options, terminal, async (relay) => {
    const issue = await pickIssue(relay.db, wanted);
    const numbers = only === null ? await relay.records.list(issue.id) : [only];
    const removed = await removedAt(relay.db, "records", issue.id);
    if (removed !== null && (await relay.records.list(issue.id)).length === 0) {
      const what = removedText(`the recordings of ${issueName(issue)}`, removed, "records_days");
      throw new RelayError("not_found", `${what}; nothing can be replayed`);
    }
    if (numbers.length === 0) throw new RelayError("not_found", `no cycle of ${issueName(issue)} is kept here`);
    const replayed: ReplayedCycle[] = [];
    for (const number of numbers) {
      const record = await relay.records.read(issue.id, number);
      const cycle = await replayCycle(record, await codeThen(relay, issue, record, terminal));
      replayed.push(cycle);
      if (!options.json) terminal.out(render(cycle));
    }
    if (options.json) printJson<ReplayAnswer>(terminal, { issue: issueName(issue), cycles: replayed });
    return replayed.every((cycle) => cycle.differences.length === 0) ? EXIT.done : EXIT.negative;
  });
}

/** The code as the cycle saw it; null if it no longer exists. */
async function codeThen(relay: Relay, issue: Issue, record: CycleRecord, terminal: Terminal) {
  const { cloneSource } = await getRepository(relay.db, issue.repositoryId);
  try {
    if (cloneSource === null) return null;
    const { code, rules } = await relay.rulesAt(cloneSource, record.commit);
    return { rules, code: groundingIn(code) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    terminal.err(`relay: cycle ${record.number} is judged without its code: ${messageOf(error)}\n`);
    return null;
  }
}

function render(cycle: ReplayedCycle): string {
  const by = cycle.answers === "rules" ? "rules, run again" : `recorded answers of ${cycle.planner}`;
  const head = `cycle ${cycle.number} (${by})`;
  if (cycle.differences.length === 0) return `${head}: the same\n`;
  return `${head}: ${cycle.differences.length} difference(s)\n${cycle.differences.map(renderDifference).join("")}`;
}

const TITLES: Record<Difference["what"], string> = {
  prompt: "the context in words",
  answer: "answer",
  verdict: "what the validator says of answer",
  answers_left: "no longer asked for: answer",
  spec_verdict: "what the validator says of spec draft",
};

function renderDifference(difference: Difference): string {
  const { planning, position } = difference;
  const title = `${TITLES[difference.what]}${position === null ? "" : ` ${position}`}`;
  const where = planning === null || planning === 1 ? "" : ` (planning ${planning})`;
  return `  ${title}${where}\n${changedLines(asText(difference.before), asText(difference.after))}`;
}

function asText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? "");
  return `${text}\n`;
}

function changedLines(then: string, now: string): string {
  const parts = diffLines(then, now, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return "    (too different to show)\n";
  const lines = parts
    .filter((part) => part.added || part.removed)
    .flatMap((part) =>
      part.value
        .split("\n")
        .slice(0, -1)
        .map((line) => `    ${part.added ? "+" : "-"} ${line}`),
    );
  const more = lines.length > MOST_LINES ? [`    … ${lines.length - MOST_LINES} more line(s); --json has them`] : [];
  return `${[...lines.slice(0, MOST_LINES), ...more].join("\n")}\n`;
}
