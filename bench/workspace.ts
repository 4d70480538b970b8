// What opening a run's workspace costs: `npm run bench:workspace [FILES]`. Ratios against git clone in the same run.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { median, tell, timeBeside } from "./figures.ts";
import { systemClock } from "../src/lib/clock.ts";
import { openWorkspace } from "../src/implementation/run/workspace/open.ts";
import { prepareTree } from "../src/implementation/run/workspace/prepared-trees.ts";

const FILES = Number(process.argv[2] ?? 10_000);
const RUNS = 3;
const folder = mkdtempSync(join(tmpdir(), "relay-bench-"));
const home = join(folder, "home");
const mirror = join(folder, "mirror.git");

function git(...args: string[]): string {
  const settings = ["user.name=a", "user.email=a@example.com", "gc.auto=0"].flatMap((setting) => ["-c", setting]);
  const result = spawnSync("git", [...settings, ...args], { cwd: folder, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr}`);
  return result.stdout.trim();
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function makeMirror(): { older: string; newest: string } {
  const work = join(folder, "work");
  git("init", "--quiet", work);
  for (let n = 0; n < FILES; n += 1) {
    const path = join(work, `src/part${n % 100}/area${n % 7}/module${n}.js`);
    const body = Array.from({ length: 40 }, (_, line) => `  total${line} += price${(n * line) % 97};`).join("\n");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `export function compute${n}(order) {\n${body}\n  return order;\n}\n`);
  }
  git("-C", work, "add", ".");
  git("-C", work, "commit", "--quiet", "-m", "x");
  for (let n = 0; n < 20; n += 1) {
    writeFileSync(join(work, `src/part${n}/new.js`), `export const n = ${n};\n`);
    git("-C", work, "add", ".");
    git("-C", work, "commit", "--quiet", "-m", `x${n}`);
  }
  git("clone", "--quiet", "--bare", work, mirror);
  git("-C", mirror, "repack", "-a", "-d", "-q");
  rmSync(work, { recursive: true });
  return { older: git("-C", mirror, "rev-parse", "HEAD~10"), newest: git("-C", mirror, "rev-parse", "HEAD") };
}

const { older, newest } = makeMirror();
const RULES = { blocked: [], allowed: [], reviewed: [], deletedByPlan: [], secrets: [] };
const times = { clone: [0], far: [0], cold: [0], warm: [0], renew: [0], settle: [0], clean: [0] };
for (const list of Object.values(times)) list.length = 0;
for (let n = 0; n < RUNS; n += 1) {
  const open = async (run: string) =>
    await openWorkspace({ home, run, source: mirror, commit: newest, cacheKey: "bench" }, { clock: systemClock });
  const clone = join(folder, "clone");
  times.clone.push(await timed(() => git("clone", "--quiet", mirror, clone)));
  rmSync(clone, { recursive: true });
  times.far.push(await timed(() => git("clone", "--quiet", `file://${mirror}`, clone)));
  rmSync(clone, { recursive: true });
  times.cold.push(await timed(async () => await (await open(`cold${n}`)).close()));
  await prepareTree(home, mirror, older);
  const started = performance.now();
  const workspace = await open(`warm${n}`);
  times.warm.push(performance.now() - started);
  times.renew.push(await timed(async () => await workspace.renew()));
  writeFileSync(join(workspace.directory, "src/part0/new.js"), "changed\n");
  times.settle.push(await timed(async () => await workspace.validate(RULES)));
  workspace.prepareClean();
  // As while an agent works: the base is prepared when its commit has to be proven.
  await prepareTree(home, mirror, newest);
  times.clean.push(await timed(async () => await (await workspace.checkOutClean()).close()));
  await workspace.close();
}

const clone = { name: `git clone, ${FILES} files`, ms: median(times.clone) };
for (const [name, list] of [
  ["git clone of the mirror, as over a network", times.far],
  ["workspace opened and closed, nothing prepared", times.cold],
  ["workspace opened, prepared 10 commits before", times.warm],
  ["a new .git for the agent", times.renew],
  ["looking what was changed, one file", times.settle],
  ["clean checkout for the proof, opened and closed", times.clean],
] as const) {
  tell(timeBeside(name, median(list), clone));
}
rmSync(folder, { recursive: true, force: true });
