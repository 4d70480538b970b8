import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { type IssueFile, parseIssueFile } from "../../src/adapters/trackers/issue-file/parse.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");
const BUNDLE = join(EXAMPLES, "sample.bundle");
const PATCH = join(EXAMPLES, "fix.patch");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-examples-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The output of a git command that must succeed. */
async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await exec("git", args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout.toString("utf8");
}

async function clone(name: string): Promise<string> {
  const target = join(folder, name);
  await git("clone", "--quiet", BUNDLE, target);
  return target;
}

/** The names of the sample's tests that fail; an empty list is a pass. */
async function failingTests(repository: string): Promise<string[]> {
  const { code, stdout } = await exec(process.execPath, ["--test", "--test-reporter=tap"], { cwd: repository });
  const failing = [...stdout.toString("utf8").matchAll(/^not ok \d+ - (.+)$/gm)].map((match) => match[1] ?? "");
  expect(code).toBe(failing.length === 0 ? 0 : 1);
  return failing;
}

async function quillbill(repository: string, invoices: readonly object[], ...words: string[]) {
  const file = join(repository, "invoices.json");
  await writeFile(file, JSON.stringify({ version: 1, invoices }));
  const env = { QUILLBILL_TIME_ZONE: "America/Chicago", QUILLBILL_FILE: file };
  const program = join(repository, "bin", "quillbill.js");
  const { code, stdout, stderr } = await exec(process.execPath, [program, ...words], { cwd: repository, env });
  return { code, out: stdout.toString("utf8"), err: stderr };
}

function sampleInvoice(number: string, days: { issuedOn: string; dueOn?: string }) {
  return {
    number,
    customer: "Harbour Hotel",
    ...days,
    lines: [{ description: "Croissant", quantity: 1, unitCents: 190 }],
  };
}

async function issueFile(name: string): Promise<IssueFile> {
  return parseIssueFile(await readFile(join(EXAMPLES, name)), name);
}

/** The places `path:line:column` of the sample's own files in a stack trace, from the innermost call outwards. */
function framesIn(text: string): string[] {
  return [...text.matchAll(/ at .*?((?:src|bin)\/\S+?\.js:\d+:\d+)/g)].map((match) => match[1] ?? "");
}

describe("the bundled repository", () => {
  test("is small, complete, and has a history with releases and several authors", async () => {
    expect((await stat(BUNDLE)).size).toBeLessThan(200 * 1024);
    const repository = await clone("history");
    await git("-C", repository, "bundle", "verify", "--quiet", BUNDLE);
    const authors = (await git("-C", repository, "log", "--format=%ae")).trim().split("\n");
    expect(authors.length).toBeGreaterThanOrEqual(25);
    expect(new Set(authors).size).toBe(4);
    expect(authors.filter((author) => !author.endsWith("@example.com"))).toEqual([]);
    expect((await git("-C", repository, "tag")).trim().split("\n")).toContain("v0.4.1");
    expect((await git("-C", repository, "branch", "--show-current")).trim()).toBe("main");
  });

  test("passes its own tests and checks without installing anything", async () => {
    const repository = await clone("checks");
    expect(await failingTests(repository)).toEqual([]);
    for (const script of ["lint", "type-check", "build"]) {
      const run = await exec("npm", ["run", "--silent", script], { cwd: repository });
      expect(run).toMatchObject({ code: 0 });
    }
    expect(await git("-C", repository, "status", "--porcelain")).toBe("");
  });
});

describe("the fix", () => {
  const paper = [
    sampleInvoice("2026-0001", { issuedOn: "2026-10-01", dueOn: "2026-10-31" }),
    sampleInvoice("2026-0002", { issuedOn: "2026-11-01", dueOn: "2026-12-01" }),
    sampleInvoice("2026-0003", { issuedOn: "2026-11-01", dueOn: "2026-12-01" }),
  ];

  test("comes with a test that fails without it and passes with it", async () => {
    const repository = await clone("patch");
    await git("-C", repository, "apply", "--include=test/*", PATCH);
    expect(await failingTests(repository)).toEqual([
      "an invoice belongs to the month of the day printed on it, in every time zone",
    ]);
    await git("-C", repository, "apply", "--exclude=test/*", PATCH);
    expect(await failingTests(repository)).toEqual([]);
    const changed = await git("-C", repository, "diff", "--name-only", "--", "src");
    expect(changed.trim().split("\n")).toEqual([
      "src/export/columns.js",
      "src/export/export-month.js",
      "src/export/period.js",
    ]);
  });

  test("removes the symptom that the issue reports", async () => {
    const repository = await clone("symptom");
    const before = await quillbill(repository, paper, "export", "--month", "2026-10");
    expect(before.err).toContain("EXPORT_TOTAL_MISMATCH: rows 3.80, ledger 1.90 (2026-10)");
    expect(before.out).not.toContain("2026-0001");
    expect(before.out).toContain("2026-0002,Harbour Hotel,2026-10-31");

    await git("-C", repository, "apply", PATCH);
    const after = await quillbill(repository, paper, "export", "--month", "2026-10");
    expect(after).toMatchObject({ code: 0, err: "" });
    expect(after.out.trim().split(/\r?\n/).slice(1)).toEqual(["2026-0001,Harbour Hotel,2026-10-01,2026-10-31,1.90,"]);
  });
});

describe("the issues", () => {
  test("can be read, and have numbers and authors of their own", async () => {
    const more = (await readdir(join(EXAMPLES, "issues"))).map((name) => join("issues", name));
    expect(more).toHaveLength(3);
    const issues = await Promise.all(["issue.md", ...more].map(issueFile));
    expect(new Set(issues.map((issue) => issue.number)).size).toBe(4);
    for (const issue of issues)
      expect(issue).toMatchObject({ labels: [expect.any(String)], createdAt: expect.any(Date) });
  });

  test("have comments by somebody else than their author", async () => {
    const { author, comments } = await issueFile("issue.md");
    expect(comments).toHaveLength(1);
    expect(comments.map((comment) => comment.author)).not.toContain(author);
  });

  test("report the crash with the stack trace that the sample really gives", async () => {
    const repository = await clone("crash");
    const shop = [sampleInvoice("2026-0001", { issuedOn: "2026-10-01" })];
    const crash = await quillbill(repository, shop, "report", "overdue");
    expect(crash.code).toBe(1);
    const reported = framesIn(await readFile(join(EXAMPLES, "issues", "overdue-crash.ru.md"), "utf8"));
    expect(reported.length).toBeGreaterThan(4);
    expect(framesIn(crash.err)).toEqual(reported);
  });

  test("complain about a variable that only the documentation knows", async () => {
    const repository = await clone("docs");
    expect(await readFile(join(repository, "docs", "configuration.md"), "utf8")).toContain("`QUILLBILL_TZ`");
    const uses = await exec("git", ["-C", repository, "grep", "-n", "QUILLBILL_TZ", "--", "src"]);
    expect(uses.code).toBe(1);
    await git("-C", repository, "grep", "-q", "QUILLBILL_TIME_ZONE", "--", "src");
  });
});
