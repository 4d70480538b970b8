import { expect, test } from "vitest";
import { scenarioCoverage } from "./scenario-coverage.ts";

const scenario = (name: string, ...steps: string[]) =>
  `#### Scenario: ${name}\n\n${steps.map((s) => `- ${s}`).join("\n")}\n`;

const by = (spec: string, ...tests: [path: string, name: string, body?: string][]) =>
  scenarioCoverage(
    spec,
    tests.map(([path, name, body = ""]) => ({ path, name, kind: "new" as const, body })),
  ).flatMap(({ test: found }) => (found === null ? [] : [{ path: found.path, name: found.name }]));

test.each([
  ["a.test.ts", "keeps two carts apart"],
  ["tests/test_cart.py", "test_keeps_two_carts_apart"],
  ["cart_test.go", "TestKeepsTwoCartsApart"],
  ["spec/cart_spec.rb", "keeps two carts apart"],
  ["src/test/java/CartTest.java", "keepsTwoCartsApart"],
  ["tests/cart.rs", "keeps_two_carts_apart"],
])("a test is known by its name: %s %s", (path, name) => {
  const [found] = by(scenario("Two carts are kept apart"), [path, name]);
  expect(found).toMatchObject({ path });
});

test("a test is known by what is in it, where its name says something else", () => {
  const spec = scenario("Discounts", "**WHEN** the voucher SUMMER is applied twice", "**THEN** the second is refused");
  const body = "apply ( cart , voucher ( 'SUMMER' ) ) const second = applyTwice ( ) // refused discount";
  expect(by(spec, ["cart.test.ts", "works", body])).toEqual([{ path: "cart.test.ts", name: "works" }]);
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
  const named = "a bill belongs to the month of the day printed on it, everywhere";
  expect(by(spec, ["a.test.ts", named])).toMatchObject([{ path: expect.any(String) }]);
  const within = "a bill belongs to the printed day's month; no EXPORT_MISMATCH appears";
  expect(by(spec, ["a.test.ts", "months", within])).toEqual([{ path: "a.test.ts", name: "months" }]);
  const other = "a bill is stored with the day of its payment";
  expect(by(spec, ["a.test.ts", other])).toEqual([]);
});

test("nothing is claimed where too few words agree", () => {
  const spec = scenario("The export is empty", "**WHEN** nobody has read anything", "**THEN** a hint is shown");
  expect(by(spec, ["a.test.ts", "exports books"])).toEqual([]);
  expect(by(spec)).toEqual([]);
});

test("scenarios of languages without blanks are found too", () => {
  expect(by(scenario("合計は四捨五入される"), ["cart.test.ts", "合計は四捨五入される"])).toMatchObject([
    { path: expect.any(String) },
  ]);
});

test("a spec without scenarios has no table, and one of thousands is bounded", () => {
  expect(by("# Spec: x")).toEqual([]);
  expect(by(scenario("Two carts are kept apart").repeat(5_000), ["a.test.ts", "keeps two carts apart"]).length).toBe(
    200,
  );
});
