import { expect, test } from "vitest";
import { WRITTEN_LANGUAGES, phrases } from "../i18n/phrases.ts";
import { forbiddenBy } from "./forbidden.ts";

const issue = { number: 1, title: "", body: "", author: { login: "ann" }, labels: [], created_at: "2026-11-20" };
const forbidden = (...nonGoals: string[]) =>
  forbiddenBy({ issue, spec: { path: "spec.md", sha256: "0", tasks: [], places: [], nonGoals } });

test.each(WRITTEN_LANGUAGES)("the Non-goals of a spec are read as the rules write them: %s", (language) => {
  const say = phrases("spec", language);
  const spared = say("goal_spared", { places: "`src/a.ts`, `src/b.ts`", text: "old (message 1)" });
  expect(forbidden(spared).names).toEqual(["src/a.ts", "src/b.ts"]);
  expect(forbidden(say("goal_only", { places: "`src/a.ts`", text: "old (message 1)" })).names).toEqual([]);
});

test("of an order that a Non-goal quotes, only the files that it names first are forbidden: the others may be free again", () => {
  const text = "Please don't touch `src/b.ts` and don't touch `src/a.ts` (message 1)";
  expect(forbidden(phrases("spec", "en")("goal_spared", { places: "`src/a.ts`", text })).names).toEqual(["src/a.ts"]);
});

test.each([
  [["`src/a.ts`"], true],
  [["anything under `src/`"], true],
  [["A rewrite of `src/a.ts`"], false],
  [["The layout that `src/a.ts` prints"], false],
])("a Non-goal that is the name of a file forbids it: %j", (nonGoals, is) => {
  expect(forbidden(...nonGoals).isForbidden("src/a.ts")).toBe(is);
});
