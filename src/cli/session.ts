import { loadConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { jsonLog } from "../lib/json-log.ts";
import type { Relay } from "../main.ts";
import { openRelay } from "../main.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";
import { EXIT } from "./terminal.ts";

/**
 * Opens Relay for one command and closes it again, also when the command fails or is interrupted; the embedded
 * database stops with its last user.
 */
export async function withRelay(
  options: CommonOptions,
  terminal: Terminal,
  command: (relay: Relay) => Promise<number>,
  change: (config: Config) => Config = (config) => config,
): Promise<number> {
  const config = change(loadConfig(options.config));
  const log = jsonLog(options.debug ? "debug" : config.log_level);
  const relay = await openRelay(config, { log });
  const interrupt = () => {
    terminal.err("relay: interrupted; what was stored is kept, run the same command to go on\n");
    void relay.close().finally(() => process.exit(EXIT.interrupted));
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    return await command(relay);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await relay.close();
  }
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value)}\n`);
}
