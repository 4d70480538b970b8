import { expect, test } from "vitest";
import { weakenings } from "./compare-tests.ts";
import { testsIn } from "./read-tests.ts";

type Texts = Record<string, string>;

/** What is found between two states of some files, as `kind test: before → after`. */
async function found(before: Texts, after: Texts): Promise<string[]> {
  const files = [];
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = async (texts: Texts) => (texts[path] === undefined ? null : await testsIn(path, texts[path]));
    files.push({ path, before: await at(before), after: await at(after) });
  }
  return weakenings(files).map(({ kind, test: name }) => (name === "" ? kind : `${kind}: ${name}`));
}

const SUITES: Record<string, { path: string; text: string }> = {
  "node:test": {
    path: "test/cart.test.js",
    text: `import assert from "node:assert";
import test from "node:test";
test("adds", () => {
  assert.equal(total([1, 2]), 3);
  assert.ok(isOpen());
});
test("empties", () => {
  assert.equal(total([]), 0);
});
`,
  },
  vitest: {
    path: "src/cart.test.ts",
    text: `describe("cart", () => {
  it("adds", async () => {
    expect(total([1, 2])).toBe(3);
    expect(isOpen()).toBe(true);
  });
  it("empties", () => {
    expect(total([])).toBe(0);
  });
});
`,
  },
  pytest: {
    path: "tests/test_cart.py",
    text: `import pytest


def test_adds():
    assert total([1, 2]) == 3
    assert is_open()


def test_empties():
    assert total([]) == 0
`,
  },
  go: {
    path: "cart_test.go",
    text: `package cart

func TestAdds(t *testing.T) {
	if got := total(1, 2); got != 3 {
		t.Errorf("total = %d", got)
	}
	require.True(t, isOpen())
}

func TestEmpties(t *testing.T) {
	require.Equal(t, 0, total())
}
`,
  },
  rust: {
    path: "src/cart.rs",
    text: `pub fn total() {}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
        assert!(is_open());
    }

    #[test]
    fn empties() {
        assert_eq!(total(&[]), 0);
    }
}
`,
  },
  junit: {
    path: "src/test/java/CartTest.java",
    text: `class CartTest {
  @Test
  void adds() {
    assertEquals(3, total(1, 2));
    assertTrue(isOpen());
  }

  @Test
  void empties() {
    assertThat(total()).isEqualTo(0);
  }
}
`,
  },
  rspec: {
    path: "spec/cart_spec.rb",
    text: `RSpec.describe Cart do
  it "adds" do
    expect(total(1, 2)).to eq(3)
    expect(open?).to be(true)
  end

  it "empties" do
    expect(total).to eq(0)
  end
end
`,
  },
  phpunit: {
    path: "tests/CartTest.php",
    text: `<?php
class CartTest extends TestCase {
  public function testAdds(): void {
    $this->assertSame(3, total(1, 2));
    self::assertTrue(isOpen());
  }
  public function testEmpties(): void {
    $this->assertSame(0, total());
  }
}
`,
  },
  xunit: {
    path: "Shop.Tests/CartTests.cs",
    text: `public class CartTests {
  [Fact]
  public void Adds() {
    Assert.Equal(3, Total(1, 2));
    Assert.True(IsOpen());
  }

  [Fact]
  public void Empties() {
    Assert.Equal(0, Total());
  }
}
`,
  },
  kotlin: {
    path: "src/test/kotlin/CartTest.kt",
    text: `class CartTest {
    @Test
    fun adds() {
        assertEquals(3, total(1, 2))
        assertTrue(isOpen())
    }

    @Test
    fun empties() {
        assertEquals(0, total())
    }
}
`,
  },
};

/** Of each suite: what is replaced, by what, and what is found then. */
const WEAKER: Record<string, [from: string | RegExp, to: string, found: string][]> = {
  "node:test": [
    ['test("adds"', 'test.skip("adds"', "skipped: adds"],
    ['test("adds", ', 'test("adds", { skip: true }, ', "skipped: adds"],
    ['test("adds", ', 'test("adds", { todo: "later" }, ', "skipped: adds"],
    ["() => {\n  assert.equal(total([1", "(t) => {\n  t.skip();\n  assert.equal(total([1", "skipped: adds"],
    ['test("empties"', 'test.only("empties"', "only: empties"],
    [/test\("adds"[^]*?\n\}\);\n/, "", "test removed: adds"],
    [/test\("adds"[^]*?\n\}\);\n/, "// adds: later\n", "test removed: adds"],
    ["  assert.ok(isOpen());\n", "", "assertion removed: adds"],
    ["  assert.equal(total([1", "  if (false) assert.equal(total([1", "assertion removed: adds"],
    ["  assert.equal(total([1", "  return;\n  assert.equal(total([1", "assertion removed: adds"],
    ["assert.equal(total([1, 2]), 3)", "assert.notEqual(total([1, 2]), 3)", "assertion inverted: adds"],
    ["assert.ok(isOpen())", "assert.ok(!isOpen())", "assertion inverted: adds"],
    ["assert.equal(total([1, 2]), 3)", "assert.equal(total([1, 2]), 4)", "expectation changed: adds"],
    ["assert.equal(total([1, 2]), 3)", "assert.ok(true)", "always true: adds"],
    ["assert.equal(total([1, 2]), 3)", "assert.equal(3, 3)", "always true: adds"],
    ["assert.equal(total([1, 2]), 3)", "assert.ok(total([1, 2]).length >= 0)", "always true: adds"],
    ["assert.equal(total([1, 2]), 3);", "try { assert.equal(total([1, 2]), 3); } catch {}", "swallowed: adds"],
    ['test("empties"', 'process.exit(0);\ntest("empties"', "exit"],
    ["assert.equal(total([1, 2]), 3)", "assert.equal(total([1, 2]), total([1, 2]))", "always true: adds"],
    ['test("adds"', 'assert.equal = () => {};\ntest("adds"', "replaced"],
    ['test("adds"', 'globalThis.test = () => {};\ntest("adds"', "replaced"],
    ['test("empties"', 'process.on("exit", () => { process.exitCode = undefined; });\ntest("empties"', "exit"],
  ],
  vitest: [
    ['it("adds"', 'it.skip("adds"', "skipped: cart > adds"],
    ['it("adds"', 'xit("adds"', "skipped: cart > adds"],
    ['it("adds"', 'it.fails("adds"', "skipped: cart > adds"],
    ['it("adds"', 'it.skipIf(process.env.CI)("adds"', "skipped sometimes: cart > adds"],
    ['describe("cart"', 'describe.skip("cart"', "skipped: cart > adds"],
    ["expect(total([1, 2])).toBe(3)", "expect(total([1, 2]))", "always true: cart > adds"],
    ["expect(total([1, 2])).toBe(3)", "expect(total([1, 2])).toBe", "always true: cart > adds"],
    ["expect(total([1, 2])).toBe(3)", "expect(true).toBe(true)", "always true: cart > adds"],
    ["expect(total([1, 2])).toBe(3)", "expect(total([1, 2])).not.toBe(3)", "assertion inverted: cart > adds"],
    ["expect(isOpen()).toBe(true)", "expect(isOpen()).toBe(false)", "assertion inverted: cart > adds"],
    ["expect(total([1, 2])).toBe(3)", "expect(total([1, 2])).toBeDefined()", "expectation changed: cart > adds"],
  ],
  pytest: [
    ["def test_adds", "@pytest.mark.skip\ndef test_adds", "skipped: test_adds"],
    ["def test_adds", '@pytest.mark.skipif(True, reason="slow")\ndef test_adds', "skipped: test_adds"],
    [
      "def test_adds",
      '@pytest.mark.skipif(sys.platform == "win32", reason="-")\ndef test_adds',
      "skipped sometimes: test_adds",
    ],
    ["def test_adds", "@pytest.mark.xfail\ndef test_adds", "skipped: test_adds"],
    ["import pytest\n", 'import pytest\n\npytestmark = pytest.mark.skip("x")\n', "skipped"],
    ["():\n    assert total([1", '():\n    pytest.skip("x")\n    assert total([1', "skipped: test_adds"],
    ["def test_adds", "def _test_adds", "test removed: test_adds"],
    ["assert total([1, 2]) == 3", "assert total([1, 2]) != 3", "assertion inverted: test_adds"],
    ["assert is_open()", "assert not is_open()", "assertion inverted: test_adds"],
    ["assert is_open()", "assert is_open() or True", "always true: test_adds"],
    ["assert total([1, 2]) == 3", 'assert (total([1, 2]) == 3, "wrong")', "always true: test_adds"],
    ["assert total([1, 2]) == 3", "assert True", "always true: test_adds"],
    ["assert total([1, 2]) == 3", "assert len(total([1, 2])) >= 0", "always true: test_adds"],
    [
      "    assert is_open()\n",
      "    try:\n        assert is_open()\n    except Exception:\n        pass\n",
      "swallowed: test_adds",
    ],
    [
      "    assert is_open()\n",
      "    with suppress(AssertionError):\n        assert is_open()\n",
      "swallowed: test_adds",
    ],
    ["import pytest\n", "import pytest, sys\nsys.exit(0)\n", "exit"],
    ["import pytest\n", "import pytest, unittest\nunittest.TestCase.assertEqual = print\n", "replaced"],
  ],
  go: [
    ["func TestAdds(t *testing.T) {\n", "func TestAdds(t *testing.T) {\n\tt.Skip()\n", "skipped: TestAdds"],
    ["func TestAdds", "func testAdds", "test removed: TestAdds"],
    ["t.Errorf", "t.Logf", "assertion removed: TestAdds"],
    ["got != 3", "got == 3", "assertion inverted: TestAdds"],
    ["got != 3", "got != 4", "expectation changed: TestAdds"],
    ["got != 3", "false && got != 3", "always true: TestAdds"],
    ["require.True(t, isOpen())", "require.True(t, true)", "always true: TestAdds"],
    ["package cart\n", "package cart\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n", "exit"],
    ["package cart\n", "package cart\n\nfunc TestMain(m *testing.M) {\n\t_ = m.Run()\n}\n", "exit"],
    ["package cart\n", "package cart\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(ok)\n}\n", "exit"],
    [
      "package cart\n",
      "package cart\n\nfunc TestMain(m *testing.M) {\n\tcode := m.Run()\n\tcode = 0\n\tos.Exit(code)\n}\n",
      "exit",
    ],
    ["package cart", "//go:build ignore\n\npackage cart", "skipped: TestAdds"],
  ],
  rust: [
    ["#[test]\n    fn adds", "#[test]\n    #[ignore]\n    fn adds", "skipped: tests > adds"],
    ["#[test]\n    fn adds", "fn adds", "test removed: tests > adds"],
    ["assert_eq!(total(&[1, 2]), 3)", "assert_ne!(total(&[1, 2]), 3)", "expectation changed: tests > adds"],
    ["assert!(is_open())", "assert!(!is_open())", "assertion inverted: tests > adds"],
    ["assert!(is_open())", "assert!(true)", "always true: tests > adds"],
    ["        assert!(is_open());\n", "", "assertion removed: tests > adds"],
  ],
  junit: [
    ["@Test\n  void adds", "@Test @Disabled\n  void adds", "skipped: CartTest > adds"],
    ["@Test\n  void adds", "void adds", "test removed: CartTest > adds"],
    ["class CartTest", '@Ignore("x") class CartTest', "skipped: CartTest > adds"],
    ["assertTrue(isOpen())", "assertFalse(isOpen())", "assertion inverted: CartTest > adds"],
    ["assertTrue(isOpen())", "assertTrue(true)", "always true: CartTest > adds"],
    ["assertTrue(isOpen());", "try { assertTrue(isOpen()); } catch (Throwable e) {}", "swallowed: CartTest > adds"],
    ["assertEquals(3, total(1, 2))", "assertEquals(4, total(1, 2))", "expectation changed: CartTest > adds"],
  ],
  rspec: [
    ['it "adds"', 'xit "adds"', "skipped: Cart > adds"],
    ['it "adds" do', 'it "adds", skip: true do', "skipped: Cart > adds"],
    ['it "adds" do\n', 'it "adds" do\n    skip "later"\n', "skipped: Cart > adds"],
    ['it "empties"', 'fit "empties"', "only: Cart > empties"],
    ["expect(total(1, 2)).to eq(3)", "expect(total(1, 2)).not_to eq(3)", "assertion inverted: Cart > adds"],
    ["expect(open?).to be(true)\n", "expect(true).to be(true)\n", "always true: Cart > adds"],
    ["expect(total(1, 2)).to eq(3)", "expect(total(1, 2)).to eq(4)", "expectation changed: Cart > adds"],
  ],
  phpunit: [
    [
      "void {\n    $this->assertSame(3",
      'void {\n    $this->markTestSkipped("x");\n    $this->assertSame(3',
      "skipped: CartTest > testAdds",
    ],
    ["function testAdds", "function adds", "test removed: CartTest > testAdds"],
    ["self::assertTrue(isOpen())", "self::assertFalse(isOpen())", "assertion inverted: CartTest > testAdds"],
    ["self::assertTrue(isOpen())", "self::assertTrue(true)", "always true: CartTest > testAdds"],
    ["assertSame(3, total(1, 2))", "assertSame(4, total(1, 2))", "expectation changed: CartTest > testAdds"],
    ["<?php\n", "<?php\nexit(0);\n", "exit"],
  ],
  xunit: [
    ["[Fact]\n  public void Adds", '[Fact(Skip = "slow")]\n  public void Adds', "skipped: CartTests > Adds"],
    ["[Fact]\n  public void Adds", "public void Adds", "test removed: CartTests > Adds"],
    ["Assert.True(IsOpen())", "Assert.False(IsOpen())", "assertion inverted: CartTests > Adds"],
    ["Assert.True(IsOpen())", "Assert.True(true)", "always true: CartTests > Adds"],
    ["Assert.True(IsOpen());", "try { Assert.True(IsOpen()); } catch { }", "swallowed: CartTests > Adds"],
  ],
  kotlin: [
    ["@Test\n    fun adds", "@Test\n    @Disabled\n    fun adds", "skipped: adds"],
    ["@Test\n    fun adds", "fun adds", "test removed: adds"],
    ["        assertTrue(isOpen())\n", "", "assertion removed: adds"],
    ["assertEquals(3, total(1, 2))", "assertTrue(true)", "always true: adds"],
  ],
};

const WEAKER_ROWS = Object.entries(WEAKER).flatMap(([name, rows]) =>
  rows.map(([from, to, weaker], at) => ({ title: `${name} ${at + 1}: ${weaker}`, name, from, to, weaker })),
);

test.each(WEAKER_ROWS)("$title", async ({ name, from, to, weaker }) => {
  const { path, text } = SUITES[name] ?? { path: "", text: "" };
  const changed = text.replace(from, () => to);
  expect(changed).not.toBe(text);
  expect(await found({ [path]: text }, { [path]: changed })).toContain(weaker);
});

const HONEST_ROWS = Object.entries(SUITES).map(([suite, { path, text }]) => ({ suite, path, text }));

test.each(HONEST_ROWS)(
  "$suite: the same tests, laid out and commented otherwise, are nothing",
  async ({ path, text }) => {
    const comment = /\.(?:py|rb)$/.test(path) ? "# Why." : "// Why.";
    const indented = text.replaceAll(
      /\n([ \t]*)(?=assert|expect|require|self::|Assert|\$this)/g,
      (_, indent: string) => `\n\n${indent}${comment}\n${indent}`,
    );
    expect(indented).not.toBe(text);
    expect(await found({ [path]: text }, { [path]: indented })).toEqual([]);
  },
);

test.each(HONEST_ROWS)("$suite: tests that move to another file are nothing", async ({ path, text }) => {
  const moved = path.replace(/cart/i, "basket");
  expect(await found({ [path]: text }, { [moved]: text })).toEqual([]);
});

test("renamed tests, moved ones, and additions to tests are nothing", async () => {
  const { path = "", text = "" } = SUITES["node:test"] ?? {};
  const [start = "", end = ""] = text.split('test("empties"');
  const other = `test("empties"${end}`;
  const rows: [Texts, Texts][] = [
    [{ [path]: text }, { [path]: text.replace('"adds"', '"adds up all prices"') }],
    [{ [path]: text }, { [path]: start, "test/empty.test.js": other }],
    [{ [path]: text }, { [path]: text.replace("  assert.ok(", "  assert.equal(total([4]), 4);\n  assert.ok(") }],
    [
      { [path]: text },
      { [path]: text.replace('test("adds"', 'test("new", () => assert.equal(1, one()));\ntest("adds"') },
    ],
    [{ [path]: text }, { [path]: `describe("cart", () => {\n${text}});\n` }],
    [
      { [path]: text },
      {
        [path]: text.replace(
          "assert.equal(total([1, 2]), 3);",
          "assert.equal(\n    total([1, 2]), // sum\n    3,\n  );",
        ),
      },
    ],
  ];
  for (const [before, after] of rows) expect(await found(before, after)).toEqual([]);
});

test("what asserts is replaced in the code under test too, by the name that it is imported by", async () => {
  const path = "src/cart.js";
  const code = "export const total = () => 3;\n";
  const replaced = `import a from "node:assert/strict";\na.deepEqual = () => {};\n${code}`;
  expect(await found({ [path]: code }, { [path]: replaced })).toEqual(["replaced"]);
  const uses = `import assert from "node:assert/strict";\nassert(1);\nconst options = {};\noptions.equal = 1;\n${code}`;
  expect(await found({ [path]: code }, { [path]: uses })).toEqual([]);
});

test("a TestMain that ends with the result of the tests, other quotes, and marks that go are nothing", async () => {
  const main = (body: string) => ({ "a_test.go": `package a\n\nfunc TestMain(m *testing.M) {\n${body}\n}\n` });
  expect(await found({}, main("setUp()\n\tos.Exit(m.Run())"))).toEqual([]);
  expect(await found({}, main("code := m.Run()\n\ttearDown()\n\tos.Exit(code)"))).toEqual([]);
  expect(await found({}, main("if !ready() {\n\t\tos.Exit(2)\n\t}\n\tm.Run()"))).toEqual([]);
  const python = 'def test_a():\n    assert body() == b"x"\n';
  const marked = `@pytest.mark.skipif("sys.version_info < (2, 6)")\n${python}`;
  expect(await found({ "test_a.py": python }, { "test_a.py": python.replaceAll('"', "'") })).toEqual([]);
  expect(await found({ "test_a.py": marked }, { "test_a.py": python })).toEqual([]);
});

test.each([
  ["test/cart.test.js", 'jest.mock("../src/cart.js");\n', 'jest.mock("../src/mail.js");\n'],
  ["src/cart.test.ts", 'vi.mock("./cart", () => ({ total: () => 3 }));\n', 'vi.mock("./mail");\n'],
  ["tests/test_cart.py", 'patch("shop.cart.total").start()\n', 'patch("shop.mail.send").start()\n'],
  ["tests/test_cart.py", "def setup(monkeypatch):\n    monkeypatch.setattr(cart, 'total', fake)\n", "x = 1\n"],
])("a double of what the tests are about is told, one of anything else is not: %s", async (path, subject, other) => {
  const text = path.endsWith(".py")
    ? "def test_a():\n    assert total() == 3\n"
    : "it('a', () => { expect(total()).toBe(3); });\n";
  expect(await found({ [path]: text }, { [path]: subject + text })).toEqual(["replaced"]);
  expect(await found({ [path]: text }, { [path]: other + text })).toEqual([]);
});

test("what a failing call says may change", async () => {
  const { path = "", text = "" } = SUITES["go"] ?? {};
  expect(await found({ [path]: text }, { [path]: text.replace("total = %d", "got %d") })).toEqual([]);
});

test("a test that did not run before may stay so; one that runs again is nothing", async () => {
  const skipped = `it.skip("adds", () => { expect(total()).toBe(3); });`;
  const path = "a.test.js";
  expect(await found({ [path]: skipped }, { [path]: skipped.replace(".skip", ".todo") })).toEqual([]);
  expect(await found({ [path]: skipped }, { [path]: skipped.replace(".skip", "") })).toEqual([]);
});

test("a new test that is skipped is told as such, and one that runs alone as what it is", async () => {
  const path = "a.test.js";
  expect(await found({ [path]: "" }, { [path]: `it.skip("adds", () => {});` })).toEqual(["new and skipped: adds"]);
  expect(await found({ [path]: "" }, { [path]: `it.only("adds", () => {});` })).toEqual(["only: adds"]);
});

test.each([
  ["a.test.js", "const expected = 3;\nexpect(total()).toBe(expected);", "expected = 3", "expected = 4"],
  ["a_test.go", "want := 3\nrequire.Equal(t, want, total())", "want := 3", "want := 4"],
])("an expectation may stand in a variable: %s", async (path, body, from, to) => {
  const text = path.endsWith(".go") ? `func TestA(t *testing.T) {\n${body}\n}` : `test("a", () => {\n${body}\n});`;
  expect((await found({ [path]: text }, { [path]: text.replace(from, to) }))[0]).toMatch(/^expectation changed/);
});

test.each([
  ["a.test.js", "it.each([[1, 2], [3, 4]])('%s', (a, b) => { expect(f(a)).toBe(b); });", "[3, 4]", "[3, 5]"],
  [
    "test_a.py",
    '@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])\ndef test_a(a, b):\n    assert f(a) == b\n',
    "(3, 4)",
    "(3, 5)",
  ],
  [
    "test_a.py",
    '@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])\ndef test_a(a, b):\n    assert f(a) == b\n',
    ", (3, 4)",
    "",
  ],
  [
    "ATests.cs",
    "class A { [Theory] [InlineData(1, 2)] public void B(int a, int b) { Assert.Equal(b, F(a)); } }",
    "(1, 2)",
    "(1, 3)",
  ],
  [
    "ATest.java",
    'class A { @ParameterizedTest @CsvSource({"1,2"}) void b(int a, int b) { assertEquals(b, f(a)); } }',
    "1,2",
    "1,3",
  ],
])("or in a table of cases: %s", async (path, text, from, to) => {
  expect(text.replace(from, to)).not.toBe(text);
  expect((await found({ [path]: text }, { [path]: text.replace(from, to) }))[0]).toMatch(/^expectation changed/);
});

test("assertions by imported names, and by require in place, are seen", async () => {
  const text = `import { equal as same, ok } from "node:assert/strict";\ntest("a", () => { same(total(), 3); ok(isOpen()); require("assert").equal(x(), 1); });`;
  const path = "a.test.js";
  expect(await found({ [path]: text }, { [path]: text.replace("same(total(), 3)", "same(total(), 4)") })).toEqual([
    "expectation changed: a",
  ]);
  expect(await found({ [path]: text }, { [path]: text.replace("ok(isOpen())", "ok(true)") })).toEqual([
    "always true: a",
  ]);
  expect(await found({ [path]: text }, { [path]: text.replace('require("assert").equal(x(), 1);', "") })).toEqual([
    "assertion removed: a",
  ]);
});

test("helpers of tests count too: an assertion that all tests share", async () => {
  const text = `export function assertTotal(cart, sum) {\n  assert.equal(cart.total(), sum);\n}\n`;
  const path = "test/helpers.js";
  expect(await found({ [path]: text }, { [path]: text.replace("  assert.equal(cart.total(), sum);\n", "") })).toEqual([
    "assertion removed",
  ]);
});

test("code that is no test is left alone, and files that cannot be parsed", async () => {
  expect(await found({ "src/a.js": "assert(x);" }, { "src/a.js": "" })).toEqual([]);
  expect(await testsIn("test/data.json", "{}")).toBeNull();
  expect(await testsIn("a.test.js", `x("${"y".repeat(20_000)}")`)).toBeNull();
});
