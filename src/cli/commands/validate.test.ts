import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMPLEXITIES } from "../../domain/spec.ts";
import { main } from "../main.ts";

const run = promisify(execFile);
const specs = new URL("../../../test/fixtures/specs/", import.meta.url).pathname;
const L0 = readFileSync(join(specs, "L0.md"), "utf8");

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "relay-validate-"));
});
afterAll(async () => {
  await rm(dir, { recursive: true });
});

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, content);
  return file;
}

/** Runs a command line with `input` on standard input. */
async function relay(args: string[], input = "") {
  let out = "";
  let err = "";
  const code = await main(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(input),
  });
  return { code, out, err };
}

const validate = async (...args: string[]) => await relay(["validate", ...args]);

/** What is said on stderr of a command line that cannot be carried out. */
async function refusal(...args: string[]): Promise<string> {
  const { code, out, err } = await relay(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  return err;
}

describe("verdicts", () => {
  test("good specs are named with exit code 0, one line each", async () => {
    const files = COMPLEXITIES.map((level) => join(specs, `${level}.md`));
    const { code, out } = await validate(...files);
    expect(code).toBe(0);
    expect(out).toBe(COMPLEXITIES.map((l, n) => `${files[n]}: valid (${l}; 0 error(s), 0 warning(s))\n`).join(""));
  });

  test("one bad spec among good ones gives exit code 1, and its problems at their lines", async () => {
    const bad = await put("bad.md", L0.replace("- **THEN** three transactions are added\n", ""));
    const { code, out } = await validate(join(specs, "L0.md"), bad);
    expect(code).toBe(1);
    expect(out).toContain(`  ${bad}:25  error  scenario_format  the scenario “No newline at the end” has no THEN;`);
  });

  test("a level can be given, and standard input read", async () => {
    expect(await relay(["validate", "-"], L0)).toMatchObject({
      code: 0,
      out: "-: valid (L0; 0 error(s), 0 warning(s))\n",
    });
    expect(await relay(["validate", "--complexity", "L2", "-"], L0)).toMatchObject({ code: 1 });
  });

  test("with a repository, what is cited must exist", async () => {
    const repo = join(dir, "repo");
    await mkdir(join(repo, "src/import"), { recursive: true });
    await writeFile(join(repo, "src/import/lines.ts"), "a line\n".repeat(40));
    const git = async (...args: string[]) =>
      await run("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    await git("init", "-q");
    await git("add", ".");
    await git("commit", "-qm", "start");
    const { code, out } = await validate("--json", "--repo", repo, join(specs, "L0.md"));
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ errors: [{ rule: "touch_points_exist", line: 41 }] });
    await writeFile(join(repo, "src/import/lines.test.ts"), "");
    await git("add", ".");
    await git("commit", "-qm", "more");
    expect(await validate("--repo", repo, join(specs, "L0.md"))).toMatchObject({ code: 0 });
  });
});

describe("formats", () => {
  test("JSON is one document a line, in the shape that scripts rely on", async () => {
    const bad = await put("no plan, 100%.md", L0.replace(/\| # [^]*$/, ""));
    const { out } = await validate("--json", join(specs, "L0.md"), bad);
    const [first, second] = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(first).toEqual({ valid: true, complexity: "L0", errors: [], warnings: [], file: join(specs, "L0.md") });
    expect(second).toEqual({
      valid: false,
      complexity: "L0",
      errors: [{ rule: "has_implementation_plan", severity: "error", line: 36, detail: expect.any(String) }],
      warnings: [],
      file: bad,
    });
    expect((await validate("--format", "json", bad)).out).toBe(`${JSON.stringify(second)}\n`);
  });

  test("GitHub gets commands whose values are escaped, and nothing for a good spec", async () => {
    const bad = await put("a,b:c%.md", L0.replace("# Spec", "Spec"));
    expect((await validate("--format", "github", bad)).out).toBe(
      `::warning file=${join(dir, "a%2Cb%3Ac%25.md")},line=1,title=has_title::begin with \`# Spec: …\`\n`,
    );
    expect((await validate("--format", "github", join(specs, "L0.md"))).out).toBe("");
  });

  test("SARIF names rules, lines and addresses", async () => {
    const bad = await put("has space.md", L0.replace("# Spec", "Spec"));
    expect(JSON.parse((await validate("--format", "sarif", bad)).out)).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { rules: [{ id: "has_title" }] } },
          results: [
            {
              ruleId: "has_title",
              level: "warning",
              locations: [
                { physicalLocation: { artifactLocation: { uri: `${dir}/has%20space.md` }, region: { startLine: 1 } } },
              ],
            },
          ],
        },
      ],
    });
  });
});

describe("odd input", () => {
  test("is judged, never refused with a crash", async () => {
    const files = await Promise.all([
      put("empty.md", ""),
      put(
        "binary.md",
        Uint8Array.from({ length: 5_000 }, (_, n) => (n * n * 31) % 256),
      ),
      put("utf8.md", Uint8Array.from([0x23, 0x20, 0xff, 0xfe, 0xc3, 0x28])),
      put("5mb.md", "## a\n- b\n".repeat(600_000)),
    ]);
    const { code, out, err } = await validate("--json", ...files);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ valid: false });
    expect(out).toContain("too_large");
  });

  test.each([
    "[",
    "*",
    ">",
    "> - ",
    "|",
    "`",
    "` ",
    "- ",
    "-\n",
    "#\n",
    "## a\n",
    "a\n=\n",
    "gap 1, ",
    "((",
    "x\n\n",
    ": ",
    "|a|\n",
  ])("200 KB of %j are read in one go", async (piece) => {
    const text = `# Spec: a\n\nStatus: \n\n## Implementation Plan\n\n- ${piece.repeat(199_000 / piece.length - 20)}\u2028x`;
    expect(await relay(["validate", "-"], text)).toMatchObject({ code: 1, err: "" });
  });

  test("what cannot be read is one sentence and exit code 2", async () => {
    const missing = join(dir, "missing.md");
    expect(await refusal("validate", missing)).toBe(`relay: cannot read the spec ${missing}: there is no such file\n`);
    expect(await refusal("validate", dir)).toBe(`relay: ${dir} is a directory; name the spec files in it\n`);
    expect(await refusal("diff", missing, missing)).toContain("there is no such file");
    expect(await refusal("validate", "--repo", join(dir, "none"), join(specs, "L0.md"))).toMatch(/^relay: .*none.*\n$/);
    expect(await refusal("validate", "--complexity", "L9", "-")).toContain("L0, L1, L2, L3, L4");
    expect(await refusal("validate")).toContain("missing required argument 'spec'");
  });
});

test("diff tells what changed, with exit code 1 when anything did", async () => {
  const other = await put("other.md", L0.replace("three rows", "four rows"));
  const same = join(specs, "L0.md");
  expect(await relay(["diff", same, same])).toMatchObject({ code: 0, out: "No differences.\n" });
  expect(await relay(["diff", same, other])).toMatchObject({ code: 1 });
  expect(JSON.parse((await relay(["diff", "--json", same, other])).out)).toMatchObject({
    changes: [{ part: "scenario", kind: "changed", name: "Every row is imported / No newline at the end" }],
  });
});

describe("docs/spec-format.md", () => {
  const doc = readFileSync(new URL("../../../docs/spec-format.md", import.meta.url), "utf8");

  test("shows an example that is valid without a warning", async () => {
    const example = /^````markdown\n([^]*?)^````$/m.exec(doc)?.[1] ?? "";
    expect(await relay(["validate", "-"], example)).toMatchObject({
      code: 0,
      out: "-: valid (L1; 0 error(s), 0 warning(s))\n",
    });
  });

  test("has a row for each rule that the sources name, with its severity", () => {
    const sources = ["rules.ts", "validate.ts", "grounding.ts", "people.ts", "wording.ts"].map((file) =>
      readFileSync(new URL(`../../specification/validate/${file}`, import.meta.url), "utf8"),
    );
    const named = sources.join("\n").matchAll(/(?:\b(?:error|warning)\(\s*|rule: )"([a-z_]+)"/g);
    const rules = [...new Set([...named].map((match) => match[1] ?? ""))].toSorted();
    const rows = [...doc.matchAll(/^\| `([a-z_]+)` \| (?:error|warning)/gm)].map((match) => match[1] ?? "");
    expect(rows.toSorted()).toEqual(rules);
  });
});
