import type { Classification } from "../../domain/plan.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import type { IssueKind } from "../../domain/issue-text/kind.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { classify } from "../../code/classify.ts";

const OF_KIND: Record<IssueKind, Classification> = {
  bug: "BUG",
  performance: "BUG",
  feature: "FEATURE",
  docs: "DOCS",
  chore: "CHORE",
  question: "OTHER",
};

/** Titles that start with the task: they are more reliable than the words after them. */
const FIXES =
  /^\W{0,3}(?:fix(?:es|ing)?|resolve|repair|correct|исправ(?:ить|ьте|ь)|почин(?:ить|ите|и)|виправити|behebe|korrigiere|corregir|arreglar|corriger|réparer|corrigir|correggere|naprawi(?:ć|enie))(?![\p{L}\p{N}_])|^\W{0,3}(?:修复|修正|수정)/iu;
const TIDIES =
  /^\W{0,3}(?:remove|delete|drop|clean(?: |-)?up|rename|move|tidy|bump|upgrade|удалить|убрать|переименовать|видалити|entfernen|eliminar|supprimer|renommer|remover|usunąć)(?![\p{L}\p{N}_])|^\W{0,3}(?:删除|移除|削除|삭제)/iu;
const OBSERVED = anyOf(
  "(?:returns?|gives?|yields?|prints?|shows?) (?:a |an )?(?:nan|null|undefined|none|nil|nothing|garbage|[45]\\d\\d)|is (?:nan|null|undefined|nil)|[45]\\d\\d error",
);

/** Classifies an issue by its labels, template, words and files, with the reasons (R-TRI-1). */
export function classificationOf(
  reading: IssueReading,
  paths: readonly string[],
  labels: readonly string[],
): { classification: Classification; reason: string } {
  const { kind, reasons } = reading.kind;
  const classification = OF_KIND[kind];
  const said = reasons.slice(0, 2).join(", ");
  const roles = new Set(paths.map((path) => classify(path).role));
  if (labels.length === 0 && classification !== "OTHER" && roles.size === 1) {
    const [role] = roles;
    if (role === "docs") return { classification: "DOCS", reason: "only documentation is affected" };
    if (role === "lock") return { classification: "CHORE", reason: "only locked dependencies are affected" };
  }
  if (labels.length === 0 && reading.traces.length === 0) {
    const { title } = reading;
    const isOpen = classification === "FEATURE" || classification === "BUG";
    if (isOpen && TIDIES.test(title)) return { classification: "CHORE", reason: "the title asks to tidy up" };
    if (classification === "FEATURE" && FIXES.test(title))
      return { classification: "BUG", reason: "the title asks to fix something" };
    if (classification === "FEATURE" && OBSERVED.test(title))
      return { classification: "BUG", reason: "the title says what comes out" };
  }
  return { classification, reason: said };
}
