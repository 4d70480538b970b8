import { z } from "zod";
import type { TriageResult } from "../../domain/plan.ts";
import { CLASSIFICATIONS, EFFORTS, RISKS } from "../../domain/plan.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { Failure } from "../answer.ts";
import type { TriageInput } from "../input.ts";
import { phrase } from "../phrase.ts";
import { ask } from "./ask.ts";
import type { AskParts } from "./ask.ts";
import { issueMaterial, treeMaterial } from "./material.ts";
import { fence } from "../../adapters/models/fence.ts";
import { refined } from "../triage/refine.ts";

/** What a model refines. */
export interface TriageWanted {
  input: TriageInput;
  byRules: TriageResult;
}

export type TriageFromModel = { kind: "triaged"; result: TriageResult } | { kind: "failed"; failure: Failure };

export type AskForTriage = (wanted: TriageWanted) => Promise<TriageFromModel>;

const submission = z.object({
  classification: z.enum(CLASSIFICATIONS),
  risk: z.enum(RISKS),
  affected_files: z.array(z.string().max(4_096)).max(20),
  estimated_complexity: z.enum(EFFORTS),
  reasoning: z.string().trim().min(1).max(4_000),
});
export type TriageSubmission = z.output<typeof submission>;

/** A model that looks over what the rules say of an issue (R-TRI-1). */
export function triageByModel(parts: AskParts): AskForTriage {
  const prompt = loadPrompt("triage");
  return async ({ input, byRules }) => {
    const { issue, repository_context: repository } = input;
    const tree = new Set(repository.file_tree);
    const asked = await ask(parts, {
      role: "triage",
      system: prompt.fill({}),
      material: (boundary) =>
        [
          issueMaterial(issue, boundary),
          treeMaterial(byRules.affected_files, repository.file_tree, boundary),
          `# What the program concluded\n\n${fence("triage", JSON.stringify(shown(byRules), null, 2), boundary)}`,
        ].join("\n\n"),
      tool: "submit_triage",
      schema: submission,
      check: (given) => {
        const unknown = given.affected_files.filter((path) => !tree.has(path));
        return unknown.length === 0
          ? { kind: "taken", value: given }
          : {
              kind: "wrong",
              problems: unknown.map((path) => `affected_files: ${phrase(path, 200)} is no file of the repository`),
            };
      },
    });
    return asked.kind === "failed" ? asked : { kind: "triaged", result: refined(byRules, asked.value, input) };
  };
}

function shown({
  classification,
  risk,
  affected_files,
  estimated_complexity,
  reasoning,
  security_flags,
}: TriageResult) {
  return { classification, risk, affected_files, estimated_complexity, reasoning, security_flags };
}
