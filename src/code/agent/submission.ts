import type { VerifiedPlace } from "../../domain/exploration.ts";
import { anyPhrase } from "../../domain/issue-text/phrases.ts";
import absencePhrases from "./absence-phrases.json" with { type: "json" };
import { z } from "zod";
import { type AgentTool, type ToolResult, agentTool } from "../../adapters/models/tool.ts";
import type { FileAccess } from "../tools/file-access.ts";
import {
  SYNTHESIS_CHARACTERS,
  answerText,
  type DroppedSource,
  type Findings,
  type Submitted,
} from "./explore-answer.ts";
import { SOURCE_LINES, citationsIn, readLocation, verifySource, type ClaimedSource } from "./source-lookup.ts";
import type { Seen } from "./seen-lines.ts";
import { shownText } from "../tools/sanitize.ts";

export const MOST_SOURCES = 12;
const MOST_CLAIMED = 40;
const MOST_DROPPED = 40;
const PROBLEMS_LISTED = 12;
const MOST_SEARCHED = 20;
const ABSENCE = anyPhrase(absencePhrases);
/** The schema rejects longer ones. Those over `SYNTHESIS_CHARACTERS` come back once and are then cut. */
const LONGEST_SYNTHESIS = 20_000;

/** How an exploration ends: a tool that verifies what the model submits, and the latest submission. */
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
  searched_for: z
    .array(z.string().max(200))
    .max(MOST_SEARCHED)
    .default([])
    .describe("where the answer says that something is not there: the words that your searches looked for in vain"),
});

/**
 * Creates the tool `submit_findings`. Sources that fail verification go back to the model once, with the reasons; what
 * is still wrong after that, or in the last step of the run, is dropped (R-EXP-3).
 */
export function createSubmission(fileAccess: FileAccess, steps: number, seen: Seen): Submission {
  let last: Submitted | null = null;
  let seenIn = 0;
  let isOver = false;

  async function take(given: z.output<typeof input>, step: number): Promise<ToolResult> {
    if (isOver) return { output: "Your findings were taken before; this submission changes nothing.", isError: true };
    if (seenIn === step) {
      return { output: "Only the first submission of a turn counts; this one was not looked at.", isError: true };
    }
    const isRetry = seenIn > 0;
    seenIn = step;
    const { sources, dropped } = await verifyAll(fileAccess, given.sources, seen);
    const citations = await wrongCitations(fileAccess, given.synthesis);
    const wrong = [...dropped, ...citations];
    const searched = given.searched_for.filter((text) => seen.wasSearched(text));
    const problems = [
      ...problemsOf(given.synthesis, sources, wrong, given.sources.length),
      ...unproven(given.synthesis, searched),
    ];
    // A retry without any verified source is no improvement: the first submission stays.
    const worse = last !== null && sources.length === 0 && last.sources.length > 0;
    last = {
      synthesis: worse && last !== null ? last.synthesis : withSearches(given.synthesis, searched),
      sources: worse && last !== null ? last.sources : sources,
      dropped: distinct([...(last?.dropped ?? []), ...wrong]),
    };
    if (problems.length === 0 || isRetry || step >= steps) {
      isOver = true;
      return { output: "Taken.", ends: true };
    }
    return { output: correctionRequest(problems), isError: true };
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

async function verifyAll(fileAccess: FileAccess, claimed: readonly ClaimedSource[], seen: Seen): Promise<Findings> {
  const sources = new Map<string, VerifiedPlace>();
  const dropped: DroppedSource[] = [];
  for (const each of claimed) {
    const found = await verifySource(fileAccess, each);
    if (found.kind === "wrong") dropped.push(found.dropped);
    else if (!isSeen(found.source.location, seen)) {
      dropped.push({ location: found.source.location, why: "was not read in this run; read_lines there first" });
    } else if (sources.has(found.source.location)) continue;
    else if (sources.size < MOST_SOURCES) sources.set(found.source.location, found.source);
    else dropped.push({ location: found.source.location, why: `is one more than ${MOST_SOURCES} sources` });
  }
  return { sources: [...sources.values()], dropped };
}

/** A model's claim that something does not exist is only believed if it has searched for it. */
function unproven(synthesis: string, searched: readonly string[]): string[] {
  const said = ABSENCE.exec(synthesis.replaceAll("’", "'"));
  if (said === null || searched.length > 0) return [];
  return [
    `it says that something is not there (${JSON.stringify(said[0])}): search for at least two words that its author ` +
      "might have chosen, and give them in searched_for",
  ];
}

/** The searches become part of the answer, even if it is cut. */
function withSearches(synthesis: string, searched: readonly string[]): string {
  if (searched.length === 0) return answerText(synthesis);
  const proof = answerText(`\n\nSearched for: ${searched.join(", ")}.`);
  return `${answerText(synthesis.slice(0, SYNTHESIS_CHARACTERS - proof.length - 2))}\n\n${proof}`;
}

function isSeen(location: string, seen: Seen): boolean {
  const place = readLocation(location);
  return place !== null && seen.shows(place);
}

function problemsOf(
  synthesis: string,
  sources: readonly VerifiedPlace[],
  wrong: readonly DroppedSource[],
  claimed: number,
): string[] {
  const problems = wrong.slice(0, PROBLEMS_LISTED).map(({ location, why }) => `${JSON.stringify(location)}: ${why}`);
  if (wrong.length > PROBLEMS_LISTED) problems.push(`and ${wrong.length - PROBLEMS_LISTED} more like these`);
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

function correctionRequest(problems: readonly string[]): string {
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
 * Citations in the synthesis whose file or lines do not exist. Text that merely looks like one, such as a host with a
 * port or the tag of an image, is ignored: the path must exist, or have the extension of some file of the commit.
 */
async function wrongCitations(fileAccess: FileAccess, text: string): Promise<DroppedSource[]> {
  const wrong: DroppedSource[] = [];
  let extensions: Set<string> | undefined;
  for (const cited of citationsIn(text)) {
    const location = readLocation(cited);
    if (location === null) continue;
    extensions ??= new Set(
      fileAccess.files.map(({ path }) => extensionOf(path)).filter((extension) => extension !== ""),
    );
    if (!fileAccess.has(location.path) && !extensions.has(extensionOf(location.path))) continue;
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

/** The extension with its dot; empty if there is none. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot).toLowerCase();
}
