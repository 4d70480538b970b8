import { join } from "node:path";
import { Explorer, type OpenIndex } from "../code/index/explorer.ts";
import { openRepository, type Repository } from "../code/git/repository.ts";
import { loadConfig, type Config } from "../config/config.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";

export interface OpenCode {
  index: OpenIndex;
  close: () => void;
}

/**
 * Opens the index of a repository's commit, stored below `home`. If it cannot be stored (full disk, missing permission,
 * damaged file), warns and builds it in memory: slower, but still an answer.
 */
export async function openCode(repository: Repository, home: string, warn: (why: string) => void): Promise<OpenCode> {
  const stored = await openStored(repository, home, warn);
  if (stored.kind === "open") return stored.code;
  warn(`${stored.why}; ${UNTIL_THEN}`);
  return await indexInto(await Explorer.open(repository.gitDirectory, null), repository);
}

type Stored = { kind: "open"; code: OpenCode } | { kind: "not stored"; why: string };

async function openStored(repository: Repository, home: string, warn: (why: string) => void): Promise<Stored> {
  let explorer: Explorer;
  try {
    explorer = await Explorer.open(repository.gitDirectory, home);
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "io")) throw error;
    return { kind: "not stored", why: error.message };
  }
  try {
    const code = await indexInto(explorer, repository);
    if (explorer.storeFailure !== null) warn(`${storeFailureWarning(explorer.storeFailure, home)}; ${UNTIL_THEN}`);
    return { kind: "open", code };
  } catch (error) {
    if (systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
    return { kind: "not stored", why: storeFailureWarning(messageOf(error), home) };
  }
}

const UNTIL_THEN = "until then every search reads all of the code";

function storeFailureWarning(why: string, home: string): string {
  return `the code index cannot be kept: ${why}; make room, or delete the folder ${join(home, "index")}`;
}

async function indexInto(explorer: Explorer, repository: Repository): Promise<OpenCode> {
  try {
    return { index: await explorer.at(repository), close: () => explorer.close() };
  } catch (error) {
    explorer.close();
    throw error;
  }
}

export interface OpenedCode {
  config: Config;
  repository: Repository;
  index: OpenIndex;
}

/** Runs `work` with a repository and its index open, then closes both. */
export async function withCode<T>(
  directory: string,
  { options, terminal }: { options: CommonOptions; terminal: Terminal },
  work: (code: OpenedCode) => Promise<T>,
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
