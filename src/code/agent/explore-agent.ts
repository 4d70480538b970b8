import type { AgentModel } from "../../adapters/models/model.ts";
import { boundaryFrom, fenceCode } from "../../adapters/models/fence.ts";
import type { RunLimits } from "../../adapters/models/limits.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { explorerTools } from "../tools/explorer-tools.ts";
import type { TerritoryOptions } from "../tools/file-access.ts";
import { territoryOf } from "../tools/file-access.ts";
import { abandoned, finishCycle } from "./conclusion.ts";
import type { ExploreAnswer, ExploreCost, Thoroughness } from "./explore-answer.ts";
import { firstLook } from "./first-look.ts";
import { SOURCE_LINES } from "./source-lookup.ts";
import type { Asked } from "./opening.ts";
import { bounded, openingTurn } from "./opening.ts";
import { readingTools } from "./reading-tools.ts";
import { SYNTHESIS_CHARACTERS } from "./answer-text.ts";
import { MOST_SOURCES, submission } from "./submission.ts";
import { NO_USAGE } from "../../adapters/models/usage.ts";

export interface ExploreQuestion {
  /** At most 4,000 characters are read. */
  question: string;
  thoroughness: Thoroughness;
  /** Why it is asked: the issue in a few lines. At most 12,000 characters are read. Untrusted, as the question is. */
  context?: string;
  signal?: AbortSignal;
}

/** Answers questions about the code of one commit (R-EXP-3). */
export interface ExploreAgent {
  /**
   * Explores in a context of its own. Whatever the model does ends in an answer; throws `RelayError` only where git
   * or the machine fails. Several may run at once; an equal question is asked of the model once.
   */
  explore(asked: ExploreQuestion): Promise<ExploreAnswer>;
}

export interface ExploreAgentOptions {
  /** The one of the role `explore`. */
  model: AgentModel;
  /** The commit is that of its repository. */
  index: OpenIndex;
  /** `loadPrompt("explorer")`. */
  prompt: Prompt;
  /** From 0 up to, not including, 1. */
  random: () => number;
  /** Narrower or wider bounds than those of the levels, for instance what is left of a budget. */
  limits?: Partial<Record<Thoroughness, Partial<RunLimits>>>;
  fileAccess?: TerritoryOptions;
}

/** Of the longest prompt; the rest is for instructions, the question, and what the model says itself. */
const READING_SHARE = 0.6;

const REMINDER =
  "Nobody reads this. Hand in your answer with the tool submit_findings; if you could not find out, submit what you " +
  "looked for and what you know.";

/** Builds the explorer of one commit; a cycle has one. Throws `RelayError` `config` for a bad glob in `fileAccess`. */
export function createExploreAgent(options: ExploreAgentOptions): ExploreAgent {
  const { model, index, prompt, random } = options;
  const { commit } = index.repository;
  const fileAccess = territoryOf(index, options.fileAccess);
  const tools = explorerTools(index, options.fileAccess);
  const system = prompt.fill({
    synthesis_characters: String(SYNTHESIS_CHARACTERS),
    sources: String(MOST_SOURCES),
    source_lines: String(SOURCE_LINES),
  });
  const remembered = rememberAnswers({ model: model.name, commit });

  async function ask(asked: Asked, signal: AbortSignal | undefined): Promise<ExploreAnswer> {
    const { run, files } = ALLOWANCES[asked.thoroughness];
    const limits = { ...run, ...options.limits?.[asked.thoroughness] };
    const boundary = boundaryFrom(random);
    const look = await firstLook(index, fileAccess, asked, files);
    const fenced = (text: string) => fenceCode("repository", text, boundary);
    const findings = submission(fileAccess, limits.steps);
    const reading = {
      steps: limits.steps,
      characters: limits.toolCharacters,
      tokens: Math.floor(limits.promptTokens * READING_SHARE),
      fenced,
    };
    const outcome = await model.run({
      role: "explore",
      system,
      turns: [openingTurn(asked, look, limits.steps, boundary)],
      tools: [...readingTools(tools, reading), findings.tool],
      limits,
      reminder: REMINDER,
      ...(signal === undefined ? {} : { signal }),
    });
    return finishCycle(outcome, findings.submitted(), commit);
  }

  return {
    explore: async ({ question, thoroughness, context = "", signal }) => {
      const asked = bounded({ question, context, thoroughness });
      return await remembered(asked, signal, async () => await ask(asked, signal));
    },
  };
}

/** What one exploration of a level may take. */
interface Allowance {
  run: RunLimits;
  /** Files of source that the first look shows; of tests and docs half as many each. */
  files: number;
}

const EACH = {
  answerTokens: 12_288,
  answerCharacters: 40_000,
  /** A page of any tool fits, with its fence. */
  toolCharacters: 32_000,
} as const;

/** Each level takes about three times as much as the one before; a usual question stays far below (R-EXP-3). */
const ALLOWANCES: Record<Thoroughness, Allowance> = {
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

const MOST = 32;
const NO_COST: Omit<ExploreCost, "model"> = {
  fellBackFrom: [],
  calls: 0,
  usage: NO_USAGE,
  costUsd: 0,
  ms: 0,
  steps: 0,
};

type Remembered = (
  asked: Asked,
  signal: AbortSignal | undefined,
  ask: () => Promise<ExploreAnswer>,
) => Promise<ExploreAnswer>;

/**
 * Lets an equal question of one commit, also one still under way, be asked once: the others get the same answer and
 * take nothing. What was given up is asked anew when the question comes again; an abort is its caller's alone.
 */
function rememberAnswers({ model, commit }: { model: string; commit: string }): Remembered {
  const known = new Map<string, Promise<ExploreAnswer>>();

  return async function answer(asked, signal, ask) {
    if (signal?.aborted === true) return abandoned(model, commit, NO_COST);
    const key = keyOf(asked);
    for (let earlier = known.get(key); earlier !== undefined; earlier = known.get(key)) {
      const found = await unlessAborted(earlier, signal);
      if (found === null) return abandoned(model, commit, NO_COST);
      const { cost } = found;
      // Whoever asked first does not wait any more; this one does.
      if (found.kind === "gave up" && found.cause.kind === "aborted") {
        if (known.get(key) === earlier) known.delete(key);
        continue;
      }
      return { ...found, cost: { ...NO_COST, model: cost.model }, repeated: true };
    }
    const own = ask();
    known.set(key, own);
    const oldest = known.keys().next();
    if (known.size > MOST && oldest.done !== true) known.delete(oldest.value);
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

/** Spaces and a final mark make no other question; case does, as names of code differ by it. */
function keyOf({ question, context, thoroughness }: Asked): string {
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
