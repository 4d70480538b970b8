// What starting costs: `npm run bench:startup`. Ratios against bare Node and git in the same run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, tell, timeBeside } from "./figures.ts";

const RUNS = 9;
const relay = join(import.meta.dirname, "../bin/relay.js");
const folder = mkdtempSync(join(tmpdir(), "relay-bench-"));

function run(program: string, args: string[], cwd = folder): number {
  const started = performance.now();
  const result = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${result.stderr}`);
  return performance.now() - started;
}

function repeat(once: () => number, runs = RUNS): number {
  once();
  return median(Array.from({ length: runs }, once));
}

/** A repository of as many files as asked for, with a bug in one of them. */
function makeRepository(files: number): string {
  const repository = join(folder, `repository-${files}`);
  run("git", ["init", "--quiet", repository]);
  for (let n = 0; n < files; n += 1) {
    const body = Array.from({ length: 40 }, (_, line) => `  total${line} += price${(n * line) % 97};`).join("\n");
    writeFileSync(
      join(repository, `module${n}.js`),
      `export function compute${n}(order) {\n${body}\n  return order;\n}\n`,
    );
  }
  run("git", ["-C", repository, "add", "."]);
  run("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "x"]);
  return repository;
}

const node = repeat(() => run(process.execPath, ["-e", "0"]));
const help = repeat(() => run(process.execPath, [relay, "--help"]));
const repository = makeRepository(1_000);
const grep = repeat(() => run("git", ["-C", repository, "grep", "--count", "total7", "HEAD"]));
writeFileSync(
  join(folder, "issue.md"),
  "# compute7 is wrong\n\ncompute7 returns the order instead of its total. I expected the total.\n",
);
const explore = (own: string) => run(process.execPath, [relay, "explore", "compute7", "--repo", repository], own);
const warm = repeat(() => explore(folder));
let home = 0;
const first = repeat(() => {
  home += 1;
  const own = join(folder, `home-${home}`);
  run("mkdir", [own]);
  return explore(own);
}, 3);
const cold = repeat(() => {
  home += 1;
  const own = join(folder, `home-${home}`);
  run("mkdir", [own]);
  return run(process.execPath, [relay, "spec", join(folder, "issue.md"), "--repo", repository, "--yes"], own);
}, 3);

const bare = { name: "node -e 0", ms: node };
tell(timeBeside("relay --help", help, bare));
tell(timeBeside("relay explore, 1,000 files, first", first, bare));
tell(timeBeside("relay explore, 1,000 files, again", warm, bare));
tell(timeBeside("relay explore, 1,000 files, again, beside git", warm, { name: "git grep", ms: grep }));
tell(timeBeside("relay spec --yes, 1,000 files, new home", cold, bare));
rmSync(folder, { recursive: true, force: true });
