import type { Action, ActionBatch, ActionOf, ActionProblem } from "../../domain/action.ts";
import type { Finding } from "../../domain/finding.ts";
import type { CycleContext } from "../planner.ts";
import type { Evidence } from "./evidence.ts";

/* Rules for models in addition to those of actions: models can be manipulated, and they make things up. */

type Complaint = Omit<ActionProblem, "index">;

/** The problems of a batch that a model submits. Pure. */
export function houseProblems(
  batch: ActionBatch,
  { context, evidence }: { context: CycleContext; evidence: Evidence },
): ActionProblem[] {
  return batch.actions.flatMap((action, index) =>
    judge(action, context, evidence).map((complaint) => ({ index, ...complaint })),
  );
}

/**
 * Replaces the lines copied by a model with the actual code. `dropped` counts what is removed: sources that were not
 * verified, and findings whose lines do not hold them or of which none is left.
 */
export function withEvidence(batch: ActionBatch, evidence: Evidence): { batch: ActionBatch; dropped: number } {
  let dropped = 0;
  const actions = batch.actions.map((action): Action => {
    if (action.type !== "update_findings") return action;
    const add = action.data.add
      .map((finding) => {
        const sources = finding.sources.flatMap((source) => evidence.find(source.location) ?? []);
        dropped += finding.sources.length - sources.length;
        return { ...finding, sources };
      })
      .filter((finding) => {
        if (finding.sources.length === 0) return false;
        const holds = missingFrom(finding, evidence).length === 0;
        if (!holds) dropped += 1;
        return holds;
      });
    return { ...action, data: { ...action.data, add } };
  });
  return { batch: { ...batch, actions }, dropped };
}

function judge(action: Action, context: CycleContext, evidence: Evidence): Complaint[] {
  switch (action.type) {
    case "update_findings":
      return judgeSources(action, evidence);
    case "ready_for_spec_generation":
      return judgeRevision(context);
    case "update_gaps":
    case "post_comment":
    case "update_learnings":
    case "update_spec":
    case "set_spec_status":
      return [];
    default:
      return action satisfies never;
  }
}

/** Findings may cite only what an exploration has verified, and their names and numbers must occur there. */
function judgeSources({ data }: ActionOf<"update_findings">, evidence: Evidence): Complaint[] {
  return data.add.flatMap((finding, at) => {
    const unverified = finding.sources
      .filter(({ location }) => evidence.find(location) === null)
      .map(({ location }) => {
        const near = evidence.near(location);
        const hint = near.length === 0 ? "explore first, or drop the finding" : `cite one of ${near.join(", ")}`;
        return refusal("finding_verified", `add[${at}]: no exploration of this cycle verified ${location}; ${hint}`);
      });
    if (unverified.length > 0) return unverified;
    const missing = missingFrom(finding, evidence);
    if (missing.length === 0) return [];
    const detail = `add[${at}]: ${missing.join(", ")} stands in no code that its places show; cite the lines that show it too, or leave it out`;
    return [refusal("finding_holds", detail)];
  });
}

/** The names in backticks and the numbers of a finding that neither its places' code nor their paths have. */
function missingFrom({ synthesis, sources }: Pick<Finding, "synthesis" | "sources">, evidence: Evidence): string[] {
  const shown = joinedDigits(
    sources
      .map(({ location }) => evidence.around(location))
      .join("\n")
      .toLowerCase(),
  );
  const told = synthesis.replaceAll(/#\d+/g, " ");
  const names = [...told.matchAll(/`([^`\n]{1,200})`/g)].flatMap(
    ([, name = ""]) => name.match(/[\p{L}_$][\p{L}\p{N}_$]+/gu) ?? [],
  );
  // Naming a place claims nothing about its lines, and a small number usually counts something.
  const prose = joinedDigits(told.replaceAll(/`[^`\n]*`/g, " ").replaceAll(/\S+\.\w+:\d+(?:[-–]\d+)?/g, " "));
  const numbers = prose.match(/(?<![\p{L}\p{N}_.-])\d{2,}(?:\.\d+)?(?![\p{L}_])/gu) ?? [];
  return [...new Set([...names, ...numbers])].filter((word) => !shown.includes(word.toLowerCase()));
}

/** `30_000` and `30,000` are one number. */
function joinedDigits(text: string): string {
  return text.replaceAll(/(?<=\d)[_,'](?=\d{3}(?!\d))/g, "");
}

/** A go-ahead is for one spec only: people without permission cannot cause another one to be written (R-SAFE-1). */
function judgeRevision(context: CycleContext): Complaint[] {
  if (context.specStub === null || context.wishes.length > 0) return [];
  const mayDecide = new Set(context.participants.filter((one) => one.mayProceed).map((one) => one.login.toLowerCase()));
  const asked = context.messages.some(
    (message) =>
      context.newMessages.includes(message.seq) && !message.isBot && mayDecide.has(message.author.toLowerCase()),
  );
  if (asked) return [];
  const detail =
    "the spec is written anew only when somebody who may give the go-ahead has said so in a new message; drop this action";
  return [refusal("revision_gate", detail)];
}

function refusal(rule: string, detail: string): Complaint {
  return { rule, detail };
}
