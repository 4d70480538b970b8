import { constants } from "node:fs";
import { access, chmod, cp, lstat, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../workspace/plain-file.ts";
import { removeAll } from "../workspace/remove.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { GoEvents } from "./go-events.ts";
import { lineTests } from "./json-lines.ts";
import { type JunitCase, javaName, junitTests, phpunitName, pytestName } from "./junit.ts";
import { type ReportFile, foldersLike, readReports } from "./read-reports.ts";
import type { TestReport } from "./reported-test.ts";

type Variables = Readonly<Record<string, string>>;

/**
 * How runners are asked for a report, by variables that they read themselves: `value` is added to what is set already. Those
 * without a row only print (`test-runners.ts`), or write JUnit's XML by themselves (`WRITERS`).
 */
const ASKS: readonly { variable: string; value: (folder: string, set: string) => string }[] = [
  // node --test, Jest, Vitest, Mocha
  { variable: "NODE_OPTIONS", value: (folder, set) => `${set} --require="${folder}/node.cjs"` },
  {
    variable: "PYTEST_ADDOPTS",
    value: (folder, set) => `${set} '--junitxml=${folder}/pytest.xml' -o junit_family=xunit1`,
  },
  { variable: "SPEC_OPTS", value: (folder, set) => `${set} --require '${folder}/rspec.rb'` },
  // An empty entry stands for PHP's usual folder.
  { variable: "PHP_INI_SCAN_DIR", value: (folder, set) => `${set}:${folder}` },
];

/** Those whose reports are JUnit's XML in a folder of the tree, where they write them without being asked. */
const WRITERS = { maven: /\/target\/(?:surefire|failsafe)-reports$/, gradle: /\/build\/test-results\/[^/]+$/ };
const BUILT = /\b(?:mvnw?|gradlew?)\b/;

/** How the XML of a runner names its tests. */
const XML_NAMES: Readonly<Record<string, (test: JunitCase) => string>> = {
  pytest: pytestName,
  phpunit: phpunitName,
  maven: javaName,
  gradle: javaName,
};

/** Folders whose path needs no other quotes in any of the variables. */
const PLAIN_PATH = /^[\p{L}\p{N}/_.,+=@~ -]+$/u;

/** `go test` alone: other commands of Go, and programs that read what it prints, would not get what they expect. */
const GO_TEST = /^(?:cd [\w./-]+ *&& *)?go test(?: +[\w./:=,@+-]+)*$/;

/** A command's request for reports. */
export interface AskedReport {
  /** For the command: what it had, and what asks its runners. */
  environment: Variables;
  /** What a line of its output is to people; null if all are what they are. */
  textOf: ((line: string) => string) | null;
  /** After the command: what came. All of it was in reach of the code under test, and proves nothing. */
  read: () => Promise<TestReport[]>;
  /** Removes the reports. */
  close: () => Promise<void>;
}

/**
 * Asks the runners of tests that a command starts for reports of their own (R-WORK-12), in a fresh folder of its home. Neither
 * the command nor a file of the repository is changed, and no runner gets an option that an older one refuses. The names of
 * tests that pass are asked for also where they are only printed.
 */
export async function askForReports(
  command: string,
  { directory, home }: Pick<Workspace, "directory" | "home">,
  environment: Variables,
): Promise<AskedReport> {
  const { GOFLAGS = "", PYTEST_ADDOPTS = "" } = environment;
  const printing: Variables = {
    ...environment,
    GOFLAGS: `${GOFLAGS} -v`.trim(),
    PYTEST_ADDOPTS: `${PYTEST_ADDOPTS} -vv`.trim(),
  };
  const folder = await openFolder(home, environment).catch(() => null);
  if (folder === null) {
    return { environment: printing, textOf: null, read: async () => await Promise.resolve([]), close: async () => {} };
  }
  const since = (await lstat(folder)).mtimeMs;
  const isClosed = await isNodeClosed(command, directory);
  const asks = ASKS.filter(({ variable }) => !(isClosed && variable === "NODE_OPTIONS"));
  const asking = asks.map(({ variable, value }) => [variable, value(folder, printing[variable] ?? "").trim()]);
  const go = GO_TEST.test(command.trim()) && (await canRun(join(folder, GO_EXEC))) ? new GoEvents() : null;
  // Programs of Go that the tests start get the flags without it.
  const flags = go === null ? {} : { GOFLAGS: `${GOFLAGS} -json -exec=${join(folder, GO_EXEC)}`.trim() };
  return {
    environment: { ...printing, ...Object.fromEntries(asking), ...flags },
    textOf: go?.textOf ?? null,
    read: async () => {
      const asked = await readReports([folder], /^[a-z]+(?:-[\d-]+)?\.(?:jsonl|xml)$/, since);
      const reports = asked.map((file) => ({ file, runner: file.name.split(/[-.]/, 1)[0] ?? "" }));
      for (const [runner, like] of BUILT.test(command) ? Object.entries(WRITERS) : []) {
        const files = await readReports(await foldersLike(directory, like), /^TEST-.+\.xml$/, since);
        reports.push(...files.map((file) => ({ file, runner })));
      }
      const events = go?.report() ?? null;
      const read = reports.flatMap(({ file, runner }) => reportOf(runner, file, directory) ?? []);
      return events === null ? read : [...read, events];
    },
    close: async () => await removeAll(folder),
  };
}

function reportOf(runner: string, { name, text }: ReportFile, directory: string): TestReport | null {
  const nameOf = XML_NAMES[runner];
  const tests = name.endsWith(".jsonl") ? lineTests(text, directory) : nameOf && junitTests(text, nameOf);
  return tests ? { runner, tests } : null;
}

const GO_EXEC = "go-exec.sh";
const LONGEST_MANIFEST = 1024 * 1024;

/** A folder with what the runners load: nothing is running in that home, so no link can be in the way. */
async function openFolder(home: string, { GOFLAGS }: Variables): Promise<string | null> {
  if (!PLAIN_PATH.test(home)) return null;
  const folder = await mkdtemp(join(home, "test-report-"));
  await cp(join(import.meta.dirname, "helpers"), folder, { recursive: true });
  await writeFile(join(folder, "relay.ini"), `auto_prepend_file="${folder}/phpunit.php"\n`);
  const flags = GOFLAGS === undefined ? "unset GOFLAGS" : `GOFLAGS='${GOFLAGS.replaceAll("'", "'\\''")}'`;
  await writeFile(join(folder, GO_EXEC), `#!/bin/sh\n${flags}\nexec "$@"\n`);
  await chmod(join(folder, GO_EXEC), 0o700);
  return folder;
}

/** Whether Node may be started such that it reads only files that are named to it: a preloaded one would end it. */
async function isNodeClosed(command: string, directory: string): Promise<boolean> {
  const scripts = await readPlain(directory, "package.json", LONGEST_MANIFEST).catch(() => null);
  return /--(?:experimental-)?permission\b/.test(`${command}\n${scripts?.toString() ?? ""}`);
}

async function canRun(path: string): Promise<boolean> {
  if (path.includes(" ")) return false;
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
