import type { Classification, Effort, Risk, RiskReason } from "../../domain/plan.ts";
import { causeOf } from "./security.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { phrases } from "../../i18n/phrases.ts";
import { riskWords } from "../../notify/review-reason.ts";
import { classify } from "../../code/classify.ts";

const DEPENDENCIES =
  /(?:^|\/)(?:package\.json|requirements[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|[^/]+\.csproj|mix\.exs)$/i;
/** Titles of issues that ask for another version of a dependency. */
export const UPGRADES = /^\W{0,3}(?:bump|upgrade|update)\s.{0,80}(?:\sto\s+v?\d|dependenc)/i;
const PUBLIC_API =
  /(?:^|\/)(?:api|apis|routes?|routers?|endpoints?|controllers?|graphql)(?:\/|\.[a-z]+$)|\.(?:proto|graphql)$|(?:^|\/)(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$|\.d\.ts$/i;
const BREAKING = anyOf(
  "breaking changes?|backwards?[- ]incompatible|public api|deprecat\\p{L}*|api endpoints?|обратн\\p{L}+ совместимост\\p{L}*|abwärtskompatib\\p{L}*|incompatible",
  "破坏性|不兼容|破壊的変更|호환",
);
const RESTRUCTURES = anyOf(
  "refactor\\p{L}* (?:the )?(?:whole|entire|all|complete|project|code ?base|architecture)|rewrit(?:e|es|ing)|re-?architect\\p{L}*|restructur\\p{L}*|overhaul|redesign|migrat(?:e|es|ing|ion)|port(?:ing)? to|split .{0,40} into|переписать|переработать|миграция|umbau|neu schreiben|reescribir|réécrire|reescrever",
  "重写|重构|迁移|書き直|移行",
);
const SEVERAL = 2;

/** The risk and the rule behind it, apart from what forces HIGH (R-TRI-1). */
export function riskOf(given: { classification: Classification; title: string; paths: readonly string[] }): {
  risk: Risk;
  reason: RiskReason;
} {
  const { classification, title, paths } = given;
  const work = paths.filter((path) => !["docs", "test", "example"].includes(classify(path).role));
  const dependency = paths.find((path) => DEPENDENCIES.test(path) || classify(path).role === "lock");
  if (dependency !== undefined) return { risk: "MEDIUM", reason: { rule: "dependency_file", facts: [dependency] } };
  if (UPGRADES.test(title)) return { risk: "MEDIUM", reason: { rule: "dependency_title", facts: [] } };
  const api = work.find((path) => PUBLIC_API.test(path));
  if (api !== undefined) return { risk: "MEDIUM", reason: { rule: "interface_file", facts: [api] } };
  if (classification !== "DOCS" && BREAKING.test(title)) {
    return { risk: "MEDIUM", reason: { rule: "interface_title", facts: [] } };
  }
  if (work.length > SEVERAL) return { risk: "MEDIUM", reason: { rule: "many_files", facts: [String(work.length)] } };
  if (work.length === 0 && paths.length > 0) return { risk: "LOW", reason: { rule: "only_texts", facts: [] } };
  return { risk: "LOW", reason: { rule: "few_files", facts: [] } };
}

/** Estimates the effort before anything is planned (R-TRI-1). */
export function effortBefore(given: {
  classification: Classification;
  title: string;
  paths: readonly string[];
  criteria: number;
}): Effort {
  const { classification, title, paths, criteria } = given;
  if (classification !== "DOCS" && RESTRUCTURES.test(title)) return "COMPLEX";
  if (paths.length > 5 || criteria > 8) return "COMPLEX";
  if (paths.length > SEVERAL || criteria > 4 || paths.length === 0) return "MODERATE";
  if (classification === "DOCS" && paths.length === 1) return "TRIVIAL";
  return classification === "FEATURE" && paths.length === SEVERAL ? "MODERATE" : "SIMPLE";
}

/** The rule behind a risk: what forces HIGH comes first. */
export function reasonFor(flags: readonly string[], touched: RiskReason): RiskReason {
  return flags.length === 0 ? touched : { rule: "sensitive", facts: flags.slice(0, 3).map(causeOf) };
}

/** In English, for the reasoning; flags are named with their kinds there. */
export function inEnglish(reason: RiskReason, flags: readonly string[]): string {
  return reason.rule === "sensitive" ? flags.slice(0, 3).join("; ") : riskWords(reason, phrases("plan", "en"));
}
