import { spawnSync } from "node:child_process";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { readAnswers } from "../../src/cli/answers-file.ts";
import { sleep } from "../../src/lib/clock.ts";
import { exec } from "../../src/lib/exec.ts";
import type { Database } from "../../src/storage/db.ts";
import { violationsIn } from "./faults/cli-invariants.ts";
import { type Desk, EXAMPLES, clusterOf, newDesk, relay, specArgs, startRelay, withDatabaseOf } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";

const number = z.object({ n: z.number() });

async function rows(db: Database, table: string): Promise<number> {
  return (await db.one(number, `select count(*)::int as n from ${table}`, [])).n;
}

const specResult = z.object({
  spec_ref: z.object({
    version: z.literal(1),
    backend: z.literal("local"),
    path: z.string(),
    updated_at: z.string(),
    sha256: z.string().length(64),
    format: z.literal("markdown"),
  }),
  complexity: z.enum(["L0", "L1", "L2", "L3", "L4"]),
  validation_status: z.enum(["valid", "partial"]),
  gaps: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      severity: z.string(),
      respondent: z.string(),
      status: z.literal("closed"),
      closed_reason: z.string(),
      closed_note: z.string(),
    }),
  ),
  findings: z.array(
    z.object({ id: z.string(), synthesis: z.string(), sources: z.array(z.object({ location: z.string() })) }),
  ),
  summary: z.array(z.string()),
  model: z.literal("offline"),
  usage: z.object({ cost_usd: z.literal(0) }),
});

test("spec --json has the promised shape, and the same command again changes nothing", async () => {
  const desk = await newDesk();
  const first = await relay(desk, specArgs(desk));
  expect(first).toMatchObject({ code: 0, err: "" });
  const result = specResult.parse(JSON.parse(first.out));
  expect(result.gaps.length).toBeGreaterThan(0);
  expect(result.findings.length).toBeGreaterThan(0);
  const file = join(desk.folder, result.spec_ref.path);
  const looks = async () => {
    const { mtimeMs, ino } = await stat(file);
    return { mtimeMs, ino, comments: await withDatabaseOf(desk, async (db) => await rows(db, "local_comments")) };
  };
  const before = await looks();

  const second = await relay(desk, specArgs(desk));
  expect(second).toMatchObject({ code: 0, err: "", out: first.out });
  expect(await looks()).toEqual(before);
  expect(await withDatabaseOf(desk, violationsIn)).toEqual([]);
  // A plan for it was never asked for.
  expect(await relay(desk, ["work", "57", "--dry-run"])).toMatchObject({
    code: 2,
    err: "relay: local/quillbill#57 is done and has no plan; see `relay log 57`\n",
  });
});

test("without answers, --yes or a terminal the questions are printed and nothing is written", async () => {
  const desk = await newSetUpDesk();
  const ended = await relay(desk, ["spec", join(EXAMPLES, "issue.md"), "--repo", "quillbill"]);
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/^1\. .+\n   why: .+\n   without an answer: .+\n/);
  expect(ended.err).toMatch(/^relay: \d question\(s\) are open; answer with --answers FILE.*\n$/);
  expect(await readdir(desk.folder)).not.toContain("specs");
  // The file names its issue for other commands too.
  const file = join(EXAMPLES, "issue.md");
  expect((await relay(desk, ["status", file])).out).toContain("clarifying");
  expect((await relay(desk, ["log", "no-such.md"])).err).toContain("no issue “no-such.md” is known here");
});

test("an edited issue file and a new comment in it go on with the same issue", async () => {
  const desk = await newSetUpDesk();
  const file = join(desk.folder, "issue.md");
  const text = await readFile(join(EXAMPLES, "issue.md"), "utf8");
  await writeFile(file, text);
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0 });
  const comments = await rows(desk.db, "local_comments");

  await writeFile(
    file,
    `${text}\n## Comment by @mlindholm at 2026-11-05T09:00:00Z\n\nThe JSON export must not change at all.\n`,
  );
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0, err: "" });
  expect(await rows(desk.db, "issues")).toBe(1);
  const after = await rows(desk.db, "local_comments");
  expect(after).toBeGreaterThan(comments);
  expect(await rows(desk.db, "local_comments where body like '%must not change at all%'")).toBe(1);

  await writeFile(
    file,
    `${text}\n## Comment by @mlindholm at 2026-11-05T09:00:00Z\n\nThe JSON export must end with a newline.\n`,
  );
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0, err: "" });
  expect(await rows(desk.db, "local_comments where body like '%must not change at all%'")).toBe(0);
  expect(await rows(desk.db, "local_comments where body like '%must end with a newline%'")).toBe(1);

  await writeFile(file, text.replace("October export", "The October export"));
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0, err: "" });
  expect(await rows(desk.db, "issues")).toBe(1);
  expect(await rows(desk.db, "issues where title like 'The October export%'")).toBe(1);
});

test("a colleague is heard in an issue file that says who may write, from whatever run on; others are not", async () => {
  const desk = await newSetUpDesk();
  const file = join(desk.folder, "issue.md");
  const text = await readFile(join(EXAMPLES, "issue.md"), "utf8");
  const versions = async () => await rows(desk.db, "specs");
  await writeFile(file, text);
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0 });
  expect(await versions()).toBe(1);
  const more = `${text}\n## Comment by @colleague at 2026-11-05T09:00:00Z\n\nPlease keep the JSON export as it is.\n`;
  await writeFile(file, more);
  await relay(desk, specArgs(desk, file));
  expect(await versions()).toBe(1);
  const second = more.replace("---\n", "---\nmaintainers: [colleague]\n");
  await writeFile(
    file,
    `${second}\n## Comment by @colleague at 2026-11-05T10:00:00Z\n\nPlease also keep the CSV header as it is.\n`,
  );
  expect(await relay(desk, specArgs(desk, file))).toMatchObject({ code: 0, err: "" });
  expect(await versions()).toBe(2);

  const [issue = ""] = /(?<=#)\d+/.exec((await relay(desk, ["status", "--all"])).out) ?? [];
  const told = await relay(desk, ["diff", issue]);
  expect(told).toMatchObject({ code: 1, err: "" });
  expect(told.out).toMatch(/ spec version 1 -> 2\n {4}2, \d{4}-\d\d-\d\d: .*@colleague \(message \d+\)/);
  expect(told.out).toContain("Please also keep the CSV header as it is");
  const json = await relay(desk, ["diff", issue, "--from", "1", "--to", "2", "--json"]);
  const { changes } = z.object({ changes: z.array(z.object({ name: z.string() })) }).parse(JSON.parse(json.out));
  expect(changes.length).toBeGreaterThan(0);
  expect(await relay(desk, ["diff", issue, "--from", "2", "--to", "2"])).toMatchObject({ code: 0 });
  expect(await relay(desk, ["diff", issue, "--to", "7"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("there are: 1, 2"),
  });
});

test("status, log, pause, resume and forget", async () => {
  const desk = await newSetUpDesk();
  await relay(desk, ["spec", join(EXAMPLES, "issue.md"), "--repo", "quillbill"]);
  const status = z.object({
    issues: z.array(
      z.object({
        id: z.string(),
        provider: z.literal("local"),
        repository: z.literal("quillbill"),
        number: z.literal(57),
        title: z.string(),
        state: z.string(),
        open_gaps: z.number(),
        spec: z.object({ path: z.string(), sha256: z.string() }).nullable(),
        plan: z.null(),
        task: z.null(),
        cost_usd: z.number(),
        since: z.iso.datetime(),
        waiting_for: z.object({ what: z.string(), people: z.array(z.string()), anyone_with: z.string().nullable() }),
        next_wake_at: z.null(),
        next_step: z.string().nullable(),
        engaged_by: z.string(),
        updated_at: z.string(),
      }),
    ),
  });
  const state = async () => {
    const { out } = await relay(desk, ["status", "57", "--json"]);
    return status.parse(JSON.parse(out)).issues.map((one) => one.state);
  };
  expect(await state()).toEqual(["clarifying"]);
  const asking = await relay(desk, ["status", "57"]);
  expect(asking.out).toMatch(/^local\/quillbill#57 {2}clarifying .*\n {4}I’m waiting for answers from \S+\. Since \d/);
  expect(await relay(desk, ["pause", "57"])).toMatchObject({ code: 0, out: "local/quillbill#57: paused\n" });
  expect((await relay(desk, ["status", "57"])).out).toContain("\n    next: `relay resume 57`\n");
  expect(await relay(desk, specArgs(desk))).toMatchObject({
    code: 1,
    err: "relay: the issue is paused; continue it with `relay resume 57`\n",
  });
  expect(await relay(desk, ["resume", "57"])).toMatchObject({ code: 0, out: "local/quillbill#57: clarifying\n" });
  expect(await relay(desk, ["resume", "57"])).toMatchObject({ code: 2 });
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0, err: "" });
  expect(await state()).toEqual(["done"]);

  const entry = z.object({ id: z.string(), at: z.string(), actor: z.string(), what: z.string() });
  const log = z.object({ issue: z.string(), entries: z.array(entry) });
  const { entries } = log.parse(JSON.parse((await relay(desk, ["log", "57", "--json"])).out));
  expect(entries.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      "message.posted",
      "words.taken_up",
      "comment.posted",
      "state.changed",
      "spec.started",
      "spec.written",
      "labels.changed",
    ]),
  );
  const story = (await relay(desk, ["log", "57"])).out;
  expect(story).toMatch(/words\.taken_up {2}assigned \(assignee: relay\)\n {4}called Relay to the issue\n/);
  expect(story).toMatch(/ {2}state\.changed {2}planning → specifying\n {4}go-ahead: /);
  expect(story).toMatch(/spec\.written {2}\S+ \(L\d, \d+ characters, \d+ bytes, sha256 [\da-f]{12}, in [\d.]+ s\)\n/);

  expect(await relay(desk, ["forget", "57"])).toMatchObject({ code: 2 });
  expect(await state()).toEqual(["done"]);
  expect(await relay(desk, ["forget", "57", "--yes"])).toMatchObject({ code: 0, err: "" });
  expect((await readdir(desk.specs)).filter((name) => name !== ".lock")).toEqual([]);
  for (const table of [
    "issues",
    "messages",
    "deliveries",
    "gaps",
    "findings",
    "cycles",
    "actions",
    "specs",
    "llm_evals",
    "local_issues",
    "local_comments",
    "audit_log where issue_id is not null",
    "audit_log where issue_id is null and what <> 'issue.forgotten'",
  ]) {
    expect({ table, left: await rows(desk.db, table) }).toEqual({ table, left: 0 });
  }
  const jobs = "pgboss.job where data::text like '%quillbill#57%'";
  expect({ jobs: await rows(desk.db, jobs) }).toEqual({ jobs: 0 });
});

test("migrate and doctor tell what they found", async () => {
  const desk = await newDesk();
  const applied = z.object({ applied: z.array(z.string()) });
  const first = await relay(desk, ["migrate", "--json"]);
  expect(applied.parse(JSON.parse(first.out)).applied.length).toBeGreaterThan(0);
  const second = await relay(desk, ["migrate", "--json"]);
  expect(JSON.parse(second.out)).toEqual({ applied: [] });
  const doctor = await relay(desk, ["doctor", "--json"]);
  expect(doctor).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(doctor.out)).toMatchObject({ ok: true });
  const ill = await relay(desk, ["doctor", "--json"], { env: { RELAY_MODE: "fast" } });
  expect(ill).toMatchObject({ code: 1, err: "" });
  expect(JSON.parse(ill.out)).toMatchObject({ ok: false });
});

/** What other accounts can read below folders whose path they know, but for two files that tell nothing. */
async function openTo(root: string, folders: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const { mode } = await stat(join(root, folder));
    if ((mode & 0o066) !== 0) found.push(folder);
    if ((mode & 0o001) === 0) continue;
    for (const name of await readdir(join(root, folder))) {
      const path = join(folder, name);
      if ([".gitignore", "postgres-is-at"].includes(name)) continue;
      if (((await stat(join(root, path))).mode & 0o077) !== 0) found.push(path);
    }
  }
  return found;
}

test("demo --json prints one document and ends", async () => {
  const desk = await newDesk();
  const ended = await relay(desk, ["demo", "--json", "--dir", join(desk.folder, "demo")], {
    env: { RELAY_HOME: desk.home },
  });
  const elsewhere = (await readFile(join(desk.folder, "demo/.relay/postgres-is-at"), "utf8").catch(() => "")).trim();
  await writeFile(join(desk.home, "postgres-is-at"), elsewhere);
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(z.record(z.string(), z.unknown()).parse(JSON.parse(ended.out))).toBeTruthy();
});

test("the demo's plan names the files of its patch, every prepared answer is asked, and what it shows at the end is there", async () => {
  const desk = await newDesk();
  const ended = await relay(desk, ["demo", "--dir", "demo"], { env: { RELAY_HOME: desk.home } });
  const elsewhere = (await readFile(join(desk.folder, "demo/.relay/postgres-is-at"), "utf8").catch(() => "")).trim();
  await writeFile(join(desk.home, "postgres-is-at"), elsewhere);
  const { code, out } = ended;
  expect(code).toBe(0);
  expect(await openTo(join(desk.folder, "demo"), [".relay", "relay_specs"])).toEqual([]);
  const plan = out.slice(out.indexOf("**Steps:**"), out.indexOf("**What will be run:**"));
  const planned = [...plan.matchAll(/`([^`:]+\/[^`:]+):\d+(?:-\d+)?`/g)].map(([, path = ""]) => path);
  const [hint = "", branch = ""] = /git -C demo\/repository log --patch main\.\.(\S+)/.exec(out) ?? [];
  const git = async (...args: string[]) => (await exec("git", args, { cwd: desk.folder })).stdout.toString("utf8");
  const changed = await git("-C", "demo/repository", "diff", "--name-only", `main...${branch}`);
  expect(new Set(planned)).toEqual(new Set(changed.trim().split("\n")));
  expect(planned[1]).toBe("src/export/period.js");
  expect(await git(...hint.split(" ").slice(1))).toContain("+test(");

  expect(out).not.toContain("not changed");
  expect(out).toMatch(/\| the reported case \| .*test\/export\.test\.js/);
  const spoken = out.replaceAll(/│|\s+/g, " ").replaceAll(/ +/g, " ");
  const { byKey, proceed } = await readAnswers(join(EXAMPLES, "answers.yaml"));
  for (const answer of [...byKey.values(), proceed ?? ""]) expect(spoken).toContain(answer.trim());

  const readme = await readFile(join(EXAMPLES, "../README.md"), "utf8");
  const excerpts = readme
    .slice(readme.indexOf("## What a run looks like"), readme.indexOf("## Your own issue"))
    .split("\n")
    .filter((line) => line.startsWith("    "))
    .flatMap((line) => line.split("…"))
    .map((part) => part.replaceAll(/│|\s+/g, " ").trim());
  expect(excerpts.filter((part) => !spoken.includes(part.replaceAll(/ +/g, " ")))).toEqual([]);

  const spec = /spec +(file:\S+)/.exec(out)?.[1] ?? "";
  const text = await readFile(fileURLToPath(spec), "utf8");
  const sentences = text.match(/[^.|\n]+/g)?.filter((one) => one.trim().split(/\s+/).length > 8) ?? [];
  const often = [...Map.groupBy(sentences, (one) => one.trim())].filter(([, all]) => all.length > 2);
  expect(often).toEqual([]);
});

test("a reader that goes away is no error, and the database is stopped all the same", async () => {
  const desk = await newDesk();
  await relay(desk, specArgs(desk));
  const program = `"$0" "$1" log 57 | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", program, process.execPath, join(EXAMPLES, "../bin/relay.js")], {
    cwd: desk.folder,
    env: { ...process.env, ...desk.env },
    encoding: "utf8",
  });
  expect({ lines: stdout.trim().split("\n").length, code: stdout.trim().split("\n").at(-1), stderr }).toEqual({
    lines: 2,
    code: "0",
    stderr: "",
  });
  expect(await serverIsUp(desk)).toBe(false);
});

// Each takes a while; with the other long stories it is tried at more moments.
const MOMENTS = process.env["RELAY_TEST_KILLS"] === undefined ? [0, 400] : [0, 150, 400, 700];

test.each(MOMENTS)("an interruption after %i ms ends with 130 and stops the database", async (ms) => {
  const desk = await newDesk();
  const running = startRelay(desk, specArgs(desk));
  running.child.stdin.end();
  // From here on the command listens; before, the signal ends the process as it would any other.
  while (!(await readdir(desk.home)).includes(".gitignore")) await sleep(5);
  await sleep(ms);
  running.child.kill("SIGINT");
  const ended = await running.ended;
  const finished = { code: 0, err: "" };
  const interrupted = { code: 130, err: expect.stringMatching(/^relay: interrupted; [^\n]*\n$/) };
  expect(ended).toMatchObject(ended.code === 0 ? finished : interrupted);
  expect(await serverIsUp(desk)).toBe(false);
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0, err: "" });
  expect(await withDatabaseOf(desk, violationsIn)).toEqual([]);
});

async function serverIsUp(desk: Desk): Promise<boolean> {
  // Interrupted early, a command leaves no cluster at all.
  const files: string[] = await readdir(join(await clusterOf(desk), "data")).catch(() => []);
  return files.includes("postmaster.pid");
}

test("two commands at once on one issue do it once", async () => {
  const desk = await newDesk();
  const both = await Promise.all([relay(desk, specArgs(desk)), relay(desk, specArgs(desk))]);
  expect(both).toMatchObject([
    { code: 0, err: "" },
    { code: 0, err: "" },
  ]);
  expect(await withDatabaseOf(desk, violationsIn)).toEqual([]);
});

test("two commands at once on two issues of one home do both", async () => {
  const desk = await newDesk();
  const other = join(EXAMPLES, "issues/settings-docs.en.md");
  const both = await Promise.all([relay(desk, specArgs(desk)), relay(desk, [...specArgs(desk, other), "--yes"])]);
  expect(both).toMatchObject([
    { code: 0, err: "" },
    { code: 0, err: "" },
  ]);
  expect(await withDatabaseOf(desk, async (db) => await violationsIn(db, 2))).toEqual([]);
});
