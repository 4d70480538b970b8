import { loadConfig, type Config } from "../config/config.ts";
import { environment } from "../config/environment.ts";
import { unusedSettings } from "../config/unused-settings.ts";
import { sleep } from "../lib/clock.ts";
import { jsonLog } from "../lib/json-log.ts";
import { type Log, silentLog } from "../lib/log.ts";
import type { OpenOptions, Relay } from "../app/relay.ts";
import { type CommonOptions, type Terminal, EXIT } from "./terminal.ts";

/** Grace period of an interrupted command, in milliseconds; a second signal ends it at once. */
const LEAVE_MS = 60_000;

/**
 * Opens Relay for one command and closes it afterwards, also if the command fails or is interrupted; the embedded
 * database stops with its last user.
 */
export async function withRelay<T>(
  options: CommonOptions,
  terminal: Terminal,
  command: (relay: Relay) => Promise<T>,
  change: (config: Config) => Config = (config) => config,
): Promise<T> {
  const config = change(configOf(options, terminal));
  return await orInterrupted(terminal, openRelay(config, { log: commandLog(options, config) }), command);
}

/** The configuration; warns on stderr about settings that have no effect. */
export function configOf({ config: file }: Pick<CommonOptions, "config">, terminal: Pick<Terminal, "err">): Config {
  const config = loadConfig(file);
  for (const sentence of unusedSettings(config, environment())) terminal.err(`relay: ${sentence}\n`);
  return config;
}

/** The log of a command: failures are reported in a sentence of their own, so log lines appear only on request. */
export function commandLog({ debug }: CommonOptions, { log_level: level }: Pick<Config, "log_level">): Log {
  if (debug) return jsonLog("debug");
  return level === undefined ? silentLog : jsonLog(level);
}

/** Lazy: most of Relay is behind this import, and wrong arguments should be rejected at once. */
export async function openRelay(config: Config, options: OpenOptions): Promise<Relay> {
  const main = await import("../app/relay.ts");
  return await main.openRelay(config, options);
}

/** Runs the command once Relay is open; an interruption closes Relay and ends the program. */
export async function orInterrupted<T>(
  terminal: Terminal,
  opening: Promise<Relay>,
  command: (relay: Relay) => Promise<T>,
): Promise<T> {
  let interrupted = false;
  const listen = () => {
    process.on("SIGINT", interrupt);
    process.on("SIGTERM", interrupt);
  };
  const listenNoMore = () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  };
  const interrupt = () => {
    interrupted = true;
    // A second signal ends the program at once.
    listenNoMore();
    terminal.err("relay: interrupted; what was stored is kept, run the same command to continue\n");
    const closed = opening.then(async (relay) => await relay.close());
    void Promise.race([closed, sleep(LEAVE_MS)]).then(leave, leave);
  };
  listen();
  try {
    const relay = await opening;
    try {
      return await command(relay);
    } finally {
      await relay.close();
    }
  } catch (error) {
    if (!interrupted) throw error;
    // The command failed because everything was closed under it; the program ends in a moment.
    return await new Promise<never>(() => {});
  } finally {
    listenNoMore();
  }
}

const leave = () => process.exit(EXIT.interrupted);
