import { describe, expect, test } from "vitest";
import { readIssue } from "../issue-text/issue-reading.ts";
import { onlyAsksForFix } from "./sentence.ts";
import { statementsIn } from "./statements.ts";

const ORDERS = [
  "Please fix it",
  "Kindly get this sorted out, thanks.",
  "Could someone please look into this and have it fixed?",
  "The bug is fixed.",
  "It should be resolved in the next release.",
  "Please fix the rounding of prices",
  "Bitte beheben.",
  "Der Fehler muss behoben werden.",
  "Por favor, arréglenlo.",
  "El error debe ser corregido.",
  "Merci de corriger ce bug.",
  "Le problème est résolu.",
  "Por favor, corrijam isso.",
  "O erro deve ser corrigido.",
  "Исправьте, пожалуйста, эту ошибку.",
  "Ошибка должна быть исправлена.",
  "请修复这个问题。",
  "这个错误应该被修复",
  "この不具合を修正してください。",
  "バグが修正されること",
];

describe("a sentence that only asks for the fix states no criterion, in eight languages (R-SPEC-16)", () => {
  test.each(ORDERS)("%s", (words) => {
    const issue = {
      title: "Wrong rounding of prices",
      body: `A cent is lost.\n\n### Acceptance criteria\n\n- ${words}`,
      labels: [],
    };
    expect(readIssue(issue).acceptanceCriteria).toEqual([]);
    const { statements } = statementsIn({ ...issue, reporter: "ann" }, [], new Set(["ann"]));
    expect(statements.filter(({ kind }) => kind === "wish")).toEqual([]);
  });
});

describe("what says more than that is one", () => {
  test.each([
    "Please round to two digits",
    "Please fix it without a new dependency",
    "Please fix it, and add a test for negative prices",
    "The bug is fixed on Windows, too.",
    "Please document it",
    "`total([])` is 0",
    "Bitte auf zwei Stellen runden",
    "Der Fehler darf nicht mehr auftreten, wenn der Korb leer ist",
    "Debe redondear a dos cifras",
    "Il doit arrondir à deux chiffres",
    "Deve arredondar para duas casas",
    "Должно округляться до двух знаков",
    "请四舍五入到两位小数",
    "小数点以下二桁に丸めること",
  ])("%s", (words) => {
    const issue = {
      title: "Wrong total",
      body: `A cent is lost.\n\n### Acceptance criteria\n\n- ${words}`,
      labels: [],
    };
    expect(readIssue(issue).acceptanceCriteria).toHaveLength(1);
  });
});

test("a long run of words is no order, and is not searched", () => {
  expect(onlyAsksForFix("please fix it ".repeat(1_000))).toBe(false);
});
