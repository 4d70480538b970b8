// How many honest changes would be drafts: `npm run bench:concerns -- --mirrors DIR [--commits 40] [--seed 1] [--each]`.
// DIR holds git repositories: bare as NAME/repo, or any other way git opens, as NAME. Past commits are held against a plan
// that names the source files that they change, once with their tests and once without, as a finished change is (R-WORK-11,
// R-WORK-12). What tests ran is not known of them. Files that a run may not touch are taken out first.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { classify } from "../src/code/classify.ts";
import { conventionsOf } from "../src/code/conventions/conventions.ts";
import { openRepository } from "../src/code/git/repository.ts";
import { type Concern, needsPerson, riskOf } from "../src/domain/concern.ts";
import type { FixPlan } from "../src/domain/plan.ts";
import type { ChangedFile } from "../src/domain/work.ts";
import { concernsOf } from "../src/implementation/run/concerns/concerns.ts";
import { changesBetween } from "../src/implementation/run/workspace/differences.ts";
import { blockedPaths } from "../src/implementation/run/workspace/protected-paths.ts";
import { orderOf, planOf } from "../test/support/run-fixture.ts";
import { NO_RULES } from "../test/support/workspace-fixture.ts";

const { values } = parseArgs({
  options: {
    mirrors: { type: "string" },
    commits: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    /** Prints the concerns of each draft. */
    each: { type: "boolean", default: false },
  },
});

/** Source files of a commit that still is the work of one issue. */
const MOST_PLANNED = 20;
const PLANS = ["plan names the tests", "plan names no test"] as const;

interface Judged {
  repository: string;
  language: string;
  plan: (typeof PLANS)[number];
  concerns: readonly Concern[];
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 }).trim();
}

/** Commits with one parent, in an order that the seed decides. */
function sampled(folder: string): string[] {
  const all = git(folder, "rev-list", "--min-parents=1", "--max-parents=1", "HEAD").split("\n").filter(Boolean);
  return all
    .map((commit) => ({ commit, key: createHash("sha256").update(`${values.seed} ${commit}`).digest("hex") }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ commit }) => commit);
}

async function judged(repository: string, folder: string, commit: string): Promise<Judged[]> {
  const isBlocked = blockedPaths(NO_RULES);
  const changes = (await changesBetween(folder, `${commit}^`, commit)).filter(({ path }) => !isBlocked(path));
  const ofRole = (role: string) => changes.filter(({ path }) => classify(path).role === role);
  const sources = ofRole("source");
  if (sources.length === 0 || sources.length > MOST_PLANNED) return [];
  const [base, head] = [
    await openRepository(folder, { ref: `${commit}^` }),
    await openRepository(folder, { ref: commit }),
  ];
  try {
    const conventions = await conventionsOf(base, {});
    const { lint_command, type_check_command, build_command, test_commands: tests } = conventions;
    const checks = [lint_command, type_check_command, build_command].flatMap((command) => command || []);
    // What is binary, a link or too large is none that people read.
    const read = async (path: string, at: "base" | "head") =>
      await (at === "base" ? base : head).readFile(path).catch(() => null);
    const language = mostOf(sources.map(({ path }) => classify(path).language ?? "other"));
    const found: Judged[] = [];
    for (const plan of PLANS) {
      const planned = plan === "plan names the tests" ? [...sources, ...ofRole("test")] : sources;
      const order = orderOf({ plan: planFor(planned), commands: { setup: [], checks, tests } });
      const concerns = await concernsOf({ order, facts: [], changes, rules: NO_RULES, read });
      found.push({ repository, language, plan, concerns });
    }
    return found;
  } finally {
    await base.close();
    await head.close();
  }
}

function planFor(files: readonly ChangedFile[]) {
  const plan = planOf(files.map(({ path }) => path));
  const operations: Record<ChangedFile["change"], FixPlan["file_changes"][number]["operation"]> = {
    added: "CREATE",
    modified: "MODIFY",
    deleted: "DELETE",
  };
  const file_changes = plan.file_changes.map((one, at) => ({
    ...one,
    operation: operations[files[at]?.change ?? "modified"],
  }));
  return { ...plan, file_changes };
}

function mostOf(names: readonly string[]): string {
  const [most] = [...Map.groupBy(names, (name) => name)].toSorted((one, other) => other[1].length - one[1].length);
  return most?.[0] ?? "other";
}

function level({ concerns }: Judged): "normal" | "medium or high" | "draft" {
  if (needsPerson(concerns)) return "draft";
  return riskOf("LOW", concerns).risk === "LOW" ? "normal" : "medium or high";
}

const percent = (part: number, all: number) => `${((100 * part) / all).toFixed(0)} %`.padStart(6);

function row(name: string, of: readonly Judged[]): string {
  const shares = ["normal", "medium or high", "draft"].map((one) =>
    percent(of.filter((each) => level(each) === one).length, of.length),
  );
  return `${name.padEnd(34)}${String(of.length).padStart(5)} ${shares.join(" ")}`;
}

function report(all: readonly Judged[]): void {
  for (const plan of PLANS) {
    const own = all.filter((one) => one.plan === plan);
    console.log(`\n${plan.padEnd(34)}    n normal medium draft`);
    for (const by of ["repository", "language"] as const)
      for (const [name, of] of [...Map.groupBy(own, (one) => one[by])].toSorted(([one], [other]) =>
        one.localeCompare(other),
      ))
        console.log(row(name, of));
    console.log(row("all", own));
    const kinds = own.flatMap(({ concerns }) => [
      ...new Set(concerns.filter((one) => needsPerson([one])).map(({ kind }) => kind)),
    ]);
    const counted = [...Map.groupBy(kinds, (kind) => kind)].toSorted((one, other) => other[1].length - one[1].length);
    console.log(`drafts by concern: ${counted.map(([kind, { length }]) => `${kind} ${length}`).join(", ") || "none"}`);
  }
}

const all: Judged[] = [];
for (const name of values.mirrors === undefined ? [] : readdirSync(values.mirrors).toSorted()) {
  const folder = [join(values.mirrors ?? "", name, "repo"), join(values.mirrors ?? "", name)].find(
    (one) => existsSync(join(one, "HEAD")) || existsSync(join(one, ".git")),
  );
  if (folder === undefined) continue;
  let left = Number(values.commits);
  for (const commit of sampled(folder)) {
    if (left <= 0) break;
    const found = await judged(name, folder, commit);
    if (found.length > 0) left -= 1;
    all.push(...found);
    for (const one of found.filter(() => values.each)) {
      const told = one.concerns
        .filter((each) => needsPerson([each]))
        .map(({ kind, path, names }) => `    ${kind}: ${path} ${names.join(" | ")}`);
      if (told.length > 0) console.log([`${name} ${commit} (${one.plan})`, ...told].join("\n"));
    }
  }
}
if (all.length === 0) console.log("Skipped: give --mirrors DIR with git repositories.");
else report(all);
