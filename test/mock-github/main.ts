import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startMockGithub } from "./server.ts";
import { Seed } from "./world/seed.ts";

/**
 * A mock GitHub as a process of its own, for tests that kill others:
 *
 *     node test/mock-github/main.ts [--seed FILE] [--port N] [--prefix /api/v3]
 *
 * Prints one line of JSON, its address and what the seed has come to, and runs until it is told to stop. What people
 * do, faults, webhooks and the log of requests are turned and read below `/_mock/`; see `http/control.ts`.
 */
const { values } = parseArgs({
  options: { seed: { type: "string" }, port: { type: "string" }, prefix: { type: "string" } },
});
const mock = await startMockGithub({
  seed: values.seed === undefined ? {} : Seed.parse(JSON.parse(readFileSync(values.seed, "utf8"))),
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.prefix === undefined ? {} : { prefix: values.prefix }),
});
process.stdout.write(`${JSON.stringify({ url: mock.url, planted: mock.planted })}\n`);
const end = () => void mock.close().then(() => process.exit(0));
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, end);
// Whoever started it is gone: so is its use.
process.stdin.on("end", end).resume();
