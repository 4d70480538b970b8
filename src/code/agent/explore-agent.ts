import type { AgentModel } from "../../adapters/models/model.ts";
import { boundaryFrom, fenceCode } from "../../adapters/models/fence.ts";
import type { Thoroughness } from "../../domain/exploration.ts";
import type { RunLimits } from "../../adapters/models/limits.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { explorerTools } from "../tools/explorer-tools.ts";
import { type FileAccessOptions, createFileAccess } from "../tools/file-access.ts";
import { SYNTHESIS_CHARACTERS, abortedAnswer, answerOf, type ExploreAnswer, noCost } from "./explore-answer.ts";
import { bounded, firstLook, openingTurn, type BoundedQuestion } from "./first-look.ts";
import { SOURCE_LINES } from "./source-lookup.ts";
import { seenLines } from "./seen-lines.ts";
import { readingTools } from "./reading-tools.ts";
import { MOST_SOURCES, createSubmission } from "./submission.ts";

export interface ExploreQuestion {
  /** At most 4,000 characters are read. */
  question: string;
  thoroughness: Thoroughness;
  /**
   * The reason for the question: the issue in a few lines. At most 12,000 characters are read. Untrusted, like the
   * question.
   */
  context?: string;
  signal?: AbortSignal;
}

/** Answers questions about the code of one commit (R-EXP-3). */
export interface ExploreAgent {
  /**
   * Explores in its own context. Failures of the model are answers too; throws `RelayError` only if git or the machine
   * fails. Safe to call concurrently; equal questions share one exploration.
   */
  explore(asked: ExploreQuestion): Promise<ExploreAnswer>;
}

export interface ExploreAgentOptions {
  /** The model of the role `explore`. */
  model: AgentModel;
  /** The index of the commit to explore. */
  index: OpenIndex;
  /** `loadPrompt("explorer")`. */
  prompt: Prompt;
  /** In [0, 1). */
  random: () => number;
  /** How many answers the model may give to a question of medium thoroughness; other levels scale with it. */
  steps?: number;
  /** Overrides the limits of a level, for instance with the rest of a budget. */
  limits?: Partial<Record<Thoroughness, Partial<RunLimits>>>;
  fileAccess?: FileAccessOptions;
}

/**
 * Share of the longest prompt for tool results; the rest is for instructions, the question, and the model's own text.
 */
const READING_SHARE = 0.6;

const REMINDER =
  "Nobody reads this. Hand in your answer with the tool submit_findings; if you could not find out, submit what you " +
  "looked for and what you know.";

/**
 * Creates the explorer of one commit; each cycle has one. Throws `RelayError` `config` for a bad glob in `fileAccess`.
 */
export function createExploreAgent(options: ExploreAgentOptions): ExploreAgent {
  const { model, index, prompt, random } = options;
  const { commit } = index.repository;
  const fileAccess = createFileAccess(index, options.fileAccess);
  const tools = explorerTools(index, options.fileAccess);
  const system = prompt.fill({
    synthesis_characters: String(SYNTHESIS_CHARACTERS),
    sources: String(MOST_SOURCES),
    source_lines: String(SOURCE_LINES),
  });
  const cached = answerCache({ model: model.name, commit });

  async function ask(asked: BoundedQuestion, signal: AbortSignal | undefined): Promise<ExploreAnswer> {
    const { run, files } = BUDGETS[asked.thoroughness];
    const share = (options.steps ?? BUDGETS.medium.run.steps) / BUDGETS.medium.run.steps;
    const limits = { ...run, steps: Math.round(run.steps * share), ...options.limits?.[asked.thoroughness] };
    const boundary = boundaryFrom(random);
    const seen = seenLines();
    const look = await firstLook(index, fileAccess, asked, files, { seen });
    const fenced = (text: string) => fenceCode("repository", text, boundary);
    const findings = createSubmission(fileAccess, limits.steps, seen);
    const reading = {
      steps: limits.steps,
      characters: limits.toolCharacters,
      tokens: Math.floor(limits.promptTokens * READING_SHARE),
      fenced,
      seen,
    };
    const outcome = await model.run({
      role: "explore",
      system,
      turns: [openingTurn(asked, look, limits.steps, boundary)],
      tools: [...readingTools(tools, reading), findings.tool],
      limits,
      endsBy: findings.tool.name,
      reminder: REMINDER,
      ...(signal === undefined ? {} : { signal }),
    });
    return answerOf(outcome, findings.submitted(), commit);
  }

  return {
    explore: async ({ question, thoroughness, context = "", signal }) => {
      const asked = bounded({ question, context, thoroughness });
      return await cached(asked, signal, async () => await ask(asked, signal));
    },
  };
}

/** What one exploration of a level may use. */
interface Budget {
  run: RunLimits;
  /** Source files in the first look; half as many tests, and half as many docs. */
  files: number;
}

const EACH = {
  answerTokens: 12_288,
  answerCharacters: 40_000,
  /** Fits a page of any tool, with its fence. */
  toolCharacters: 32_000,
} as const;

/** Each level allows about three times as much as the one before; most questions stay far below (R-EXP-3). */
const BUDGETS: Record<Thoroughness, Budget> = {
  quick: {
    run: {
      ...EACH,
      steps: 6,
      inputTokens: 250_000,
      outputTokens: 24_000,
      promptTokens: 80_000,
      costUsd: 0.3,
      ms: 2 * 60_000,
    },
    files: 6,
  },
  medium: {
    run: {
      ...EACH,
      steps: 14,
      inputTokens: 700_000,
      outputTokens: 48_000,
      promptTokens: 120_000,
      costUsd: 1,
      ms: 5 * 60_000,
    },
    files: 10,
  },
  thorough: {
    run: {
      ...EACH,
      steps: 28,
      inputTokens: 2_000_000,
      outputTokens: 100_000,
      promptTokens: 170_000,
      costUsd: 3,
      ms: 12 * 60_000,
    },
    files: 16,
  },
};

const CACHED_ANSWERS = 32;
type CachedAsk = (
  asked: BoundedQuestion,
  signal: AbortSignal | undefined,
  ask: () => Promise<ExploreAnswer>,
) => Promise<ExploreAnswer>;

/**
 * Explores equal questions about one commit once, even concurrent ones: later callers get the same answer at no cost.
 * Failed answers are not cached, and an abort affects only its own caller.
 */
function answerCache({ model, commit }: { model: string; commit: string }): CachedAsk {
  const known = new Map<string, Promise<ExploreAnswer>>();

  return async function answer(asked, signal, ask) {
    if (signal?.aborted === true) return abortedAnswer(model, commit);
    const key = keyOf(asked);
    for (let earlier = known.get(key); earlier !== undefined; earlier = known.get(key)) {
      const found = await unlessAborted(earlier, signal);
      if (found === null) return abortedAnswer(model, commit);
      const { cost } = found;
      // The first caller aborted, this one did not: ask again.
      if (found.kind === "gave up" && found.cause.kind === "aborted") {
        if (known.get(key) === earlier) known.delete(key);
        continue;
      }
      return { ...found, cost: noCost(cost.model), repeated: true };
    }
    const own = ask();
    known.set(key, own);
    const oldest = known.keys().next();
    if (known.size > CACHED_ANSWERS && oldest.done !== true) known.delete(oldest.value);
    const forget = () => {
      if (known.get(key) === own) known.delete(key);
    };
    try {
      const found = await own;
      if (found.kind === "gave up") forget();
      return found;
    } catch (error) {
      forget();
      throw error;
    }
  };
}

/** White space and final punctuation do not matter; case does, since names in code differ by it. */
function keyOf({ question, context, thoroughness }: BoundedQuestion): string {
  return JSON.stringify([plain(question).replace(/[ ?.!？。]{1,20}$/, ""), thoroughness, plain(context)]);
}

function plain(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
  if (signal === undefined) return await work;
  if (signal.aborted) return null;
  const { promise, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
