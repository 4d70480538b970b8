import type { AgentModel } from "../../adapters/models/model.ts";
import { boundaryFrom, fenceCode } from "../../adapters/models/fence.ts";
import type { RunLimits } from "../../adapters/models/limits.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import type { OpenIndex } from "../index/open.ts";
import { explorerTools } from "../tools/explorer-tools.ts";
import { territoryOf } from "../tools/file-access.ts";
import type { TerritoryOptions } from "../tools/file-access.ts";
import { conclude } from "./conclusion.ts";
import type { ExploreAnswer, Thoroughness } from "./explore-answer.ts";
import { firstLook } from "./first-look.ts";
import { SOURCE_LINES } from "./look-up.ts";
import type { Asked } from "./opening.ts";
import { bounded, openingTurn } from "./opening.ts";
import { readingTools } from "./reading-tools.ts";
import { rememberAnswers } from "./answer-cache.ts";
import { SYNTHESIS_CHARACTERS } from "./answer-text.ts";
import { MOST_SOURCES, submission } from "./submission.ts";
import { ALLOWANCES } from "./thoroughness.ts";

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
  territory?: TerritoryOptions;
}

/** Of the longest prompt; the rest is for instructions, the question, and what the model says itself. */
const READING_SHARE = 0.6;

const REMINDER =
  "Nobody reads this. Hand in your answer with the tool submit_findings; if you could not find out, submit what you " +
  "looked for and what you know.";

/** Builds the explorer of one commit; a cycle has one. Throws `RelayError` `config` for a bad glob in `territory`. */
export function createExploreAgent(options: ExploreAgentOptions): ExploreAgent {
  const { model, index, prompt, random } = options;
  const { commit } = index.repository;
  const territory = territoryOf(index, options.territory);
  const tools = explorerTools(index, options.territory);
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
    const look = await firstLook(index, territory, asked, files);
    const fenced = (text: string) => fenceCode("repository", text, boundary);
    const findings = submission(territory, limits.steps);
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
    return conclude(outcome, findings.submitted(), commit);
  }

  return {
    explore: async ({ question, thoroughness, context = "", signal }) => {
      const asked = bounded({ question, context, thoroughness });
      return await remembered(asked, signal, async () => await ask(asked, signal));
    },
  };
}
