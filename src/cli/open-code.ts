import { join } from "node:path";
import type { OpenIndex } from "../code/index/explorer.ts";
import { Explorer } from "../code/index/explorer.ts";
import type { Repository } from "../code/git/repository.ts";
import { openRepository } from "../code/git/repository.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/config.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";

export interface OpenCode {
  index: OpenIndex;
  close: () => void;
}

/**
 * The index of a repository's commit, kept below `home`. Where it cannot be kept (a full disk, a folder that is not
 * ours, a damaged file), it is made in memory, and `warn` is told: slower, and no reason not to answer.
 */
export async function openCode(repository: Repository, home: string, warn: (why: string) => void): Promise<OpenCode> {
  const kept = await openKept(repository, home, warn);
  if (kept.kind === "open") return kept.code;
  warn(`${kept.why}; ${UNTIL_THEN}`);
  return await readInto(await Explorer.open(repository.gitDirectory, null), repository);
}

type Kept = { kind: "open"; code: OpenCode } | { kind: "not kept"; why: string };

async function openKept(repository: Repository, home: string, warn: (why: string) => void): Promise<Kept> {
  let explorer: Explorer;
  try {
    explorer = await Explorer.open(repository.gitDirectory, home);
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "io")) throw error;
    return { kind: "not kept", why: error.message };
  }
  try {
    const code = await readInto(explorer, repository);
    if (explorer.unkept !== null) warn(`${unkept(explorer.unkept, home)}; ${UNTIL_THEN}`);
    return { kind: "open", code };
  } catch (error) {
    if (systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
    return { kind: "not kept", why: unkept(messageOf(error), home) };
  }
}

const UNTIL_THEN = "until then every search reads all of the code";

function unkept(why: string, home: string): string {
  return `the code index cannot be kept: ${why}; make room, or delete the folder ${join(home, "index")}`;
}

async function readInto(explorer: Explorer, repository: Repository): Promise<OpenCode> {
  try {
    return { index: await explorer.at(repository), close: () => explorer.close() };
  } catch (error) {
    explorer.close();
    throw error;
  }
}

export interface PlanningCode {
  config: Config;
  repository: Repository;
  index: OpenIndex;
}

/** Does the work with a repository and its index open, and closes both. */
export async function withCode<T>(
  directory: string,
  { options, terminal }: { options: CommonOptions; terminal: Terminal },
  work: (code: PlanningCode) => Promise<T>,
): Promise<T> {
  const config = loadConfig(options.config);
  const repository = await openRepository(directory);
  try {
    const code = await openCode(repository, config.home, (why) => terminal.err(`relay: ${why}\n`));
    try {
      return await work({ config, repository, index: code.index });
    } finally {
      code.close();
    }
  } finally {
    await repository.close();
  }
}
