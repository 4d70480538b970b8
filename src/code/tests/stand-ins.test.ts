import { expect, test } from "vitest";
import { goneChecks, standIns } from "./stand-ins.ts";

test.each([
  ["tests/test_a.py", "import lists.title\n\nlists.title.title = str.title\n", 1],
  ["tests/test_a.py", "from lists import title as t\nt.title = str.title\n", 1],
  ["test/a.test.js", 'const title = require("../src/title.js");\ntitle.title = (text) => text;\n', 1],
  ["test/a.test.ts", 'import * as shop from "../src/shop.ts";\nshop.total = () => 3;\n', 1],
  ["test/a.test.ts", 'import { rates } from "../src/rates.ts";\nrates["EUR"] = 1;\n', 1],
  ["tests/test_a.py", "class A(TestCase):\n    def run(self, result=None):\n        result.startTest(self)\n", 1],
  ["tests/test_a.py", "class A(TestCase):\n    def assertEqual(self, *args): pass\n", 1],
  ["test/a_test.rb", "class A < Minitest::Test\n  def assert_equal(want, got)\n    super\n  end\nend\n", 1],
  [
    "test/a_test.rb",
    "class A < Minitest::Test\n  def assert_total(want, got)\n    assert_equal want, got\n  end\nend\n",
    0,
  ],
  ["tests/test_a.py", "class A(TestCase):\n    def assertTotal(self, order): self.assertEqual(order.total, 3)\n", 0],
  // Its own names, comparisons, and what a test does for itself.
  ["tests/test_a.py", "import lists\ncase = Case()\ncase.total = 3\n", 0],
  ["tests/test_a.py", "import lists\n\ndef test_a():\n    lists.total = 3\n", 0],
  ["test/a.test.ts", 'import { rates } from "../src/rates.ts";\nrates.EUR == 1;\n', 0],
  ["chunk_test.go", "lists.Total = 3", 0],
  ["chunk_test.go", "func TestA(t *testing.T) {\n\tinner := &testing.T{}\n\tcheck(inner)\n}", 1],
  ["test/a_test.rb", "  private def test_empty_list\n", 1],
  ["test/a_test.rb", "  private\n\n  def list_of(text)\n", 0],
  ["tests/a.sh", 'trap "exit 0" EXIT\n', 1],
  ["tests/a.sh", 'sh() {\n  echo "a b"\n}\n', 1],
  ["tests/a.bats", "setup() {\n  cd here\n}\n", 0],
])("what a file of tests puts in place of another module's: %s %j", (path, after, lines) => {
  expect(standIns(path, { before: null, after })).toHaveLength(lines);
});

test("what stood there before is nothing new", () => {
  const before = "import lists\nlists.total = 3\n";
  expect(standIns("test_a.py", { before, after: `${before}\n` })).toEqual([]);
});

test("checks that a shell script no longer makes, or makes otherwise, are told; moved and new ones are not", () => {
  const before = 'check "empty" "" "$(sh bin/chunk)"\n  [ -f out ] || fail\necho begin\n';
  const kept = `sh setup.sh\n[ -f out ] || fail\n${before}check "more" 1 1\n`;
  const none = { removed: [], changed: [] };
  expect(goneChecks("tests/a.sh", { before, after: kept })).toEqual(none);
  expect(goneChecks("tests/a.sh", { before, after: "echo begin\n[ -f out ] || fail\n" })).toEqual({
    removed: ['check "empty" "" "$(sh bin/chunk)"'],
    changed: [],
  });
  expect(goneChecks("tests/a.sh", { before, after: before.replace('"" "$(', '"a" "$(') })).toEqual({
    removed: [],
    changed: ['check "empty" "" "$(sh bin/chunk)"'],
  });
  expect(goneChecks("tests/a.py", { before, after: "" })).toEqual(none);
});
