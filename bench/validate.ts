// What checking 200 specs costs: `npm run bench:validate [-- --openspec DIR]`, where DIR has the OpenSpec CLI in its
// node_modules. Ratios against bare Node, git, and OpenSpec in the same run; the runs of all take turns.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { median, tell, timeBeside } from "./figures.ts";

const RUNS = 5;
const SPECS = 200;
const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "relay-bench-"));
const { values } = parseArgs({ options: { openspec: { type: "string", default: root } } });
const openspec = join(values.openspec, "node_modules/@fission-ai/openspec/bin/openspec.js");

function run(program: string, args: string[]): number {
  const started = performance.now();
  // OpenSpec reports its use over the network unless it is told not to.
  const env = { ...process.env, DO_NOT_TRACK: "1", OPENSPEC_TELEMETRY: "0" };
  const result = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`${program}: ${result.stdout.slice(-400)}${result.stderr}`);
  return performance.now() - started;
}

function part(text: string, heading: string): string {
  return new RegExp(`## ${heading}\n([^]*?)(?=\n## |(?![^]))`).exec(text)?.[1]?.trim() ?? "";
}

/** The same text as an OpenSpec change: requirements as its delta, tasks as its checklist, all else in the proposal. */
function writeChange(name: string, text: string): void {
  const change = join(folder, "openspec/changes", name);
  mkdirSync(join(change, `specs/${name}`), { recursive: true });
  const rest = ["TL;DR", "Goals / Non-goals", "Decision Log", "Design", "Test Plan"].map((one) => part(text, one));
  const tasks = part(text, "Implementation Plan")
    .split("\n")
    .slice(2)
    .map((row, index) => `- [ ] 1.${index + 1} ${row}`);
  writeFileSync(
    join(change, "proposal.md"),
    `# ${name}\n\n## Why\n\n${part(text, "Problem Statement")}\n\n## What Changes\n\n${rest.join("\n\n")}\n`,
  );
  writeFileSync(join(change, "tasks.md"), `## 1. Tasks\n\n${tasks.join("\n")}\n`);
  writeFileSync(join(change, `specs/${name}/spec.md`), `## ADDED Requirements\n\n${part(text, "Success Criteria")}\n`);
}

mkdirSync(join(folder, "openspec/specs"), { recursive: true });
const samples = ["L1", "L2"].map((level) => readFileSync(join(root, `test/fixtures/specs/${level}.md`), "utf8"));
const files = Array.from({ length: SPECS }, (_, n) => {
  const text = (samples[n % samples.length] ?? "").replaceAll("Finding #1", `Finding #${n + 1}`);
  writeFileSync(join(folder, `spec-${n}.md`), text);
  writeChange(`change-${n}`, text);
  return `spec-${n}.md`;
});

const candidates: { name: string; program: string; args: string[] }[] = [
  { name: "node -e 0", program: process.execPath, args: ["-e", "0"] },
  { name: `git hash-object, ${SPECS} files`, program: "git", args: ["hash-object", ...files] },
  {
    name: `relay validate, ${SPECS} specs`,
    program: process.execPath,
    args: [join(root, "bin/relay.js"), "validate", ...files],
  },
  {
    name: `openspec validate, ${SPECS} changes`,
    program: process.execPath,
    args: [openspec, "validate", "--all", "--no-interactive"],
  },
].filter(({ args }) => args[0] !== openspec || existsSync(openspec));

const times = candidates.map((): number[] => []);
for (let round = 0; round <= RUNS; round += 1) {
  for (const [index, { program, args }] of candidates.entries()) {
    const ms = run(program, args);
    // The first round fills caches.
    if (round > 0) times[index]?.push(ms);
  }
}
const [node = Number.NaN, , own = Number.NaN, theirs] = times.map(median);
tell(timeBeside(`relay validate, ${SPECS} specs`, own, { name: "node -e 0", ms: node }));
if (theirs === undefined) {
  process.stdout.write(`(no OpenSpec CLI in ${values.openspec}/node_modules; give its folder with --openspec)\n`);
} else {
  tell(
    timeBeside(`relay validate, ${SPECS} specs`, own, { name: `openspec validate, the same as changes`, ms: theirs }),
  );
}
rmSync(folder, { recursive: true, force: true });
