import type { Translate } from "../../domain/messages/messages.ts";
import type { SpecKey } from "../../domain/messages/spec.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { SpecInput } from "../generator.ts";
import type { SpecFacts } from "./facts.ts";

const SEVERAL = 3;
const MANY = 5;

/**
 * How deep to go (R-SPEC-5), from the kind of issue, the files that it touches and how much had to be settled, and
 * why. A hint is followed as far as rules can go, which is L2.
 */
export function levelOf(
  { complexityHint, closedGaps }: SpecInput,
  facts: SpecFacts,
  say: Translate<SpecKey>,
): { level: Complexity; reason: string } {
  const files = new Set([...facts.places, ...facts.docs].map((place) => place.path)).size;
  const settled = closedGaps.filter((gap) => gap.closedReason !== "not_relevant").length;
  const reason = say("reason", { kind: say(`kind_${facts.kind}`), files, settled });
  if (complexityHint !== null) {
    const level = complexityHint === "L0" || complexityHint === "L1" ? complexityHint : "L2";
    return { level, reason: `${say("reason_hint", { level: complexityHint })}; ${reason}` };
  }
  return { level: inferred(facts, files, settled), reason };
}

function inferred(facts: SpecFacts, files: number, settled: number): Complexity {
  if (facts.kind === "docs" || facts.kind === "question") return "L0";
  if (facts.isRequest) return (files >= SEVERAL && settled >= SEVERAL) || facts.criteria.length >= MANY ? "L2" : "L1";
  return settled >= SEVERAL || (files > SEVERAL && facts.calls.length < SEVERAL) ? "L1" : "L0";
}
