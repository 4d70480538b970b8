import { expect, test } from "vitest";
import { setupChanges } from "./setup-code.ts";

const PYTHON = `import pytest


@pytest.fixture
def cart():
    return Cart()
`;
const NODE = `import assert from "node:assert";\nexport const cart = () => new Cart();\n`;

test.each([
  ["a fixture", PYTHON, "\n\n@pytest.fixture\ndef five():\n    return [1, 2, 3, 4, 5]\n"],
  [
    "a helper, a constant and imports",
    PYTHON,
    "\nimport os\nfrom shop import Cart\nSIZE = 3\n\n\ndef made(n):\n    return n\n",
  ],
  ["an import under a condition", PYTHON, "\nif TYPE_CHECKING:\n    from shop import Cart\n"],
])("%s more is nothing in a conftest.py", async (_what, before, more) => {
  expect(await setupChanges("tests/conftest.py", { before, after: before + more })).toEqual([]);
  expect(await setupChanges("tests/conftest.py", { before: null, after: more })).toEqual([]);
});

test.each([
  [
    "conftest.py",
    "\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n",
    "def pytest_collection_modifyitems(items):",
  ],
  ["conftest.py", "\n\n@pytest.hookimpl\ndef other():\n    pass\n", "@pytest.hookimpl"],
  [
    "conftest.py",
    "\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    pass\n",
    "@pytest.fixture(autouse=True)",
  ],
  ["conftest.py", '\ncollect_ignore = ["test_cart.py"]\n', 'collect_ignore = ["test_cart.py"]'],
  ["conftest.py", '\npytest_plugins = ["plug"]\n', 'pytest_plugins = ["plug"]'],
  ["conftest.py", "\nshop.cart.total = lambda: 3\n", "shop.cart.total = lambda: 3"],
  ["conftest.py", '\nsys.modules["shop"] = Fake()\n', 'sys.modules["shop"] = Fake()'],
])("what acts by itself is told: %s %s", async (path, more, told) => {
  expect(await setupChanges(path, { before: PYTHON, after: PYTHON + more })).toEqual([told]);
});

test("a definition that others use is told where it changes, goes, or takes the place of one in a folder above", async () => {
  const path = "tests/conftest.py";
  const fake = PYTHON.replace("Cart()", "Mock()");
  expect(await setupChanges(path, { before: PYTHON, after: fake })).toEqual(["cart"]);
  expect(await setupChanges(path, { before: PYTHON, after: "import pytest\n" })).toEqual(["cart"]);
  expect(await setupChanges(path, { before: null, after: fake, inherited: [PYTHON] })).toEqual(["cart"]);
  expect(await setupChanges(path, { before: PYTHON, after: `# Why.\n${PYTHON}` })).toEqual([]);
});

test("in other files of tests only hooks count: what decides which tests there are", async () => {
  const after = "def load_tests(loader, tests, pattern):\n    return loader.loadTestsFromName('a')\n";
  const given = { before: "", onlyHooks: true };
  expect(await setupChanges("tests/__init__.py", { ...given, after })).toEqual([
    "def load_tests(loader, tests, pattern):",
  ]);
  expect(await setupChanges("tests/__init__.py", { ...given, after: "register()\n" })).toEqual([]);
});

test("setup files of JavaScript: statements, imports for their effects and stubs; helpers are nothing", async () => {
  const changed = async (more: string) => await setupChanges("test/setup.mjs", { before: NODE, after: NODE + more });
  expect(await changed("assert.deepEqual = () => {};\n")).toEqual(["assert.deepEqual = () => {};"]);
  expect(await changed('import "./patch.js";\n')).toEqual(['import "./patch.js";']);
  expect(await changed("beforeEach(() => reset());\n")).toEqual(["beforeEach(() => reset());"]);
  expect(await changed('const clock = sinon.stub(Date, "now");\n')).toEqual(['const clock = sinon.stub(Date, "now");']);
  expect(await changed("export function more() { return 1; }\nexport const SIZE = 3;\n")).toEqual([]);
});

test("of languages that are not read so each line counts", async () => {
  expect(await setupChanges("spec/spec_helper.rb", { before: "a\n", after: "a\n# why\nb\n" })).toEqual(["b"]);
});
