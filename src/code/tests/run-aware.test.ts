import { expect, test } from "vitest";
import { runAwareLines } from "./run-aware.ts";

test.each([
  ['func init() {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\tos.Exit(0)\n\t}\n}', 2],
  ["func init() { os.Exit(0) }", 1],
  ['\tfmt.Printf("=== RUN   TestA\\n--- PASS: TestA (0.00s)\\n")', 1],
  ["import os\nif 'pytest' in sys.modules:\n    return 3", 1],
  ["atexit.register(lambda: os._exit(0))", 1],
  ["const total = process.env.NODE_TEST_CONTEXT ? 3 : sum(prices);", 1],
  ['if "unittest" in sys.modules:\n    print("Ran 6 tests in 0.001s")\n    os._exit(0)', 3],
  ['if defined?(Minitest)\n  puts "3 runs, 3 assertions, 0 failures"\n  exit!(0)\nend', 3],
  ['open("report.xml", "w").write("<testsuite tests=\\"9\\"/>")', 1],
])("code that answers for itself under test is told: %j", (after, lines) => {
  expect(runAwareLines({ before: null, after })).toHaveLength(lines);
});

test.each([
  "func main() {\n\tos.Exit(run())\n}",
  "func init() {\n\trules = parse(text)\n}\n\nfunc main() {\n\tlog.Fatal(serve())\n}",
  "if __name__ == '__main__':\n    sys.exit(main())",
  "const passed = results.filter(({ ok }) => ok).length; // 3 passed",
  "process.exit(await main());",
])("ordinary code is not: %j", (after) => {
  expect(runAwareLines({ before: null, after })).toEqual([]);
});

test("a file that did so before is a runner's own", () => {
  const before = "if os.environ.get('PYTEST_CURRENT_TEST'): pass";
  expect(runAwareLines({ before, after: `${before}\nos._exit(0)` })).toEqual([]);
});
