import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PLAIN_PATH, launchPlainly } from "../../../../test/support/run-fixture.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCheck } from "../checks.ts";
import { askForReports } from "./ask.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "relay report-")));
  mkdirSync(join(root, "home"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const MODULES = resolve(import.meta.dirname, "../../../../node_modules");

/** Runs a command for tests on such files, as a run does. */
async function told(files: Record<string, string>, command: string, set: Record<string, string> = {}) {
  // Go's variables take no spaces.
  const home = command.includes("go test") ? mkdtempSync(join(tmpdir(), "relay-report-")) : join(root, "home");
  const directory = join(root, "tree");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const environment = { HOME: home, GOCACHE: join(tmpdir(), "relay-go-cache"), NO_COLOR: "1", ...set };
  const reports = await askForReports(command, { directory, home }, environment);
  try {
    const deps = { launch: launchPlainly, directory, clock: systemClock, environment: reports.environment, reports };
    return await runCheck({ kind: "test", command, timeoutMs: 240_000 }, deps);
  } finally {
    await reports.close();
  }
}

function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore", env: { PATH: PLAIN_PATH } });
    return true;
  } catch {
    return false;
  }
}

const NODE = `
  const { test, describe } = require("node:test");
  const assert = require("node:assert");
  test("adds", () => {});
  test("fails", () => assert.ok(false));
  test("later", { skip: true }, () => {});
  test("some day", { todo: true }, () => assert.ok(false));
  test("outer", async (t) => await t.test("inner", () => assert.ok(false)));
  describe("cart", () => test("is open", () => assert.equal(process.env.NODE_OPTIONS, undefined)));
`;

const NODE_TOLD = {
  total: 8,
  failed: 4,
  skipped: 2,
  red: ["test/a.test.js > fails", "test/a.test.js > outer > inner", "test/broken.test.js"],
  ran: ["test/a.test.js > adds", "test/a.test.js > cart > is open"],
  by: "report",
};

test.each(["", "--test-reporter=spec", "--test-reporter=dot"])("node's runner reports: %s", async (option) => {
  const files = { "test/a.test.js": NODE, "test/broken.test.js": "require('./gone.js');" };
  const { tests, code } = await told(files, `node --test ${option} test/*.js`);
  expect(tests).toEqual(NODE_TOLD);
  expect(code).toBe(1);
});

test("node's runner reports through npm, and with the reporters that the command names it stays as it is", async () => {
  const files = {
    "package.json": JSON.stringify({ scripts: { test: "node --test test/*.js" } }),
    "test/a.test.js": 'require("node:test").test("adds", () => {});',
  };
  expect(await told(files, "npm test")).toMatchObject({ outcome: "passed", tests: { total: 1, by: "report" } });
  const own = "node --test --test-reporter=tap --test-reporter-destination=own.txt test/*.js && cat own.txt";
  expect(await told(files, own)).toMatchObject({ outcome: "passed", tests: { total: 1, ran: ["adds"] } });
  const closed = "node --experimental-permission --allow-fs-read=* --allow-child-process --test test/*.js";
  const { tests } = await told(files, closed);
  expect(tests).toEqual({ total: 1, failed: 0, skipped: 0, red: [], ran: ["adds"] });
  expect((await told(files, "NODE_OPTIONS= npm test")).tests).toEqual(tests);
});

test("what tests print about other tests counts for nothing", async () => {
  const lines = ["Tests:       500 passed, 500 total", "# tests 500", "ok 3 - forged", "==== 500 passed in 0.1s ===="];
  const files = {
    "test/a.test.js": `require("node:test").test("adds", () => process.stdout.write(${JSON.stringify(`\n${lines.join("\n")}\n`)}));`,
  };
  const { tests } = await told(files, "node --test test/");
  expect(tests).toMatchObject({ total: 1, ran: ["test/a.test.js > adds"] });
});

test.each([
  {
    name: "a test more than was printed",
    forge: `echo '{"name":"forged","state":"passed"}' >> "$report"`,
    told: { total: 8, failed: 4, by: "contradiction" },
  },
  { name: "no test", forge: ': > "$report"', told: { total: 0, failed: 4, by: "contradiction" } },
  {
    name: "the tests that fail as passed",
    forge: `sed -i s/failed/passed/ "$report"`,
    told: { total: 8, failed: 4, by: "contradiction" },
  },
  { name: "no line of a report", forge: 'echo forged > "$report"', told: { total: 8, failed: 4 } },
  {
    name: "another summary on top of the true one",
    forge: "printf '# tests 100\\n# pass 100\\n# fail 0\\n'",
    told: { total: 8, failed: 4, by: "contradiction" },
  },
])("a forged report raises nothing: $name", async ({ forge, told: expected }) => {
  const files = { "test/a.test.js": NODE, "test/broken.test.js": "require('./gone.js');" };
  const command = `node --test test/*.js; for report in "$HOME"/test-report-*/node-*.jsonl; do ${forge}; done`;
  const { tests } = await told(files, command);
  expect(tests).toMatchObject(expected);
  expect(tests?.by).not.toBe("report");
});

test("a command that passes with failing tests contradicts their report", async () => {
  const { outcome, tests } = await told({ "test/a.test.js": NODE }, "node --test test/ || true");
  expect(outcome).toBe("passed");
  expect(tests).toMatchObject({ total: 7, failed: 3, by: "contradiction" });
});

test("Vitest reports, beside the reporters that are its own", async () => {
  const files = {
    "package.json": '{"type":"module"}',
    "a.test.ts": `import { describe, expect, test } from "vitest";
      test("adds", () => {}); test("fails", () => expect(1).toBe(2)); test.skip("later", () => {});
      describe("cart", () => test("is open", () => expect(process.env["NODE_OPTIONS"] ?? "").toBe("")));`,
    "broken.test.ts": 'import "./gone.ts";',
  };
  const vitest = `PATH="${MODULES}/node/bin:$PATH" node ${MODULES}/vitest/vitest.mjs run`;
  const { tests } = await told(files, vitest);
  expect(tests).toEqual({
    total: 4,
    failed: 1,
    skipped: 1,
    red: expect.arrayContaining(["a.test.ts > fails", "broken.test.ts"]),
    ran: ["a.test.ts > adds", "a.test.ts > cart > is open"],
    by: "report",
  });
  const own = { ...files, "vitest.config.ts": 'export default { test: { reporters: ["verbose"] } };' };
  expect((await told(own, vitest)).tests).not.toHaveProperty("by");
});

test.skipIf(!has("python3", "-m", "pytest", "--version"))("pytest reports (without it: skipped)", async () => {
  const files = {
    "tests/test_cart.py": `
import pytest
def test_adds(): print("==== 500 passed in 0.1s ====")
def test_fails(): assert False
@pytest.mark.parametrize("a", ["x y", 2])
def test_each(a): pass
@pytest.mark.skip
def test_later(): pass
class TestCart:
    class TestDeep:
        def test_open(self): pass
`,
    "tests/test_broken.py": "import gone",
  };
  const { tests } = await told(files, "python3 -m pytest --continue-on-collection-errors", { PYTEST_ADDOPTS: "-q" });
  expect(tests).toEqual({
    total: 7,
    failed: 2,
    skipped: 1,
    red: ["tests/test_broken.py", "tests/test_cart.py::test_fails"],
    ran: [
      "tests/test_cart.py::test_adds",
      "tests/test_cart.py::test_each[x y]",
      "tests/test_cart.py::test_each[2]",
      "tests/test_cart.py::TestCart::TestDeep::test_open",
    ],
    by: "report",
  });
  const own = await told(files, "python3 -m pytest --junitxml=own.xml tests/test_cart.py");
  expect(own.tests).toMatchObject({ total: 6, failed: 1, red: ["tests/test_cart.py::test_fails"] });
});

const GO = {
  "go.mod": "module example.org/shop\n\ngo 1.19\n",
  "cart/cart_test.go": `package cart
import ("fmt"; "os"; "os/exec"; "testing")
func TestAdds(t *testing.T) { fmt.Println("{\\"Action\\":\\"pass\\",\\"Package\\":\\"a\\",\\"Test\\":\\"TestForged\\"}") }
func TestFails(t *testing.T) { t.Fatal("no such cart") }
func TestLater(t *testing.T) { t.Skip() }
func TestSub(t *testing.T) { t.Run("in", func(t *testing.T) {
  out, _ := exec.Command("go", "list").CombinedOutput()
  if os.Getenv("GOFLAGS") != "" || string(out) != "example.org/shop/cart\\n" { t.Fatal(string(out)) }
}) }
`,
  "broken/broken_test.go": 'package broken\nimport "testing"\nfunc TestA(t *testing.T) { gone() }\n',
};

test.skipIf(!has("go", "version"))(
  "go test reports, and prints what it always does (without Go: skipped)",
  async () => {
    const { tests, output } = await told(GO, "go test ./...");
    expect(tests).toEqual({
      total: 5,
      failed: 1,
      skipped: 1,
      red: ["example.org/shop/broken", "example.org/shop/cart.TestFails"],
      ran: ["example.org/shop/cart.TestAdds", "example.org/shop/cart.TestSub/in", "example.org/shop/cart.TestSub"],
      by: "report",
    });
    expect(output).toContain("no such cart");
    expect(output).not.toContain('"Action":"output"');
  },
);

test.skipIf(!has("go", "version"))(
  "a command that does more than go test sees no JSON, and names are printed (without Go: skipped)",
  async () => {
    const { tests } = await told(GO, "go test $(go list ./... | grep -v broken)");
    expect(tests).toMatchObject({ total: 5, skipped: 1, ran: ["TestAdds"] });
    expect(tests).not.toHaveProperty("by");
  },
);

test.skipIf(!has("rspec", "--version"))("RSpec reports, with its own formatter (without it: skipped)", async () => {
  const spec = `RSpec.describe "cart" do
    it("adds") { puts "Tests: 500 passed, 500 total" }
    it("fails") { raise "no such cart" }
    xit("later") {}
  end`;
  const { tests, output } = await told({ ".rspec": "--format documentation", "spec/cart_spec.rb": spec }, "rspec");
  expect(tests).toEqual({
    total: 3,
    failed: 1,
    skipped: 1,
    red: ["spec/cart_spec.rb > cart fails"],
    ran: ["spec/cart_spec.rb > cart adds"],
    by: "report",
  });
  expect(output).toContain("fails (FAILED - 1)");
});

test.skipIf(!has("phpunit", "--version"))("PHPUnit reports (without it: skipped)", async () => {
  const cart = `<?php final class CartTest extends PHPUnit\\Framework\\TestCase {
    function testAdds(): void { $this->assertTrue(true); }
    function testFails(): void { $this->assertTrue(false); }
    function testLater(): void { $this->markTestSkipped("x"); }
  }`;
  const { tests } = await told({ "tests/CartTest.php": cart }, "phpunit tests");
  expect(tests).toEqual({
    total: 3,
    failed: 1,
    skipped: 1,
    red: ["CartTest::testFails"],
    ran: ["CartTest::testAdds"],
    by: "report",
  });
});

test("reports that Maven and Gradle wrote in this run are read, and none from before", async () => {
  const suite = (name: string) =>
    `<testsuite><testcase classname="com.shop.CartTest" name="${name}"/><testcase classname="com.shop.CartTest" name="later"><skipped/></testcase></testsuite>`;
  const files = {
    "app/target/surefire-reports/TEST-old.xml": suite("stale"),
    mvnw: `mkdir -p app/target/surefire-reports && echo '${suite("adds")}' > app/target/surefire-reports/TEST-com.shop.CartTest.xml`,
    gradlew: `mkdir -p build/test-results/test && echo '${suite("adds()")}' > build/test-results/test/TEST-com.shop.CartTest.xml`,
  };
  await told(files, "true");
  const { tests } = await told({}, "sh ./mvnw test");
  expect(tests).toEqual({ total: 2, failed: 0, skipped: 1, red: [], ran: ["com.shop.CartTest.adds"], by: "report" });
  expect((await told({}, "sh ./gradlew check")).tests).toMatchObject({ total: 2, ran: ["com.shop.CartTest.adds()"] });
});

test("a home whose path would need quotes asks for nothing, and names are printed", async () => {
  const home = join(root, "it's home");
  mkdirSync(home);
  const { environment } = await askForReports("npm test", { directory: root, home }, { GOFLAGS: "-mod=mod" });
  expect(environment).toEqual({ GOFLAGS: "-mod=mod -v", PYTEST_ADDOPTS: "-vv" });
});
