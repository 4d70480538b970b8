#!/usr/bin/env node
// Starts Relay: a checkout from its sources, a package from what was compiled. Plain JavaScript for any Node, since Relay
// itself needs one that is newer.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const sources = new URL("../src/cli/main.ts", import.meta.url);
const isCheckout = existsSync(sources);
const newer = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));

const warn = process.emitWarning.bind(process);
// Node 22 calls what Relay uses of it experimental, in each command that searches code.
process.emitWarning = (warning, ...about) => {
  if (about[0] !== "ExperimentalWarning" && about[0]?.type !== "ExperimentalWarning") warn(warning, ...about);
};

if (major > 22 || (major === 22 && minor >= 18)) {
  // Without this every start would compile everything again.
  module.enableCompileCache?.();
  // Started by an older Node, below: when that process is gone, whoever started it takes Relay for ended.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
  const { main } = await import(isCheckout ? sources.href : "../dist/cli/main.js");
  process.exitCode = await main(process.argv.slice(2));
  // Everything is stored and closed; a call to a model that nobody waits for any more would hold the process for minutes.
  setTimeout(() => process.exit(), 1_000).unref();
} else if (isCheckout && existsSync(newer)) {
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // A terminal sends these to both processes; the child decides what they mean.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
} else {
  const remedy = isCheckout
    ? "run `npm ci` in the checkout (it brings a newer one) or use Node 22.18 or later"
    : "use Node 22.18 or later (https://nodejs.org)";
  process.stderr.write(`relay: Node ${process.versions.node} is too old; ${remedy}\n`);
  process.exitCode = 2;
}
