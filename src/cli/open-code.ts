import { join } from "node:path";
import { Explorer, type OpenIndex } from "../code/index/explorer.ts";
import type { IndexingOptions } from "../code/index/indexer.ts";
import { openRepository, type Repository } from "../code/git/repository.ts";
import type { Config } from "../config/config.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import { type CommonOptions, type Terminal, Interrupted } from "./terminal.ts";
import { configOf } from "./session.ts";

export interface OpenCode {
  index: OpenIndex;
  close: () => void;
}

/** Where a command says what it does. */
interface Shown {
  options: CommonOptions;
  terminal: Terminal;
}

/** Fewer files are read before anybody could see it. */
const SHOWN_FROM = 2_000;
const ERASE = "\r\u001b[K";

/**
 * Opens the index of a repository's commit, stored below `home`. If it cannot be stored (full disk, missing permission,
 * damaged file), warns and builds it in memory: slower, but still an answer. A terminal shows how far the reading is.
 * Throws `Interrupted` at SIGINT; the next command reads on from there.
 */
export async function openCode(repository: Repository, home: string, { options, terminal }: Shown): Promise<OpenCode> {
  const warn = (why: string) => terminal.err(`relay: ${why}\n`);
  const interruption = new AbortController();
  let isDrawn = false;
  const erase = () => {
    if (isDrawn) terminal.err(ERASE, true);
    isDrawn = false;
  };
  const interrupt = () => {
    erase();
    interruption.abort(new Interrupted("interrupted; the same command reads on from here"));
  };
  const progress = (done: number, total: number) => {
    if (!terminal.progress || options.json === true || total < SHOWN_FROM || interruption.signal.aborted) return;
    isDrawn = true;
    terminal.err(`${ERASE}Reading ${done.toLocaleString("en")} of ${total.toLocaleString("en")} files`, true);
  };
  const indexing = { progress, signal: interruption.signal };
  process.once("SIGINT", interrupt);
  try {
    const stored = await openStored(repository, home, { warn, indexing });
    if (stored.kind === "open") return stored.code;
    warn(`${stored.why}; ${UNTIL_THEN}`);
    return await indexInto(await Explorer.open(repository.gitDirectory, null), repository, indexing);
  } finally {
    process.off("SIGINT", interrupt);
    erase();
  }
}

type Stored = { kind: "open"; code: OpenCode } | { kind: "not stored"; why: string };

async function openStored(
  repository: Repository,
  home: string,
  { warn, indexing }: { warn: (why: string) => void; indexing: IndexingOptions },
): Promise<Stored> {
  let explorer: Explorer;
  try {
    explorer = await Explorer.open(repository.gitDirectory, home);
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "io")) throw error;
    return { kind: "not stored", why: error.message };
  }
  try {
    const code = await indexInto(explorer, repository, indexing);
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

async function indexInto(explorer: Explorer, repository: Repository, indexing: IndexingOptions): Promise<OpenCode> {
  try {
    return { index: await explorer.at(repository, indexing), close: () => explorer.close() };
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
  const config = configOf(options, terminal);
  const repository = await openRepository(directory);
  try {
    const code = await openCode(repository, config.home, { options, terminal });
    try {
      return await work({ config, repository, index: code.index });
    } finally {
      code.close();
    }
  } finally {
    await repository.close();
  }
}
