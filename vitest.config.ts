import { availableParallelism } from "node:os";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { defineConfig } from "vitest/config";
import { LiveReporter } from "./test/support/live-reporter.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

/** Stories of whole processes: the command line, servers, kills, sandboxes. */
const E2E = ["test/e2e/**/*.test.ts", "src/**/*.e2e.test.ts"];
/** Long tests of one part: a landing runs them. */
const LONG_ONES = ["{src,test}/**/*.long.test.ts"];
/** Those of the stories of processes that show within minutes whether a package, an upgrade, a server and a kill still end well. */
const SMOKE = ["test/e2e/{package,serve,upgrade}.test.ts", "test/e2e/faults/kill.test.ts"];
/** Stories of an issue in one process, with a database, git and mock trackers; each takes many seconds. */
const STORIES = ["{src,test}/**/*.story.test.ts"];
/** The folders whose tests may call `freshDatabase`. */
const DATABASE = [
  "test/{app,approval,budget,engine,hostile,implementation,intake,notify,plan,planner,server,storage}/**/*.test.ts",
  "src/{storage,dossier,engine,intake,notify,budget,implementation/pull-request,adapters/trackers/{local,http}}/**/*.test.ts",
  "src/implementation/*.test.ts",
];

const SERVER = { globalSetup: ["test/support/database-server.ts"] };
/** Files that share a worker load the sources once: a test that changes its process changes it back. */
const SHARED = { isolate: false };

const LONG = { testTimeout: 900_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };

/** Each test file belongs to one project (test/projects.test.ts). `npm test` runs the first two, a landing the next two as well. */
const projects: TestProjectInlineConfiguration[] = [
  {
    test: {
      name: "unit",
      include: ["{src,test}/**/*.test.ts"],
      exclude: [...DATABASE, ...LONG_ONES, ...STORIES, ...E2E],
      ...SHARED,
    },
  },
  { test: { name: "database", include: DATABASE, exclude: [...LONG_ONES, ...STORIES, ...E2E], ...SERVER, ...SHARED } },
  { test: { name: "long", include: LONG_ONES, ...SERVER, ...SHARED } },
  { test: { name: "smoke", include: SMOKE, ...SERVER, ...LONG } },
  { test: { name: "story", include: STORIES, exclude: E2E, ...SERVER, ...SHARED } },
  { test: { name: "e2e", include: E2E, exclude: SMOKE, ...SERVER, ...LONG } },
].map((project) => ({ ...project, extends: true }));

export default defineConfig({
  test: {
    projects,
    setupFiles: ["test/support/properties.ts"],
    // Expressions are compiled once, not for the first use and again for the second.
    execArgv: ["--no-regexp-tier-up"],
    sequence: { sequencer: LongestFirst },
    // Most tests wait for a process, a disk or a clock: two for each core take less than half the time of one.
    maxWorkers: availableParallelism() * 2,
    retry: Number(process.env["RELAY_TEST_RETRIES"] ?? 0),
    reporters: ["default", new LiveReporter()],
    // They bound what hangs. A machine that is busy with other things may take ten times as long as usual.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
