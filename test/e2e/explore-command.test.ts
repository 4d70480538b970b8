import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import { type Desk, EXAMPLES, newDesk, relay } from "./cli-harness.ts";

const fileSchema = z.object({
  path: z.string(),
  score: z.number().positive(),
  reasons: z.array(z.string().min(1)).min(1),
  symbols: z.array(
    z.object({
      name: z.string().min(1),
      kind: z.string().min(1),
      start: z.number().int().positive(),
      end: z.number().int().positive(),
    }),
  ),
  role: z.string(),
  language: z.string().nullable(),
});

const answerSchema = z.object({
  repo: z.string(),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  ms: z.number().int().nonnegative(),
  files: z.array(fileSchema),
  apart: z.array(fileSchema),
  skipped: z.array(z.object({ reason: z.string(), files: z.number(), examples: z.array(z.string()) })),
});

async function exploring(desk: Desk, args: string[], input = "") {
  const ended = await relay(desk, ["explore", "--repo", "quillbill", "--json", ...args], { input });
  expect(ended).toMatchObject({ code: 0, err: "" });
  return answerSchema.parse(JSON.parse(ended.out));
}

test("a query finds files, symbols and lines, with reasons, and starts no database", async () => {
  const desk = await newDesk();
  const answer = await exploring(desk, ["EXPORT_TOTAL_MISMATCH", "reconcile"]);
  expect(answer.repo).toBe(desk.repository);
  expect(answer.commit).toBe(
    (await exec("git", ["-C", desk.repository, "rev-parse", "HEAD"])).stdout.toString().trim(),
  );
  expect(answer.files[0]).toMatchObject({ path: "src/export/reconcile.js", role: "source", language: "javascript" });
  expect(answer.files[0]?.symbols.map(({ name }) => name)).toContain("reconcile");
  for (const { path, symbols } of answer.files) {
    const lines = (await readFile(join(desk.repository, path), "utf8")).split("\n").length;
    expect(symbols.every(({ start, end }) => start <= end && end <= lines)).toBe(true);
  }
  expect((await readdir(desk.home)).filter((name) => name.startsWith("postgres"))).toEqual([]);
});

test("an issue is read from a file, as JSON, or from standard input", async () => {
  const desk = await newDesk();
  const file = join(EXAMPLES, "issues/overdue-crash.ru.md");
  const byFile = await exploring(desk, ["--issue", file]);
  const crashed = byFile.files.find(({ path }) => path === "src/time/calendar.js");
  expect(crashed?.reasons.join("\n")).toContain("in the stack trace");
  const byInput = await exploring(desk, ["--issue", "-"], await readFile(file, "utf8"));
  expect(byInput.files).toEqual(byFile.files);
  const asJson = await exploring(desk, ["--issue", "-"], JSON.stringify({ title: "Crash in src/time/calendar.js:53" }));
  expect(asJson.files[0]?.path).toBe("src/time/calendar.js");
});

test("a pasted stack trace is a query too", async () => {
  const desk = await newDesk();
  const trace = "TypeError: x\n    at dayNumber (file:///srv/quillbill/src/time/calendar.js:53:47)";
  const { files } = await exploring(desk, [trace]);
  expect(files[0]?.path).toBe("src/time/calendar.js");
  expect(files[0]?.reasons.join("\n")).toContain("in the stack trace");
});

test("no more files than asked for, the code first, a few tests and docs apart", async () => {
  const desk = await newDesk();
  for (const limit of [1, 2, 4, 8, 200]) {
    const { files, apart } = await exploring(desk, ["export total", "--limit", String(limit)]);
    expect(files.length).toBeLessThanOrEqual(limit);
    expect(files[0]?.role).toBe("source");
    const all = [...files, ...apart].map(({ role }) => role);
    expect(all).toContain("test");
    expect(all).toContain("docs");
  }
});

test("another ref is another answer", async () => {
  const desk = await newDesk();
  const old = await exploring(desk, ["export", "--ref", "v0.1.0"]);
  const tag = await exec("git", ["-C", desk.repository, "rev-parse", "v0.1.0^{commit}"]);
  expect(old.commit).toBe(tag.stdout.toString().trim());
  expect(old.files).not.toEqual((await exploring(desk, ["export"])).files);
});

test("people get groups, places that can be opened from here, and no colours in a pipe", async () => {
  const desk = await newDesk();
  const { code, out, err } = await relay(desk, ["explore", "export total mismatch", "--repo", "quillbill"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^\d+ files in .*quillbill at [0-9a-f]{10} \(main\), \d+ ms\n\nCode\n {2}1 {2}quillbill\/src\//);
  expect(out).toMatch(/\n {5}quillbill\/src\/export\/reconcile\.js:\d+ {2}function reconcile, lines \d+-\d+\n/);
  expect(out).toMatch(/\n\nTests\n {2}1 {2}quillbill\/test\//);
  expect(out).toMatch(/\n\nDocs and examples\n {2}1 {2}quillbill\/docs\//);
  expect(out).not.toContain("\u001b");
});

test("nothing found is an answer that says what to try", async () => {
  const desk = await newDesk();
  expect((await exploring(desk, ["zzqxv"])).files).toEqual([]);
  expect(await relay(desk, ["explore", "zzqxv", "\u001b[31mwvq", "--repo", "quillbill"])).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^Nothing found for “zzqxv \\u\{1b\}\[31mwvq” in [^\n]+\nTry [^\n]+\n$/),
  });
});

test("what was learned of the code is kept, and an index that cannot be kept is said", async () => {
  const desk = await newDesk();
  const first = await exploring(desk, ["export"]);
  expect((await readdir(join(desk.home, "index"))).filter((name) => name.endsWith(".sqlite"))).toHaveLength(1);
  expect((await exploring(desk, ["export"])).files).toEqual(first.files);
  await writeFile(join(desk.folder, "file"), "");
  const args = ["explore", "export", "--repo", "quillbill", "--json"];
  const ended = await relay(desk, args, { env: { RELAY_HOME: join(desk.folder, "file", "home") } });
  expect(ended).toMatchObject({ code: 0, err: expect.stringMatching(/^relay: cannot open the code index [^\n]+\n$/) });
  expect(answerSchema.parse(JSON.parse(ended.out)).files).toEqual(first.files);
});

test("wrong usage is one sentence with the mend", async () => {
  const desk = await newDesk();
  await mkdir(join(desk.folder, "plain"));
  await exec("git", ["init", "-q", join(desk.folder, "unborn")]);
  await writeFile(join(desk.folder, "empty.md"), "");
  const issue = join(EXAMPLES, "issue.md");
  const cases: [string[], RegExp][] = [
    [[], /give some words, or an issue with --issue/],
    [["", "  "], /give some words/],
    [["x", "--limit", "0"], /--limit must be a whole number from 1 to 200, not “0”/],
    [["x", "--limit", "abc"], /--limit/],
    [["x", "--limit", "201"], /--limit/],
    [["x", "--limit", "-1"], /--limit/],
    [["x", "--limit", "1.5"], /--limit/],
    [["x", "--limit", "1e2"], /--limit/],
    [["x", "--issue", issue], /either a query or --issue/],
    [["x".repeat(1_001)], /1001 characters.*--issue/],
    [["x", "--ref", "nowhere"], /no commit "nowhere".*name another/],
    [["x", "--ref", " "], /--ref is empty/],
    [["--issue", "nowhere.md"], /there is no such file/],
    [["--issue", "plain"], /is a directory/],
    [["--issue", "empty.md"], /is empty/],
    [["--issue", "/dev/zero"], /\/dev\/zero is larger than 1 MiB/],
    [["x", "--repo", "missing"], /missing is not a directory/],
    [["x", "--repo", "plain"], /plain is not a git repository.*git init/],
    [["x", "--repo", "unborn"], /unborn has no commit yet; commit something/],
  ];
  const refused = await Promise.all(
    cases.map(async ([args]) => {
      const repo = args.includes("--repo") ? [] : ["--repo", "quillbill"];
      return await relay(desk, ["explore", ...repo, ...args]);
    }),
  );
  for (const [at, [, says]] of cases.entries()) {
    const sentence = new RegExp(`^relay: (?!something unexpected)[^\\n]*(?:${says.source})[^\\n]*\\n$`);
    expect(refused[at]).toMatchObject({ code: 2, out: "", err: expect.stringMatching(sentence) });
  }
});

test("what is left in the environment by a git hook or a user's habits changes nothing", async () => {
  const desk = await newDesk();
  const args = ["explore", "reconcile", "--repo", "quillbill", "--json"];
  const plain = answerSchema.parse(JSON.parse((await relay(desk, args)).out));
  const env = {
    ...{ GIT_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere", GIT_INDEX_FILE: "/nowhere", GIT_OBJECT_DIRECTORY: "/nowhere" },
    ...{
      GIT_COMMON_DIR: "/nowhere",
      GIT_NAMESPACE: "x",
      GIT_PREFIX: "src/",
      GIT_EXTERNAL_DIFF: "false",
      GIT_TRACE: "1",
    },
    ...{ GIT_ICASE_PATHSPECS: "1", GIT_GLOB_PATHSPECS: "1", GIT_PAGER: "false", LC_ALL: "de_DE.UTF-8" },
    RELAY_HOME: join(desk.folder, "another-home"),
  };
  const ended = await relay(desk, args, { env });
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(answerSchema.parse(JSON.parse(ended.out)).files).toEqual(plain.files);
});

test("without git it says what to install", async () => {
  const desk = await newDesk();
  const ended = await relay(desk, ["explore", "x", "--repo", "quillbill"], { env: { PATH: desk.folder } });
  expect(ended).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringMatching(/^relay: cannot run git: .*install it.*\n$/),
  });
});

test("colours are for terminals that show them", async ({ skip }) => {
  const desk = await newDesk();
  const node = `${process.execPath} ${join(import.meta.dirname, "../../bin/relay.js")}`;
  const inTerminal = async (variables: string) =>
    await exec(
      "script",
      [
        "-qec",
        `env -u NO_COLOR -u CI -u FORCE_COLOR -u NODE_DISABLE_COLORS ${variables} ${node} explore export --repo quillbill`,
        "/dev/null",
      ],
      {
        cwd: desk.folder,
        env: { ...process.env, ...desk.env },
      },
    ).catch(() => null);
  const colourful = await inTerminal("TERM=xterm-256color");
  if (colourful?.code !== 0) skip("needs util-linux's script");
  expect(colourful?.stdout.toString()).toContain("\u001b[");
  expect((await inTerminal("TERM=xterm-256color NO_COLOR=1"))?.stdout.toString()).not.toContain("\u001b[");
});

test("--open opens the first place in the person's editor, at its line; an editor that is missing is named", async () => {
  const desk = await newDesk();
  const program = join(desk.folder, "vim");
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${desk.folder}/opened"\n`, { mode: 0o755 });
  const open = async (set: Record<string, string>) =>
    await relay(desk, ["explore", "--repo", "quillbill", "--open", "EXPORT_TOTAL_MISMATCH", "reconcile"], {
      env: { VISUAL: "", EDITOR: "", ...set },
    });
  const opened = await open({ EDITOR: `'${program}' -R` });
  expect(opened).toMatchObject({ code: 0, err: "" });
  const [readOnly, line, file] = (await readFile(join(desk.folder, "opened"), "utf8")).trim().split("\n");
  expect([readOnly, file]).toEqual(["-R", join(desk.repository, "src/export/reconcile.js")]);
  expect(opened.out).toContain(`src/export/reconcile.js:${line?.slice(1)}`);
  expect(await open({})).toMatchObject({ code: 2, err: expect.stringContaining("name yours in EDITOR") });
  const missing = await open({ VISUAL: "/no/such/editor", EDITOR: program });
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("/no/such/editor, the editor in VISUAL") });
});
