import { z } from "zod";
import type { AgentTool, ToolResult } from "../../adapters/models/tool.ts";
import { agentTool } from "../../adapters/models/tool.ts";
import type { FileAccess } from "../tools/file-access.ts";
import type { DroppedSource, Findings, VerifiedSource } from "./explore-answer.ts";
import type { ClaimedSource } from "./source-lookup.ts";
import { SOURCE_LINES, lookUp } from "./source-lookup.ts";
import { SYNTHESIS_CHARACTERS, spoken } from "./answer-text.ts";
import { shownText } from "../tools/sanitize.ts";
import { citedIn, readLocation } from "./location.ts";

export const MOST_SOURCES = 12;
const MOST_CLAIMED = 40;
const MOST_DROPPED = 40;
const TOLD = 12;
/** Longer ones are cut, after the model was told once; beyond this they do not fit the schema. */
const LONGEST_SYNTHESIS = 20_000;

/** What was submitted last, looked up. */
export interface Submitted extends Findings {
  synthesis: string;
}

/** The way out of an exploration: a tool that looks up what it is given, and what it was given so far. */
export interface Submission {
  readonly tool: AgentTool;
  submitted(): Submitted | null;
}

const input = z.object({
  synthesis: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_SYNTHESIS)
    .describe(`the answer, at most ${SYNTHESIS_CHARACTERS} characters, in the language of the question`),
  sources: z
    .array(
      z.object({
        location: z.string().max(2_000).describe('"path:start-end", lines as read_lines numbers them'),
        note: z.string().max(2_000).nullish().describe("what these lines show, in a few words"),
      }),
    )
    .max(MOST_CLAIMED)
    .describe(`at most ${MOST_SOURCES}, the most important first, each of at most ${SOURCE_LINES} lines`),
});

/**
 * The tool `submit_findings`. Sources that do not hold go back to the model once, with the reasons; what is wrong
 * after that, or in the last answer of the run, is dropped (R-EXP-3).
 */
export function submission(fileAccess: FileAccess, steps: number): Submission {
  let last: Submitted | null = null;
  let seenIn = 0;
  let isOver = false;

  async function take(given: z.output<typeof input>, step: number): Promise<ToolResult> {
    if (isOver) return { output: "Your findings were taken before; this submission changes nothing.", isError: true };
    if (seenIn === step) {
      return { output: "Only the first submission of a turn counts; this one was not looked at.", isError: true };
    }
    const mending = seenIn > 0;
    seenIn = step;
    const { sources, dropped } = await lookUpAll(fileAccess, given.sources);
    const citations = await wrongCitations(fileAccess, given.synthesis);
    const wrong = [...dropped, ...citations];
    const problems = problemsOf(given.synthesis, sources, wrong, given.sources.length);
    // A second try that has nothing left to stand on is no improvement.
    const worse = last !== null && sources.length === 0 && last.sources.length > 0;
    last = {
      synthesis: worse && last !== null ? last.synthesis : spoken(given.synthesis),
      sources: worse && last !== null ? last.sources : sources,
      dropped: distinct([...(last?.dropped ?? []), ...wrong]),
    };
    if (problems.length === 0 || mending || step >= steps) {
      isOver = true;
      return { output: "Taken.", ends: true };
    }
    return { output: toMend(problems), isError: true };
  }

  const tool = agentTool({
    name: "submit_findings",
    description:
      "Hands in your answer and ends your work. Every source is looked up at the commit; its text is read from the " +
      "file, so give places only. Sources that do not hold come back to you once.",
    input,
    inTurn: true,
    execute: async (given, { step }) => await take(given, step),
  });
  return { tool, submitted: () => last };
}

async function lookUpAll(fileAccess: FileAccess, claimed: readonly ClaimedSource[]): Promise<Findings> {
  const sources = new Map<string, VerifiedSource>();
  const dropped: DroppedSource[] = [];
  for (const each of claimed) {
    const found = await lookUp(fileAccess, each);
    if (found.kind === "wrong") dropped.push(found.dropped);
    else if (sources.has(found.source.location)) continue;
    else if (sources.size < MOST_SOURCES) sources.set(found.source.location, found.source);
    else dropped.push({ location: found.source.location, why: `is one more than ${MOST_SOURCES} sources` });
  }
  return { sources: [...sources.values()], dropped };
}

function problemsOf(
  synthesis: string,
  sources: readonly VerifiedSource[],
  wrong: readonly DroppedSource[],
  claimed: number,
): string[] {
  const problems = wrong.slice(0, TOLD).map(({ location, why }) => `${JSON.stringify(location)}: ${why}`);
  if (wrong.length > TOLD) problems.push(`and ${wrong.length - TOLD} more like these`);
  if (claimed === 0) {
    problems.push(
      "there is no source: cite the lines that your answer rests on; where the answer is that there is nothing, " +
        "cite the place where it would be, or submit the same again",
    );
  } else if (sources.length === 0) problems.push("no source is left that the answer rests on");
  if (synthesis.length > SYNTHESIS_CHARACTERS) {
    problems.push(`the synthesis has ${synthesis.length} characters; at most ${SYNTHESIS_CHARACTERS} are kept`);
  }
  return problems;
}

function toMend(problems: readonly string[]): string {
  return [
    "Not taken yet:",
    ...problems.map((problem) => `- ${problem}`),
    "Read the places again, mend what is wrong, also in the synthesis, and submit all of it once more; what is " +
      "wrong then is left out.",
  ].join("\n");
}

function distinct(dropped: readonly DroppedSource[]): DroppedSource[] {
  return [...new Map(dropped.map((each) => [each.location, each])).values()].slice(0, MOST_DROPPED);
}

/**
 * The places cited in a text that do not hold: no such file, or no such lines. What merely looks like a place, a host
 * with its port or the tag of an image, is left alone: the path must exist, or end like some file of the commit.
 */
async function wrongCitations(fileAccess: FileAccess, text: string): Promise<DroppedSource[]> {
  const wrong: DroppedSource[] = [];
  let endings: Set<string> | undefined;
  for (const cited of citedIn(text)) {
    const location = readLocation(cited);
    if (location === null) continue;
    endings ??= new Set(fileAccess.files.map(({ path }) => endingOf(path)).filter((ending) => ending !== ""));
    if (!fileAccess.has(location.path) && !endings.has(endingOf(location.path))) continue;
    const why = await whyWrong(fileAccess, location);
    if (why !== null) wrong.push({ location: shownText(cited, 200), why: `cited in the synthesis: ${why}` });
  }
  return wrong;
}

async function whyWrong(
  fileAccess: FileAccess,
  { path, start, end }: { path: string; start: number; end: number },
): Promise<string | null> {
  const read = await fileAccess.read(path);
  if (read.kind === "refused") return read.reason;
  const total = read.lines.length;
  return start < 1 || end < start || end > total ? `the file has ${total} lines` : null;
}

/** The extension, from the last dot of the last part on. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot).toLowerCase();
}
