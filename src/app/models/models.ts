import { openOrderer, ordersOf } from "./orderer.ts";
import { protectedIn } from "../code/repository-settings.ts";
import { type Config, modelsFor } from "../../config/config.ts";
import type { ExploreAgent } from "../../code/agent/explore-agent.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Orderer } from "../../code/rerank/rerank.ts";
import type { Located } from "../../code/search/rank-files.ts";
import type { Repository } from "../../code/git/repository.ts";
import { type Clock, sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { random } from "../../lib/random.ts";
import type { AgentModel, ModelRole } from "../../adapters/models/model.ts";
import { patienceWith } from "../../adapters/models/timeouts.ts";
import { loadPrices } from "../../adapters/models/prices.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { ModelConnection } from "../../adapters/models/providers/registry.ts";
import { type CycleContext, type Planner, withRulesFallback } from "../../planner/planner.ts";
import type { SpecGenerator } from "../../specification/generator.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Db } from "../../storage/db.ts";
import type { IssueSpending } from "../../budget/spending.ts";
import type { AnswerReview } from "../../domain/work.ts";
import type { SpecStore } from "../../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../../adapters/spec-stores/stored-spec.ts";

/** The configured planner and writer: the rules, or agents with models. */
export interface Models {
  plannerFor: (code: Repository, spending: IssueSpending) => Planner;
  generatorFor: (code: Repository, spending: IssueSpending) => SpecGenerator;
  /** Answers questions in reviews with the planner's model; null where that is offline. */
  answerReviewFor: (spending: IssueSpending) => AnswerReview | null;
}

interface ModelDeps {
  indexOf: (code: Repository) => Promise<OpenIndex>;
  specStore: SpecStore;
  clock: Clock;
  /** Where explorations are kept. */
  db: Db;
  ids: Ids;
}

/** US dollars that an agent and its explorer may cost each, unless a budget allows less. */
const RUN_USD = 2;
const HINTS = 12;

/**
 * Builds the models of all roles. Throws `config`, naming the variable, if a configured model lacks a key or an
 * address. Loads the modules of agents with the first call.
 */
export function openModels(config: Config, deps: ModelDeps): Models {
  const choices = {
    planner: modelsFor("planner", config),
    spec: modelsFor("spec", config),
  };
  // Checked now, so that a missing key is reported before any work.
  if (choices.planner.kind === "models" || choices.spec.kind === "models") modelsFor("explore", config);
  if (choices.planner.kind === "models") modelsFor("rerank", config);
  const agents = lazily(async () => await loadAgents(config, deps));
  return {
    plannerFor: (code, spending) => {
      const rules = rulesFor(code, deps);
      const choice = choices.planner;
      if (choice.kind === "offline") return rules;
      const planner: Planner = {
        name: nameOf(choice.models[0]),
        plan: async (context, judge) => await (await (await agents()).planner(code, spending)).plan(context, judge),
      };
      return choice.withRulesFallback ? withRulesFallback(planner, rules) : planner;
    },
    generatorFor: (code, spending) => {
      const choice = choices.spec;
      if (choice.kind === "offline") return { name: "offline", generate: lazyGenerator(loadWriter) };
      return {
        name: nameOf(choice.models[0]),
        takesWarnings: true,
        promptHash: loadPrompt("spec").hash,
        generate: lazyGenerator(async () => await (await agents()).generator(code, spending)),
      };
    },
    answerReviewFor: (spending) =>
      choices.planner.kind === "offline" ? null : async (question) => await (await agents()).answer(spending)(question),
  };
}

/** The rule-based planner; loaded on its first use, since most commands never use it. */
function rulesFor(code: Repository, { indexOf }: ModelDeps): Planner {
  return {
    name: "offline",
    plan: async (context, judge) => {
      const { offlinePlanner } = await import("../../planner/rules/planner.ts");
      return await offlinePlanner(code, async () => await indexOf(code)).plan(context, judge);
    },
  };
}

async function loadWriter(): Promise<SpecGenerator> {
  const { offlineSpecGenerator } = await import("../../specification/rules/writer.ts");
  return offlineSpecGenerator();
}

/** One generator for all attempts and corrections of a spec: it remembers what it looked up. */
function lazyGenerator(build: () => Promise<SpecGenerator>): SpecGenerator["generate"] {
  const built = lazily(build);
  return async (input, correction) => await (await built()).generate(input, correction);
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** The agents' own modules, loaded together. */
async function loadAgents(config: Config, deps: ModelDeps) {
  const [
    { createAgentModel },
    { createExploreAgent },
    { lookingTools },
    { agentPlanner },
    { issueBoundaries },
    { reviewAnswers },
    { agentSpecGenerator },
    { readSpec },
    { keptExplorer },
  ] = await Promise.all([
    import("../../adapters/models/agent.ts"),
    import("../../code/agent/explore-agent.ts"),
    import("../../code/agent/looking-tools.ts"),
    import("../../planner/agent/planner.ts"),
    import("../../planner/agent/boundaries.ts"),
    import("../../planner/agent/review-answer.ts"),
    import("../../specification/agent/generator.ts"),
    import("../../specification/read.ts"),
    import("../../dossier/explorations.ts"),
  ]);
  const prices = loadPrices(config.models.prices);
  const boundaryOf = issueBoundaries(random);

  function modelOf(role: ModelRole, { onCall }: IssueSpending): AgentModel {
    const choice = modelsFor(role, config);
    // A role may have its own offline model; exploring the code then uses the planner's model.
    const { models } = choice.kind === "models" ? choice : someModels(config);
    const patience = patienceWith(models, config.models.timeouts);
    return createAgentModel({ models, prices, clock: deps.clock, random, sleep, onCall, ...patience });
  }

  async function explorerOf(code: Repository, spending: IssueSpending, costUsd: number): Promise<ExploreAgent> {
    const limits = { costUsd };
    return createExploreAgent({
      model: modelOf("explore", spending),
      index: await deps.indexOf(code),
      prompt: loadPrompt("explorer"),
      random,
      fileAccess: { protect: await protectedIn(code, config.explore.protect) },
      steps: config.models.timeouts.explore_steps,
      ...(costUsd < RUN_USD ? { limits: { quick: limits, medium: limits, thorough: limits } } : {}),
    });
  }

  return {
    planner: async (code: Repository, spending: IssueSpending): Promise<Planner> => {
      const costUsd = await shareOf(spending);
      const explorer = await explorerOf(code, spending, costUsd);
      return agentPlanner({
        model: modelOf("planner", spending),
        explore: keptExplorer(explorer, { ...deps, commit: code.commit, askedBy: "planner" }),
        look: lookingTools(await deps.indexOf(code), { protect: await protectedIn(code, config.explore.protect) }),
        readSpec: async (issue, reading) => readSpec(await storedSpec(issue.spec, deps.specStore), reading),
        locateHint: async (context) => {
          const kept = ordersOf(deps.db, context.issue.id);
          const orderer = await openOrderer(config, code, { role: "planner", ...spending, clock: deps.clock, kept });
          return await hintsFor(context, await deps.indexOf(code), orderer);
        },
        prompt: loadPrompt("planner"),
        boundaryOf,
        limits: { costUsd, exploreUsd: costUsd, steps: config.models.timeouts.steps },
      });
    },
    generator: async (code: Repository, spending: IssueSpending): Promise<SpecGenerator> => {
      const costUsd = await shareOf(spending);
      const explorer = await explorerOf(code, spending, costUsd);
      return agentSpecGenerator({
        model: modelOf("spec", spending),
        explore: keptExplorer(explorer, { ...deps, commit: code.commit, askedBy: "spec_generator" }),
        look: lookingTools(await deps.indexOf(code), { protect: await protectedIn(code, config.explore.protect) }),
        prompts: { spec: loadPrompt("spec") },
        random,
        limits: { costUsd },
      });
    },
    answer: (spending: IssueSpending): AnswerReview =>
      reviewAnswers({
        model: modelOf("planner", spending),
        prompt: loadPrompt("answer"),
        random,
        protect: config.explore.protect,
        costUsd: async () => await shareOf(spending),
      }),
  };
}

/** Half of the remaining budget each, for an agent and its explorer. */
async function shareOf(spending: IssueSpending): Promise<number> {
  const rest = await spending.restUsd();
  return rest === null ? RUN_USD : Math.min(RUN_USD, rest / 2);
}

function nameOf({ provider, name }: ModelConnection): string {
  return `${provider}/${name}`;
}

function someModels(config: Config) {
  for (const role of ["planner", "spec"] as const) {
    const choice = modelsFor(role, config);
    if (choice.kind === "models") return choice;
  }
  throw new RelayError("internal", "no role has a model, though one was asked for");
}

/** Starting points: the files that a model, or else the index, ranks first, each with its best reasons. */
async function hintsFor(context: CycleContext, index: OpenIndex, orderer: Orderer | null): Promise<string[]> {
  const [{ locate, reasonText }, { locateByModel }, { readFacts }] = await Promise.all([
    import("../../code/search/rank-files.ts"),
    import("../../code/rerank/search-by-model.ts"),
    import("../../planner/rules/facts.ts"),
  ]);
  const { terms } = readFacts(context, context.messages);
  const ranked: readonly (Located & { placement?: string | null })[] =
    orderer === null
      ? await locate(index, terms, { limit: HINTS })
      : (await locateByModel(index, terms, HINTS, orderer)).files;
  return ranked.slice(0, HINTS).map(({ path, reasons, placement }) => {
    const own = reasons.slice(0, 2).map(reasonText);
    return `${path}: ${[...(placement ? [placement] : []), ...own].join("; ")}`;
  });
}
