import type { Classification, Effort, Risk } from "../../domain/plan.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { classify } from "../../code/classify.ts";

const DEPENDENCIES =
  /(?:^|\/)(?:package\.json|requirements[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|[^/]+\.csproj|mix\.exs)$/i;
const UPGRADES = /^\W{0,3}(?:bump|upgrade|update)\s.{0,80}(?:\sto\s+v?\d|dependenc)/i;
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

/** The risk and its reasons, apart from what forces HIGH (R-TRI-1). */
export function riskOf(given: { classification: Classification; title: string; paths: readonly string[] }): {
  risk: Risk;
  reason: string;
} {
  const { classification, title, paths } = given;
  const work = paths.filter((path) => !["docs", "test", "example"].includes(classify(path).role));
  const dependency = paths.find((path) => DEPENDENCIES.test(path) || classify(path).role === "lock");
  if (dependency !== undefined) return { risk: "MEDIUM", reason: `${dependency} decides on dependencies` };
  if (UPGRADES.test(title)) return { risk: "MEDIUM", reason: "the title asks for another version of a dependency" };
  const api = work.find((path) => PUBLIC_API.test(path));
  if (api !== undefined) return { risk: "MEDIUM", reason: `${api} is part of a public interface` };
  if (classification !== "DOCS" && BREAKING.test(title)) {
    return { risk: "MEDIUM", reason: "the title speaks of a public interface or of compatibility" };
  }
  if (work.length > SEVERAL) return { risk: "MEDIUM", reason: `${work.length} files of code or settings are affected` };
  if (work.length === 0 && paths.length > 0)
    return { risk: "LOW", reason: "only texts, tests or examples are affected" };
  return { risk: "LOW", reason: "few files are affected, none of them sensitive" };
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
