import { onTestFinished } from "vitest";
import { z } from "zod";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { createExploreAgent } from "../../src/code/agent/explore-agent.ts";
import { Explorer } from "../../src/code/index/explorer.ts";
import type { Repository } from "../../src/code/git/repository.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { ModelCall } from "../../src/adapters/models/model.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import type { Explore } from "../../src/planner/agent/explore.ts";
import { agentPlanner } from "../../src/planner/agent/planner.ts";
import { agentSpecGenerator } from "../../src/specification/agent/generator.ts";
import { listFindings } from "../../src/storage/findings.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { latestSpec } from "../../src/storage/specs.ts";
import { BOT, openLife, report } from "../support/relay.ts";
import { type Turn, startMockModel } from "../mock-model/server.ts";
import { PRICES, submit } from "../support/planner-fixture.ts";

export const BOUNDARY = "0123456789abcdef";

/** Asked in the first cycle, so that there is something to close, and a gate to go past. */
const QUESTION = {
  type: "update_gaps",
  data: {
    add: [
      {
        question: "Should an empty cart be 0 or an error?",
        evidence: "src/cart.ts:2",
        severity: "blocking",
        respondent: "reporter",
        proposed_default: "0",
      },
    ],
  },
};

export const ASKS = submit(QUESTION, {
  type: "post_comment",
  data: { content: "@ann **1.** Should an empty cart be 0 or an error?" },
});

interface Obeying {
  body?: string;
  /** Files of the repository, besides those of the shop. */
  files?: Record<string, string>;
  /** Instead of the explorer. */
  explore?: Explore;
  /** The spec is written by the model too. */
  writes?: boolean;
}

/** A whole Relay with a model that does what any text tells it to: the script is its obedience. */
export async function openObeying({ body, files = {}, explore, writes = false }: Obeying = {}) {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  const calls: ModelCall[] = [];
  const model = createAgentModel({
    models: [
      { provider: "anthropic", name: "m", apiKey: "sk-ant-0123456789abcdef0123", baseUrl: server.url("anthropic") },
    ],
    prices: PRICES,
    clock: systemClock,
    random: () => 0,
    sleep: async () => {},
    onCall: (call) => void calls.push(call),
  });
  const explorers = new Map<Repository, Promise<Explorer>>();
  onTestFinished(async () => {
    for (const explorer of explorers.values()) (await explorer).close();
  });
  const explorerOf = async (code: Repository) => {
    const explorer = explorers.get(code) ?? Explorer.open(code.gitDirectory, null);
    explorers.set(code, explorer);
    const index = await (await explorer).at(code);
    return createExploreAgent({ model, index, prompt: loadPrompt("explorer"), random: () => 0.5 });
  };
  const exploring = (code: Repository): Explore =>
    explore ?? (async (asked) => (await explorerOf(code)).explore(asked));
  const life = await openLife(
    () => ({
      plannerFor: (code) =>
        agentPlanner({
          model,
          explore: exploring(code),
          readSpec: async () => await Promise.resolve("No spec exists for this issue."),
          prompt: loadPrompt("planner"),
          boundaryOf: () => BOUNDARY,
        }),
      ...(writes
        ? {
            generatorFor: (code: Repository) =>
              agentSpecGenerator({
                model,
                explore: async (asked) => await (await explorerOf(code)).explore(asked),
                prompts: { spec: loadPrompt("spec") },
                random: () => 0.5,
              }),
          }
        : {}),
    }),
    50,
    files,
  );
  await life.people.setMember("shop", "eve", "read");
  await life.people.setMember("shop", "ci", "write", true);
  const issue = await report(life, body);

  const script = (turns: Turn[], options?: { forever?: boolean }) => {
    calls.length = 0;
    server.script(turns, options);
  };
  /** Relay is assigned, and the model answers with these. */
  const assigned = async (...turns: Turn[]) => {
    script(turns);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    return await life.settled(issue);
  };
  /** Somebody writes, and the model answers with these; then it has nothing more to do. */
  const says = async (who: string, text: string, turns: Turn[], options?: { forever?: boolean }) => {
    script([...turns, ...(options?.forever === true ? [] : [submit()])], options);
    await life.deliver(await life.people.comment(issue, who, text));
    return await life.settled(issue);
  };
  /** All that a hostile text could have changed. */
  const state = async (of: IssueAddress = issue) => {
    const stored = await life.existing(of);
    return {
      state: stored.state,
      gaps: (await listGaps(life.db, stored.id)).map((gap) => [gap.number, gap.status, gap.closedReason]),
      findings: (await listFindings(life.db, stored.id)).map((finding) => finding.synthesis),
      learnings: (await life.db.query(z.object({ content: z.string() }), "select content from learnings", [])).map(
        (one) => one.content,
      ),
      spec: (await latestSpec(life.db, stored.id))?.version ?? null,
      said: (await life.said(of)).length,
    };
  };
  /** US dollars that the planners' records tell, and what the calls cost. */
  const costs = async () => {
    const rows = await life.db.query(
      z.object({ usd: z.number().nullable() }),
      "select (output->'run'->>'costUsd')::float8 as usd from llm_evals where stage = 'planner' order by id",
      [],
    );
    return { last: rows.at(-1)?.usd ?? null, spent: calls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0) };
  };
  /** What the model was sent in its request number `at`, from 0. */
  const sent = (at: number) => JSON.stringify(server.requests[at]?.body);
  return { ...life, server, calls, issue, assigned, says, state, costs, sent };
}
