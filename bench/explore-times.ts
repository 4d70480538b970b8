// The times of `bench/explore.ts`: one row for each repository, beside git on the same tree, in the same run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const RUNS = 5;
const WORD = "component";
/** A commit of about so many files is looked for. */
const CHANGED_FILES = 20;
/** Asked once each, in the same process. */
const QUESTIONS = 40;

interface Question {
  issue_title: string;
  issue_body: string;
}

const runSchema = z.object({
  files: z.number(),
  cold: z.number(),
  first: z.number(),
  update: z.number(),
  warm: z.number(),
  memory: z.number(),
});
type Run = z.infer<typeof runSchema>;

const COLUMNS = ["files", "git grep", "cold", "ratio", "first answer", "ratio", "update", "warm CPU", "memory"];

/** Prints the times of every repository that has a clone. */
export function timesOf(mirrors: ReadonlyMap<string, string>, questions: readonly Question[]): void {
  console.log(
    `\nMedians of ${RUNS} processes that index a clone, answer, update and answer on; ratios to \`git grep -c -w ${WORD}\` on the` +
      " same commit. The first answer includes the index, with lines and symbols of 20 files. Memory is the highest resident set.",
  );
  console.log(["".padEnd(26), ...COLUMNS.map(cell)].join(" "));
  for (const [name, mirror] of mirrors) row(name, mirror, questions);
}

function row(name: string, mirror: string, questions: readonly Question[]): void {
  const head = git(mirror, "rev-parse", "HEAD");
  const before = commitBefore(mirror, head);
  const changed = git(mirror, "diff-tree", "-r", "--name-only", before, head).split("\n").length;
  const folder = mkdtempSync(join(tmpdir(), "relay-explore-"));
  const asked = join(folder, "questions.json");
  const texts = questions.slice(0, QUESTIONS).map(({ issue_title: title, issue_body: body }) => ({ title, body }));
  try {
    writeFileSync(asked, JSON.stringify(texts));
    const searched: number[] = [];
    const runs: Run[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const started = performance.now();
      spawnSync("git", ["-C", mirror, "grep", "-c", "-w", WORD, before]);
      searched.push(performance.now() - started);
      runs.push(runOf([mirror, before, head, join(folder, String(run)), asked]));
    }
    const grep = median(searched);
    const of = (what: keyof Run) => median(runs.map((run) => run[what]));
    const ratio = (time: number) => `${(time / grep).toFixed(1)}x`;
    const cells = [
      String(of("files")),
      ms(grep),
      ms(of("cold")),
      ratio(of("cold")),
      ms(of("first")),
      ratio(of("first")),
    ];
    const others = [ms(of("update")), ms(of("warm")), `${of("memory").toFixed(0)} MB`];
    console.log([name.padEnd(26), ...[...cells, ...others].map(cell)].join(" "), `  (update of ${changed} files)`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runOf(args: readonly string[]): Run {
  const script = join(import.meta.dirname, "first-answer.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", script, ...args], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return runSchema.parse(JSON.parse(stdout));
}

/** An ancestor from which about `CHANGED_FILES` files changed. */
function commitBefore(mirror: string, head: string): string {
  const ancestors = git(mirror, "rev-list", "--first-parent", "--max-count=80", head).split("\n").slice(1);
  const counted = ancestors.map((commit) => ({
    commit,
    files: git(mirror, "diff-tree", "-r", "--name-only", commit, head).split("\n").length,
  }));
  const nearest = counted.toSorted((a, b) => Math.abs(a.files - CHANGED_FILES) - Math.abs(b.files - CHANGED_FILES));
  return nearest[0]?.commit ?? head;
}

function git(mirror: string, ...args: string[]): string {
  return spawnSync("git", ["-C", mirror, ...args], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout.trim();
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}

function cell(text: string): string {
  return text.padStart(12);
}
