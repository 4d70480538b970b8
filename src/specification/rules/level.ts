import type { Translate } from "../../i18n/messages.ts";
import type { SpecKey } from "../../i18n/spec.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { SpecInput } from "../generator.ts";
import { atLeastLevel } from "../validate/rules.ts";
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
  // A level whose log of decisions would be empty is too deep.
  const deepest = facts.answers.length + facts.places.length + facts.docs.length === 0 ? "L0" : "L2";
  if (complexityHint === null) return { level: lower(inferred(facts, files, settled), deepest), reason };
  return {
    level: lower(complexityHint, deepest),
    reason: `${say("reason_hint", { level: complexityHint })}; ${reason}`,
  };
}

function lower(a: Complexity, b: Complexity): Complexity {
  return atLeastLevel(a, b) ? b : a;
}

function inferred(facts: SpecFacts, files: number, settled: number): Complexity {
  if (facts.kind === "docs" || facts.kind === "question") return "L0";
  if (facts.isRequest) return (files >= SEVERAL && settled >= SEVERAL) || facts.criteria.length >= MANY ? "L2" : "L1";
  const isWide = files > SEVERAL && facts.calls.length < SEVERAL;
  return settled >= SEVERAL || facts.criteria.length >= SEVERAL || isWide ? "L1" : "L0";
}
