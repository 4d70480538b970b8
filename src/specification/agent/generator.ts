import { RelayError } from "../../lib/errors.ts";
import { boundaryFrom, fenceCode } from "../../adapters/models/fence.ts";
import type { RunLimits } from "../../adapters/models/limits.ts";
import type { AgentModel, AgentOutcome, ModelFailure, Turn } from "../../adapters/models/model.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";
import { citationsIn as placesIn } from "../../code/agent/source-lookup.ts";
import type { LookingTools } from "../../code/agent/looking-tools.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "../generator.ts";
import { instructionsFrom } from "./instructions.ts";
import { type Explore, type Looks, exploreTool } from "./reads.ts";
import { materialOf } from "./material.ts";
import { draftOf, isSpec, submissionSchema } from "./submission.ts";
import { errorOfFailure } from "../../adapters/models/failure.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import type { SpecProblem } from "../validate/rules.ts";

const LIMITS = { steps: 12, outputTokens: 80_000, costUsd: 3 } satisfies Partial<RunLimits>;
/** Shares of the material to show; the smaller ones are for models whose context is too small for all of it. */
const SHARES = [1, 0.3, 0.08];
const REMINDER =
  "Nothing was submitted yet; only a call of `submit_spec` counts. Call it now with the whole spec in `spec_markdown`.";

export interface AgentSpecGeneratorOptions {
  model: AgentModel;
  explore: Explore;
  /** Short looks at the code, without an exploration (R-PLAN-14). */
  look?: LookingTools;
  prompts: { spec: Prompt };
  /** In [0, 1); for the boundaries of fences. */
  random: () => number;
  /** Limits of one run; a spec may take several (R-SPEC-3, R-SPEC-7). `costUsd` is for all runs of a spec together. */
  limits?: Partial<RunLimits>;
}

/**
 * Has a model write specs, each in its own context (R-SPEC-3): it gets the stored material, may explore the code twice,
 * and submits a document. Throws `RelayError` if a run produces none: `invalid` if another attempt may do better,
 * `config` if none will, and the retryable codes while the model is unavailable.
 */
export function agentSpecGenerator(options: AgentSpecGeneratorOptions): SpecGenerator {
  const { model, prompts, random } = options;
  const system = instructionsFrom(prompts.spec);
  // All attempts and corrections of a spec share one input and so one boundary, which keeps the prompt cached.
  const begun = new WeakMap<SpecInput, Work>();
  return {
    name: model.name,
    takesWarnings: true,
    promptHash: prompts.spec.hash,
    generate: async (input, correction) => {
      const work = begun.get(input) ?? {
        boundary: boundaryFrom(random),
        looks: { begun: 0, answers: [], locations: [] },
        tools: null,
        spentUsd: 0,
      };
      begun.set(input, work);
      return await write(input, correction, { ...options, system, work });
    },
  };
}

interface Work {
  boundary: string;
  looks: Looks;
  /** Short looks have one budget for all its runs. */
  tools: AgentTool[] | null;
  /** For its runs so far, as far as prices are known. */
  spentUsd: number;
}

async function write(
  input: SpecInput,
  correction: Correction | null,
  { model, explore, look, limits, system, work }: AgentSpecGeneratorOptions & { system: string; work: Work },
): Promise<SpecDraft> {
  const { boundary, looks } = work;
  const bounds = { ...LIMITS, ...limits };
  work.tools ??= look?.({ boundary, shown: ({ location }) => void looks.locations.push(location) }) ?? [];
  for (const share of SHARES) {
    const costUsd = bounds.costUsd - work.spentUsd;
    if (costUsd <= 0) {
      throw new RelayError("too_large", `${model.name} used up the $${bounds.costUsd} that one spec may cost`);
    }
    const submitted: SpecDraft[] = [];
    const outcome = await model.run({
      role: "spec",
      system,
      turns: turnsOf(materialOf(input, boundary, share), { correction, looks: looks.answers, boundary }),
      tools: [
        exploreTool(explore, looks, { issueId: input.issue.id, boundary }),
        ...work.tools,
        submitTool(input, submitted),
      ],
      endsBy: "submit_spec",
      reminder: REMINDER,
      limits: { ...bounds, costUsd },
    });
    work.spentUsd += outcome.costUsd ?? 0;
    const draft = submitted[0] ?? writtenIn(outcome, input);
    if (draft !== null) {
      const shown = [...placesOf(input), ...looks.locations];
      return { ...draft, shown, writtenBy: writerOf(outcome) };
    }
    if (outcome.kind !== "failed" || outcome.failure.kind !== "too_long" || share === SHARES.at(-1)) {
      throw noSpec(model.name, outcome);
    }
  }
  throw new RelayError("internal", "a spec was written without any material; SHARES must not be empty");
}

/** The places that a writer's material shows or names. */
function placesOf({ findings, explorations, existing, issue, messages }: SpecInput): string[] {
  const texts = [existing?.content ?? "", issue.body, ...messages.map(({ content }) => content)];
  return [
    ...findings.flatMap(({ sources }) => sources.map(({ location }) => location)),
    ...explorations.flatMap(({ places }) => places.map(({ location }) => location)),
    ...texts.flatMap(placesIn),
  ];
}

function writerOf({ model, fellBackFrom }: AgentOutcome): NonNullable<SpecDraft["writtenBy"]> {
  return { model, fellBackFrom: fellBackFrom.map((one) => one.model) };
}

/** Models that are weak at tool calls write the document as their answer, even after a reminder. */
function writtenIn(outcome: AgentOutcome, input: SpecInput): SpecDraft | null {
  if (outcome.kind !== "finished") return null;
  const texts = outcome.steps.map((step) => step.text).filter((text) => isSpec(text, input.maxCharacters));
  const longest = texts.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : draftOf({ spec_markdown: longest, spec_summary: [] }, input);
}

/** Only the first document counts, even if one answer submits several. */
function submitTool(input: SpecInput, submitted: SpecDraft[]) {
  return agentTool({
    name: "submit_spec",
    description: "Hands in the whole spec and ends your work. Call it exactly once.",
    input: submissionSchema(input.maxCharacters),
    inTurn: true,
    execute: async (submission) => {
      if (submitted.length > 0) {
        return { output: "A spec was handed in already; this one was left aside.", isError: true };
      }
      submitted.push(draftOf(submission, input));
      return await Promise.resolve({ output: "Taken.", ends: true });
    },
  });
}

/** The error of a run without a spec: `invalid` if another attempt may do better; see `agentSpecGenerator`. */
function noSpec(model: string, outcome: AgentOutcome): RelayError {
  switch (outcome.kind) {
    case "finished":
      return new RelayError("invalid", `${model} ended its work without handing in a spec`);
    case "limit":
      return new RelayError("invalid", `${model} reached a limit (${outcome.limit}) before it handed in a spec`);
    case "refused":
      return new RelayError("invalid", `${model} declined to write the spec`);
    case "aborted":
      return new RelayError("timeout", `the writing of the spec by ${model} was stopped`);
    case "failed":
      return failed(outcome.failure);
  }
  return outcome satisfies never;
}

/** An unusable answer is retried here at once, not by the job. */
function failed(failure: ModelFailure): RelayError {
  return errorOfFailure(failure.kind === "invalid_answer" ? { ...failure, retryable: false } : failure);
}

const PROBLEMS = 60;
const QUOTED = 200;

interface Correction {
  previous: SpecDraft;
  problems: SpecProblem[];
}

/**
 * The conversation that a run starts with. The material comes first and never changes, so it is cached; the draft of an
 * earlier run is the assistant's turn, followed by its problems, rule by rule (R-SPEC-7).
 */
function turnsOf(
  material: string,
  { correction, looks, boundary }: { correction: Correction | null; looks: readonly string[]; boundary: string },
): Turn[] {
  const first: Turn = { role: "user", content: `${material}\n\n${ASK}`, cacheBreakpoint: true };
  const seen =
    looks.length === 0 ? "" : `This was found already when the code was looked at:\n\n${looks.join("\n")}\n\n`;
  if (correction !== null) {
    return [
      first,
      { role: "assistant", content: correction.previous.markdown },
      { role: "user", content: `${seen}${feedback(correction, boundary)}` },
    ];
  }
  if (seen === "") return [first];
  return [
    first,
    { role: "assistant", content: "I look at the code first." },
    { role: "user", content: `${seen}${ASK}` },
  ];
}

const ASK = "Write the spec of this issue now, and hand it in with `submit_spec`.";

const MEND = `Mend what the list names, and leave the rest as it is, word for word. Errors have to go. A warning goes too, unless
that would make the spec worse. A citation that does not hold is replaced by evidence that the material shows; where there
is none, what rests on it goes as well, or becomes an assumption. A text that is too long gets shorter by what nobody
builds, checks or decides by. Then hand in the whole document with \`submit_spec\`, with summary, changelog and level.`;

function feedback({ previous, problems }: Correction, boundary: string): string {
  const lines = linesOf(previous.markdown);
  const list = problems.slice(0, PROBLEMS).flatMap(({ severity, rule, line, detail }) => {
    const quoted = (lines[line - 1] ?? "").trim().slice(0, QUOTED).toWellFormed();
    return [`- ${severity} ${rule}, line ${line}: ${detail}`, ...(quoted === "" ? [] : [`    ${quoted}`])];
  });
  const more = problems.length > PROBLEMS ? [`- and ${problems.length - PROBLEMS} more`] : [];
  return `The spec was checked and is not right yet:\n\n${fenceCode("problems", [...list, ...more].join("\n"), boundary)}\n\n${MEND}`;
}
