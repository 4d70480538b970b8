// The times of `bench/explore.ts`: one row for each repository, beside git and ripgrep on the same tree, in the same run.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readIssue } from "../src/domain/issue-text/issue-reading.ts";
import { Explorer } from "../src/code/index/explorer.ts";
import { locate } from "../src/code/search/rank-files.ts";
import { openRepository } from "../src/code/git/repository.ts";
import { searchTerms } from "../src/code/search/query.ts";

const RUNS = 5;
const WORD = "component";
/** A commit of about so many files is looked for. */
const CHANGED_FILES = 20;

interface Question {
  issue_title: string;
  issue_body: string;
}

/** Prints the times of every repository that has a clone. */
export async function timesOf(mirrors: ReadonlyMap<string, string>, questions: readonly Question[]): Promise<void> {
  const ripgrep = spawnSync("rg", ["--version"]).status === 0;
  console.log(
    `\nMedians of ${RUNS} runs; cold and update as ratios to \`git grep ${WORD}\` on the bare tree and to cold.`,
  );
  if (!ripgrep) console.log("ripgrep is not on this machine.");
  console.log(
    `${"".padEnd(26)} ${"files".padStart(6)} ${"git grep".padStart(9)} ${ripgrep ? `${"rg".padStart(7)} ` : ""}${"cold".padStart(9)} ${"ratio".padStart(6)} ${"update".padStart(8)} ${"of cold".padStart(8)} ${"reopen".padStart(8)} ${"locate".padStart(8)} ${"memory".padStart(8)}`,
  );
  for (const [name, mirror] of mirrors) await row(name, mirror, questions, ripgrep);
}

async function row(name: string, mirror: string, questions: readonly Question[], ripgrep: boolean): Promise<void> {
  const head = git(mirror, "rev-parse", "HEAD");
  const before = commitBefore(mirror, head);
  const changed = git(mirror, "diff-tree", "-r", "--name-only", before, head).split("\n").length;
  const folder = mkdtempSync(join(tmpdir(), "relay-explore-"));
  try {
    const searched: number[] = [];
    const cold: number[] = [];
    const update: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const home = join(folder, String(run));
      searched.push(await timed(() => Promise.resolve(spawnSync("git", ["-C", mirror, "grep", "-n", WORD, head]))));
      const explorer = await Explorer.open(mirror, home);
      const [older, newer] = [
        await openRepository(mirror, { ref: before }),
        await openRepository(mirror, { ref: head }),
      ];
      cold.push(await timed(() => explorer.at(older)));
      update.push(await timed(() => explorer.at(newer)));
      await Promise.all([older.close(), newer.close()]);
      explorer.close();
    }
    const repository = await openRepository(mirror, { ref: head });
    let explorer: Explorer | undefined;
    const reopen = await timed(async () => {
      explorer = await Explorer.open(mirror, join(folder, "0"));
      await explorer.at(repository);
    });
    if (!explorer) return;
    const index = await explorer.at(repository);
    const located: number[] = [];
    for (const { issue_title: title, issue_body: body } of [...questions, ...questions]) {
      const terms = searchTerms(readIssue({ title, body, labels: [] }));
      located.push(await timed(() => locate(index, terms, { limit: 10 })));
    }
    explorer.close();
    await repository.close();
    const [grep, first] = [median(searched), median(cold)];
    const cells = [
      String(index.files.length).padStart(6),
      ms(grep, 9),
      ...(ripgrep ? [ms(ripgrepTime(mirror, head, join(folder, "tree")), 7)] : []),
      ms(first, 9),
      `${(first / grep).toFixed(1)}x`.padStart(6),
      ms(median(update), 8),
      `${((100 * median(update)) / first).toFixed(1)} %`.padStart(8),
      ms(reopen, 8),
      ms(median(located.slice(questions.length)), 8),
      `${Math.round(process.memoryUsage().rss / 1e6)} MB`.padStart(8),
    ];
    console.log(`${name.padEnd(26)} ${cells.join(" ")}   (update of ${changed} files)`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

function ripgrepTime(mirror: string, head: string, tree: string): number {
  mkdirSync(tree);
  spawnSync("git", [`--git-dir=${mirror}`, `--work-tree=${tree}`, "checkout", "-q", head, "--", "."]);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const started = performance.now();
    spawnSync("rg", ["-n", "--hidden", WORD, tree]);
    times.push(performance.now() - started);
  }
  return median(times);
}

function git(mirror: string, ...args: string[]): string {
  return spawnSync("git", ["-C", mirror, ...args], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout.trim();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function ms(time: number, width: number): string {
  return `${time.toFixed(0)} ms`.padStart(width);
}
