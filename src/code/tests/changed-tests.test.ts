import { expect, test } from "vitest";
import { changedTestFiles, changedTests } from "./changed-tests.ts";

async function told(path: string, base: string | null, head: string | null): Promise<string[]> {
  const read = async (_path: string, at: "base" | "head") => await Promise.resolve(at === "base" ? base : head);
  const found = changedTests(await changedTestFiles([{ path }], read));
  return found.map(({ kind, name, before }) => `${kind}: ${before === undefined ? "" : `${before} → `}${name}`);
}

const NODE = `import assert from "node:assert";
import test from "node:test";
test("adds", () => {
  for (const url of ["a", "b"]) await fetch(url, "c");
  assert.equal(total([1, 2]), 3);
});
test("empties", () => assert.equal(total([]), 0));
`;

test("imports, quotes, comments and blank lines change no test, and are none", async () => {
  const path = "test/total.test.js";
  expect(await told(path, NODE, `import { tax } from "../tax.js";\n// New.\n\n${NODE}`)).toEqual([]);
  expect(await told(path, NODE, NODE.replaceAll('"', "'"))).toEqual([]);
  expect(await told(path, NODE, NODE.replace("3);\n", "3);\n\n  // three\n"))).toEqual([]);
});

test("tests that are new, changed, renamed and removed are told by name", async () => {
  const path = "test/total.test.js";
  expect(await told(path, NODE, NODE.replace("2]), 3", "3]), 4"))).toEqual(["changed: adds"]);
  expect(await told(path, NODE, NODE.replace('test("empties"', 'test("is empty"'))).toEqual([
    "changed: empties → is empty",
  ]);
  expect(await told(path, NODE, `${NODE}test("rounds", () => assert.equal(total([1.5]), 2));\n`)).toEqual([
    "new: rounds",
  ]);
  const swapped = NODE.replace(/test\("empties".*\n/, 'test("rounds half up", () => assert.ok(rounded(1.5, "up")));\n');
  expect(await told(path, NODE, swapped)).toEqual(["new: rounds half up", "removed: empties"]);
  expect(await told(path, NODE, null)).toEqual(["removed: adds", "removed: empties"]);
});

const PYTEST = `import pytest


def test_empty_list():
    assert chunk([], 2) == []


@pytest.mark.parametrize("size", [1, 2, 3])
def test_sizes(size):
    assert chunk([1], size) == [[1]]
`;

test("a decorator is one of the test below it, and a fixture is no test", async () => {
  const path = "tests/test_chunk.py";
  expect(await told(path, PYTEST, PYTEST.replace("[1, 2, 3]", "[1]"))).toEqual(["changed: test_sizes"]);
  const fixture = "\n\n@pytest.fixture\ndef five():\n    return [1, 2, 3, 4, 5]\n";
  expect(await told(path, PYTEST, PYTEST + fixture)).toEqual([]);
});

test("only tests of a source file are told, and those of a language without a grammar by their lines", async () => {
  expect(await told("src/total.js", "exports.total = 1;\n", 'exports.test = test("x", 1);\n')).toEqual([]);
  const kotlin = "class A {\n    @Test\n    fun adds() {\n        assertEquals(3, total(1, 2))\n    }\n}\n";
  expect(await told("src/test/kotlin/ATest.kt", null, kotlin)).toEqual(["new: adds"]);
});
