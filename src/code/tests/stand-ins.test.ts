import { expect, test } from "vitest";
import { standIns } from "./stand-ins.ts";

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
])("what a file of tests puts in place of another module's: %s %j", (path, after, lines) => {
  expect(standIns(path, { before: null, after })).toHaveLength(lines);
});

test("what stood there before is nothing new", () => {
  const before = "import lists\nlists.total = 3\n";
  expect(standIns("test_a.py", { before, after: `${before}\n` })).toEqual([]);
});
