import { expect, test } from "vitest";
import { changedTests } from "./changed-tests.ts";
import { scenarioCoverage } from "./scenario-coverage.ts";

const scenario = (name: string, ...steps: string[]) =>
  `#### Scenario: ${name}\n\n${steps.map((s) => `- ${s}`).join("\n")}\n`;

function patch(path: string, ...lines: string[]): string {
  const all = lines.map((line) => `+${line}`).join("\n");
  return `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${all}\n`;
}

const by = (spec: string, change: string) =>
  scenarioCoverage(spec, changedTests(change)).map(({ test: { path, name } }) => ({ path, name }));

test.each([
  ["a.test.ts", 'it("keeps two carts apart", () => {'],
  ["a.test.ts", "test.each([1, 2])('keeps two carts apart', () => {"],
  ["tests/test_cart.py", "def test_keeps_two_carts_apart(shop):"],
  ["cart_test.go", "func TestKeepsTwoCartsApart(t *testing.T) {"],
  ["spec/cart_spec.rb", 'scenario "keeps two carts apart" do'],
  ["src/test/java/CartTest.java", "  void keepsTwoCartsApart() {"],
  ["tests/cart.rs", "fn keeps_two_carts_apart() {"],
])("a test is known by its name: %s %s", (path, line) => {
  const [found] = by(scenario("Two carts are kept apart"), patch(path, line));
  expect(found).toMatchObject({ path });
});

test("a test is known by what is in it, where its name says something else", () => {
  const spec = scenario("Discounts", "**WHEN** the voucher SUMMER is applied twice", "**THEN** the second is refused");
  const lines = [
    'test("works", () => {',
    "  apply(cart, voucher('SUMMER'));",
    "  const second = applyTwice(); // refused discount",
  ];
  expect(by(spec, patch("cart.test.ts", ...lines))).toEqual([{ path: "cart.test.ts", name: "works" }]);
});

test("a test is known by its outcome, however long the circumstances of the scenario are", () => {
  const spec = scenario(
    "the reported case",
    "**GIVEN** the file `settings.json` names the time zone America/Chicago",
    "**AND** two bills of 2026-10-01 and 2026-11-01 are stored",
    "**WHEN** `node bin/bills.js export --month 2026-10 --out october.csv` is run",
    "**THEN** a bill belongs to the month of the day that is printed on it (Gap #2)",
    "**AND** `EXPORT_MISMATCH` does not appear",
  );
  const named = 'test("a bill belongs to the month of the day printed on it, everywhere", () => {';
  expect(by(spec, patch("a.test.ts", named))).toMatchObject([{ path: expect.any(String) }]);
  const within = [
    'test("months", () => {',
    "  // a bill belongs to the printed day's month; no EXPORT_MISMATCH appears",
  ];
  expect(by(spec, patch("a.test.ts", ...within))).toEqual([{ path: "a.test.ts", name: "months" }]);
  const other = 'test("a bill is stored with the day of its payment", () => {';
  expect(by(spec, patch("a.test.ts", other))).toEqual([]);
});

test("nothing is claimed where too few words agree", () => {
  const spec = scenario("The export is empty", "**WHEN** nobody has read anything", "**THEN** a hint is shown");
  expect(by(spec, patch("a.test.ts", 'test("exports books", () => {'))).toEqual([]);
  expect(by(spec, "")).toEqual([]);
});

test("a test that was there before and has nothing new covers nothing", () => {
  const context = "diff --git a/a.test.ts b/a.test.ts\n--- a/a.test.ts\n+++ b/a.test.ts\n@@ -1,2 +1,3 @@\n";
  const lines = ' test("keeps two carts apart", () => {\n test("other", () => {\n+  expect(1);\n';
  expect(by(scenario("Two carts are kept apart"), context + lines)).toEqual([]);
});

test("scenarios of languages without blanks are found too", () => {
  const change = patch("cart.test.ts", 'test("合計は四捨五入される", () => {');
  expect(by(scenario("合計は四捨五入される"), change)).toMatchObject([{ path: expect.any(String) }]);
});

test("a spec without scenarios has no table, and one of thousands is bounded", () => {
  expect(by("# Spec: x", "")).toEqual([]);
  const change = patch("a.test.ts", 'test("keeps two carts apart", () => {');
  expect(by(scenario("Two carts are kept apart").repeat(5_000), change).length).toBe(200);
});
