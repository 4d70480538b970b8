import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/database-server.ts"],
    // Most tests wait for a process, a disk or a clock: two for each core take less than half the time of one.
    maxWorkers: availableParallelism() * 2,
    // They bound what hangs. A machine that is busy with other things may take ten times as long as usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
