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
 * How to ask runners for a report, with environment variables that they read themselves: `value` extends what is
 * already set. Other runners only print (`test-runners.ts`), or write JUnit XML unasked (`WRITERS`).
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

/** Runners that write JUnit XML into a folder of the tree without being asked, with that folder. */
const WRITERS = { maven: /\/target\/(?:surefire|failsafe)-reports$/, gradle: /\/build\/test-results\/[^/]+$/ };
const BUILT = /\b(?:mvnw?|gradlew?)\b/;

/** How tests are named in a runner's XML. */
const XML_NAMES: Readonly<Record<string, (test: JunitCase) => string>> = {
  pytest: pytestName,
  phpunit: phpunitName,
  maven: javaName,
  gradle: javaName,
};

/** Paths that need no further quoting in any of the variables. */
const PLAIN_PATH = /^[\p{L}\p{N}/_.,+=@~ -]+$/u;

/** A plain `go test`: other Go commands, and programs that read its output, would not cope with the added flags. */
const GO_TEST = /^(?:cd [\w./-]+ *&& *)?go test(?: +[\w./:=,@+-]+)*$/;

/** A command's request for reports. */
export interface AskedReport {
  /** The command's environment, extended by what asks its runners for reports. */
  environment: Variables;
  /** Turns a line of its output into what people see; null if lines stay as they are. */
  textOf: ((line: string) => string) | null;
  /** Reads the reports after the command. The code under test could write all of them, so they prove nothing. */
  read: () => Promise<TestReport[]>;
  /** Removes the reports. */
  close: () => Promise<void>;
}

/**
 * Asks the test runners that a command starts for their own reports (R-WORK-12), in a fresh folder of its home. Changes
 * neither the command nor a file of the repository, and uses no option that older runners reject. Runners that only
 * print are asked to print the names of passing tests.
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
  // Go programs that the tests start get the original flags.
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

/** Creates the folder with the files that runners load. Nothing runs in that home yet, so no link can be in the way. */
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

/** Whether Node may run with its permission model, which would make it exit when it preloads our file. */
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
