#!/usr/bin/env node
// Starts Relay. Plain JavaScript for any Node, since Relay itself needs one that runs TypeScript as it is.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Without this every start would strip the types again.
  module.enableCompileCache?.();
  // Started by an older Node, below: when that process is gone, whoever started it takes Relay for ended.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
  const { main } = await import("../src/cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
} else {
  const newer = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(newer)) {
    process.stderr.write(
      `relay: Node ${process.versions.node} is too old; run \`npm ci\` in the checkout (it brings a newer one) or use Node 22.18 or later\n`,
    );
    process.exit(2);
  }
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // A terminal sends these to both processes; the child decides what they mean.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}
