// All benchmarks, one after the other, in one table: `npm run bench -- [--only startup,intake] [--runs 3] [--write]
// [--cases FILE --mirrors DIR] [--openspec DIR]`. `--write` writes docs/benchmarks.md, where the tables of others stay. Exits 1
// if a benchmark cannot be run; an aim that is missed is told, and fails nothing.
import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, aimOf, median, rounded, shareOf } from "./figures.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    runs: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
    cases: { type: "string" },
    mirrors: { type: "string" },
    openspec: { type: "string" },
  },
});

interface Benchmark {
  name: string;
  /** What it measures, as the heading of its table. */
  title: string;
  args?: string[];
}

const given = (name: "cases" | "mirrors" | "openspec") => {
  const path = values[name];
  return path === undefined ? [] : [`--${name}`, resolve(path)];
};
const ALL: Benchmark[] = [
  { name: "startup", title: "Starting" },
  { name: "validate", title: "Checking specs", args: given("openspec") },
  { name: "workspace", title: "Workspaces of the coding agent" },
  { name: "context", title: "Prompts of the planner" },
  { name: "intake", title: "Taking deliveries in" },
  { name: "flood", title: "Unsigned floods" },
  { name: "readers", title: "Reading hostile text" },
  { name: "scale", title: "Growth with issues", args: ["--sizes", "S,M", "--only", "costs"] },
  ...(values.cases === undefined || values.mirrors === undefined
    ? []
    : [{ name: "explore", title: "Finding code", args: [...given("cases"), ...given("mirrors")] }]),
];
const wanted = values.only?.split(",");
const unknown = wanted?.filter((one) => !ALL.some(({ name }) => name === one)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(", ")}; there are ${ALL.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}

/** The figures of a benchmark, or null if it failed. */
async function figuresOf({ name, args = [] }: Benchmark): Promise<Figure[] | null> {
  process.stdout.write(`\n# ${name}\n`);
  const figures: Figure[] = [];
  const child = fork(join(import.meta.dirname, `${name}.ts`), args, { execArgv: ["--no-warnings"] });
  child.on("message", (figure: Figure) => figures.push(figure));
  const code = await new Promise<number | null>((done) => child.once("exit", done));
  // Some exit with 1 for an aim that they miss, which their figures tell.
  return figures.length === 0 && code !== 0 ? null : figures;
}

const MISSED = /^\| (.+?) \| (.+?) \| (.*?) \|.* \| (.+: missed) \|$/gm;
const today = new Date().toISOString().slice(0, 10);
const tables = new Map<string, string>();
for (const benchmark of ALL.filter(({ name }) => wanted?.includes(name) ?? true)) {
  const { name, title } = benchmark;
  const runs: Figure[][] = [];
  for (let run = 0; run < Number(values.runs); run += 1) {
    const figures = await figuresOf(benchmark);
    if (figures === null) process.exitCode = 1;
    else runs.push(figures);
  }
  const lines = (runs[0] ?? []).map((first) => {
    const same = runs.flatMap((run) =>
      run.filter(({ what, anchor }) => what === first.what && anchor === first.anchor),
    );
    const middle = median(same.map(({ number }) => number));
    const figure = same.find(({ number }) => number === middle) ?? first;
    const [least, most] = [
      Math.min(...same.map(({ number }) => number)),
      Math.max(...same.map(({ number }) => number)),
    ];
    const spread = same.length > 1 ? `${rounded(least)} to ${rounded(most)}` : "";
    return `| ${[figure.what, figure.value, shareOf(figure), figure.anchor ?? "", spread, aimOf(figure)].join(" | ")} |`;
  });
  tables.set(
    title,
    `${title}\n\n\`npm run bench:${name}\`, ${today}\n\n` +
      `| what | measured | ratio | to | of ${runs.length} runs | aim |\n|---|---|---|---|---|---|\n${lines.join("\n")}\n`,
  );
}

process.stdout.write(`\n${chapters(tables)}`);
if (values.write) {
  const page = join(import.meta.dirname, "../docs/benchmarks.md");
  const [head = "", ...before] = readFileSync(page, "utf8").split("\n## ");
  const kept = new Map(before.map((text) => [text.split("\n", 1)[0] ?? "", text]));
  const all = ALL.map(({ title }) => [title, tables.get(title) ?? kept.get(title)] as const);
  const on = `Printed with Node ${process.versions.node} on ${availableParallelism()} cores.`;
  writeFileSync(page, `${head.replace(/^Printed .*$/m, on).trimEnd()}\n\n${chapters(new Map(all))}`);
}

/** The tables, then what they say is missed. */
function chapters(texts: ReadonlyMap<string, string | undefined>): string {
  const shown = [...texts.values()].flatMap((text) => (text === undefined ? [] : [`## ${text}`])).join("\n");
  const missed = [...shown.matchAll(MISSED)].map(
    ([, what, value, share, aim]) => `- ${what}: ${share || value}, ${aim}`,
  );
  return `${shown}\n## Behind its aims\n\n${missed.length === 0 ? "Nothing that was measured." : missed.join("\n")}\n`;
}
