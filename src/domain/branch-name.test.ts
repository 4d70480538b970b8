import { assert, asyncProperty, constantFrom, integer, string } from "fast-check";
import { expect, test } from "vitest";
import { BRANCH_NAME, CLASSIFICATIONS } from "./plan.ts";
import { branchName, branchSlug } from "./branch-name.ts";

const free = { prefixes: {}, isTaken: () => false };

test("the branch is named by kind, number and the telling words of the title", async () => {
  expect(await branchName({ number: 42, title: "Fix typo in README" }, "BUG", free)).toBe("fix/42-fix-typo-readme");
  const dark = { number: 100, title: "Add dark mode support for dashboard component" };
  expect(await branchName(dark, "FEATURE", free)).toBe("feature/100-add-dark-mode-support-dashboard");
});

test.each([
  ["Исправить опечатку в справке", "ispravit-opechatku-v-spravke"],
  ["Größe wird falsch berechnet", "grosse-wird-falsch-berechnet"],
  ["登录失败", "denglu-shibai"],
  ["CSVエクスポートの合計が間違っている", "csv-ekusupoto"],
  ["ログイン画面でエラー", "roguin-era"],
  ["合計が違う", "issue"],
  ["集計処理の失敗", "issue"],
  ["ghp_0123456789abcdefghijABCDEFGHIJ012345 leaks", "leaks"],
  ["!!! ???", "issue"],
  ["", "issue"],
  ["The of and", "the-of-and"],
  ["-- on fire --", "fire"],
  [`${"a".repeat(49)} b`, "a".repeat(49)],
])("the title %j is spelled in letters, digits and hyphens", (title, slug) => {
  expect(branchSlug({ title })).toBe(slug);
});

test.each([
  ["合計が違う", "Sum the cart in cents", "sum-cart-cents"],
  ["Неверная сумма", "Sum the cart in cents", "sum-cart-cents"],
  ["Неверная сумма", "Сумма в центах", "nevernaya-summa"],
  ["合計が違う", "カートの合計", "kato"],
  ["Wrong total", "Sum the cart in cents", "wrong-total"],
])("the title %j of a spec called %j gives %s", (title, built, slug) => {
  expect(branchSlug({ title, built })).toBe(slug);
});

test("a title in characters that Chinese has too is not read as Chinese where the issue is Japanese", () => {
  expect(branchSlug({ title: "合計誤差", language: "ja" })).toBe("issue");
  expect(branchSlug({ title: "合計誤差", language: "zh" })).toBe("heji-wucha");
});

test("a prefix of the repository's own is taken only where the contract knows it", async () => {
  const issue = { number: 7, title: "Crash" };
  expect(await branchName(issue, "BUG", { ...free, prefixes: { BUG: "chore" } })).toBe("chore/7-crash");
  expect(await branchName(issue, "BUG", { ...free, prefixes: { BUG: "hotfix/x" } })).toBe("fix/7-crash");
  expect(await branchName(issue, "OTHER", free)).toBe("fix/7-crash");
});

test("a name that is taken gets a number and stays within its limit", async () => {
  const taken = new Set(["fix/7-crash", "fix/7-crash-2"]);
  const isTaken = (name: string) => taken.has(name);
  expect(await branchName({ number: 7, title: "Crash" }, "BUG", { prefixes: {}, isTaken })).toBe("fix/7-crash-3");
  const long = { number: 7, title: "x".repeat(80) };
  const first = `fix/7-${"x".repeat(50)}`;
  const name = await branchName(long, "BUG", { prefixes: {}, isTaken: (each) => each === first });
  expect(name).toBe(`fix/7-${"x".repeat(48)}-2`);
});

test("where every name is taken there is none", async () => {
  expect(await branchName({ number: 7, title: "Crash" }, "BUG", { prefixes: {}, isTaken: () => true })).toBeNull();
});

test("whatever the title, the name fits the contract", async () => {
  await assert(
    asyncProperty(
      string({ unit: "grapheme", maxLength: 120 }),
      integer({ min: 1, max: 1e9 }),
      constantFrom(...CLASSIFICATIONS),
      integer({ min: 0, max: 30 }),
      string({ maxLength: 8 }),
      async (title, number, kind, taken, prefix) => {
        let left = taken;
        const isTaken = () => (left -= 1) >= 0;
        const name = await branchName({ number, title }, kind, { prefixes: { [kind]: prefix }, isTaken });
        expect(name).toMatch(BRANCH_NAME);
        expect(name).not.toMatch(/-$/);
      },
    ),
    { numRuns: 200 },
  );
});
