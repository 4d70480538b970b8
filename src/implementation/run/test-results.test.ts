import { assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import type { ReportedTest } from "./test-report/reported-test.ts";
import { isAmongRed, testResults } from "./test-results.ts";

const TAP = `TAP version 13
# Subtest: rounds half up
not ok 2 - rounds half up
  ---
  failureType: 'testCodeFailure'
  ...
    not ok 1 - inner fails
      ---
      failureType: 'testCodeFailure'
      ...
    ok 3 - later # SKIP
not ok 3 - suite
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
not ok 4 - some day # TODO
# tests 5
# suites 1
# pass 2
# fail 2
# skipped 1`;

const SPEC = `✖ rounds half up (13.68ms)
▶ suite
  ✖ inner fails (44.19ms)
✖ suite (44.77ms)
ℹ tests 5
ℹ pass 2
ℹ fail 2

✖ failing tests:

test at a.test.js:2:25
✖ rounds half up (13.68ms)
test at a.test.js:3:27
✖ inner fails (44.19ms)`;

test.each([
  ["node, TAP", TAP, { total: 5, failed: 2, skipped: 1, red: ["rounds half up", "inner fails"] }],
  ["node, for people", SPEC, { total: 5, failed: 2, skipped: 0, red: ["rounds half up", "inner fails"] }],
  [
    "jest",
    "FAIL src/a.test.js\n  ● Console\n\n  ● cart › rounds half up\n\nTests:       1 failed, 2 skipped, 144 passed, 147 total\nTime: 3 s",
    { total: 147, failed: 1, skipped: 2, red: ["cart › rounds half up"] },
  ],
  [
    "vitest",
    " FAIL  src/a.test.ts > cart > rounds half up\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 144 passed (145)",
    { total: 145, failed: 1, skipped: 0, red: ["src/a.test.ts > cart > rounds half up"] },
  ],
  [
    "mocha",
    "  12 passing (8ms)\n  1 failing\n\n  1) cart\n       rounds half up:\n",
    { total: 13, failed: 1, skipped: 0, red: [] },
  ],
  [
    "pytest",
    "FAILED test_x.py::T::test_a - AssertionError: 1 != 2\n==== 1 failed, 50 passed, 1 skipped in 3.28s ====",
    { total: 52, failed: 1, skipped: 1, red: ["test_x.py::T::test_a"] },
  ],
  [
    "unittest",
    "FAIL: test_a (test_x.T.test_a)\nRan 3 tests in 0.002s\n\nFAILED (failures=1, errors=1)",
    { total: 3, failed: 2, skipped: 0, red: ["test_a (test_x.T.test_a)"] },
  ],
  [
    "unittest, green",
    "Ran 52 tests in 0.4s\n\nOK (skipped=2, expected failures=1)",
    { total: 52, failed: 0, skipped: 3, red: [] },
  ],
  [
    "cargo",
    "test cart::rounds ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 0 failed; 0 ignored",
    { total: 7, failed: 1, skipped: 1, red: ["cart::rounds"] },
  ],
  [
    "go -v",
    "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/deep (0.00s)\nFAIL",
    { total: 3, failed: 2, skipped: 0, red: ["TestB", "TestB/deep"], ran: ["TestA"] },
  ],
  [
    "rspec",
    "145 examples, 1 failure, 3 pending\n\nrspec ./spec/cart_spec.rb:12 # Cart rounds half up",
    { total: 145, failed: 1, skipped: 3, red: ["Cart rounds half up"] },
  ],
  [
    "phpunit",
    "1) CartTest::testRounds\nTests: 12, Assertions: 30, Failures: 1, Skipped: 2.",
    { total: 12, failed: 1, skipped: 2, red: ["CartTest::testRounds"] },
  ],
  ["phpunit, green", "OK (12 tests, 30 assertions)", { total: 12, failed: 0, skipped: 0, red: [] }],
  [
    "maven",
    "Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s\n[ERROR]   CartTest.rounds:12 expected\n[ERROR] Tests run: 9, Failures: 1, Errors: 0, Skipped: 4",
    { total: 9, failed: 1, skipped: 4, red: ["CartTest.rounds"] },
  ],
  [
    "gradle",
    "CartTest > rounds() FAILED\n\n12 tests completed, 1 failed, 2 skipped",
    { total: 12, failed: 1, skipped: 2, red: ["CartTest > rounds()"] },
  ],
  [
    "dotnet",
    "  Failed Cart.Rounds [2 ms]\nFailed!  - Failed:     1, Passed:    11, Skipped:     5, Total:    12, Duration: 3 s",
    { total: 12, failed: 1, skipped: 5, red: ["Cart.Rounds"] },
  ],
  [
    "minitest",
    "CartTest#test_rounds [test/cart_test.rb:3]:\n12 runs, 30 assertions, 1 failures, 0 errors, 6 skips",
    { total: 12, failed: 1, skipped: 6, red: ["CartTest#test_rounds"] },
  ],
  [
    "bun",
    "(fail) cart > rounds [1.00ms]\n\n 11 pass\n 1 fail",
    { total: 12, failed: 1, skipped: 0, red: ["cart > rounds"] },
  ],
])("the figures of %s are read", (_, printed, result) => {
  const found = testResults(printed.replaceAll("FAIL ", "\u001b[31mFAIL\u001b[0m "));
  expect({ ...found, red: result.red.length === 0 ? [] : found?.red }).toEqual(result);
});

test.each(["", "ok  \tshop/cart\t0.01s [no tests to run]", "All done.", "Tests are great: 12 of them"])(
  "%j tells no figures",
  (text) => {
    expect(testResults(text)).toBeNull();
  },
);

test.each([
  ["node", "ℹ tests 2\n▶ cart\n  ✔ adds (1.2ms)\n  ﹣ later (0.1ms) # SKIP\n", ["adds"]],
  ["TAP", "    ok 1 - adds\n    ok 2 - later # SKIP\n# tests 2", ["adds"]],
  ["vitest", " ✓ src/a.test.ts (3 tests) 5ms\n   ✓ slow one 420ms\n\n      Tests  3 passed (3)", ["src/a.test.ts"]],
  [
    "jest",
    "PASS src/a.test.js\nPASS src/b.test.js\n\nTests:       3 passed, 3 total",
    ["src/a.test.js", "src/b.test.js"],
  ],
  ["mocha", "  cart\n    ✔ adds\n    - later\n\n  1 passing (8ms)\n  1 pending", ["adds"]],
  [
    "pytest -v",
    "t.py::test_a PASSED [ 50%]\nt.py::test_b SKIPPED\n== 1 passed, 1 skipped in 0.1s ==",
    ["t.py::test_a"],
  ],
  [
    "go",
    "ok  \tshop/cart\t0.01s\nok  \tshop/bare\t0.01s [no tests to run]\n?   \tshop\t[no test files]",
    ["shop/cart"],
  ],
  ["cargo", "test a ... ok\ntest b ... ignored\ntest result: ok. 1 passed; 0 failed; 1 ignored", ["a"]],
  [
    "maven",
    "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in shop.CartTest\nTests run: 2, Failures: 0, Errors: 0, Skipped: 0",
    ["shop.CartTest"],
  ],
])("what ran is read by name from %s, skipped tests left out", (_, printed, ran) => {
  expect(testResults(printed)?.ran).toEqual(ran);
});

test("of output that was too long to keep, no names are read", () => {
  const text = "ok 1 - adds\n[5000 characters are left out]\n# tests 2\n";
  expect(testResults(text)).toMatchObject({ total: 2 });
  expect(testResults(text)?.ran).toBeUndefined();
});

test("a test is found by its name among the names of runners, and not by half a word", () => {
  const at = { path: "test/cart.test.js", name: "rounds half up" };
  expect(isAmongRed(["cart › rounds half up"], at)).toBe(true);
  expect(isAmongRed(["/work/test/cart.test.js"], at)).toBe(true);
  expect(isAmongRed(["rounds half upwards"], at)).toBe(false);
  expect(isAmongRed([], at)).toBe(false);
});

test("whatever is printed is read in time that grows with its length", () => {
  assert(
    property(string({ unit: "binary" }), integer({ min: 1, max: 50 }), (text, times) => {
      testResults(text.repeat(times));
    }),
  );
  for (const text of ["not ok 1 - ", "1 failed, ", "Tests: ", "FAIL  ", "--- FAIL: ", "● ", "1) "]) {
    testResults(text.repeat(5_000));
    testResults(`${text}\n`.repeat(5_000));
  }
});

test("reports count, each runner's on its own, and what others print in them does not", () => {
  const report = (runner: string, ...states: ReportedTest["state"][]) => ({
    runner,
    tests: states.map((state, at) => ({ name: `${runner} ${at}`, state })),
  });
  const jest = "Tests:       1 skipped, 2 passed, 3 total";
  const reports = [report("jest", "passed", "passed", "skipped"), report("mocha", "passed")];
  const both = { total: 4, failed: 0, skipped: 1, red: [], ran: ["jest 0", "jest 1", "mocha 0"], by: "report" };
  expect(testResults(`${jest}\n  1 passing (3ms)\n`, { reports, passed: true })).toEqual(both);
  expect(testResults("500 passed in 0.1s", { reports, passed: true })).toEqual(both);
  const twice = { reports: [report("jest", "passed", "passed", "skipped")], passed: true };
  expect(testResults(`${jest}\n${jest}`, twice)).toMatchObject({ total: 3, skipped: 1, by: "contradiction" });
  // Its second run writes over the report of the first.
  const pytest = { reports: [report("pytest", "passed")], passed: true };
  const sum = { total: 3, failed: 0, skipped: 0, red: [] };
  expect(testResults("= 2 passed in 0.1s =\n= 1 passed in 0.1s =", pytest)).toEqual(sum);
  const broken = { reports: [report("vitest", "passed", "broken")], passed: false };
  expect(testResults("", broken)).toMatchObject({ total: 1, failed: 0, red: ["vitest 1"], by: "report" });
  expect(testResults("", { ...broken, passed: true })).toMatchObject({ by: "contradiction" });
});

test("a name of a test is not looked for in the path of its file", () => {
  const red = ["test/cart.test.js > adds"];
  expect(isAmongRed(red, { path: "test/cart.test.js", name: "adds" })).toBe(true);
  expect(isAmongRed(red, { path: "test/cart.test.js", name: "cart" })).toBe(false);
  expect(isAmongRed(red, { path: "test/other.test.js", name: "adds" })).toBe(false);
  expect(isAmongRed(["test/cart.test.js"], { path: "test/cart.test.js", name: "cart" })).toBe(true);
});
