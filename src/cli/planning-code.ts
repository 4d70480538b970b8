import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import { openRepository } from "../code/git/repository.ts";
import type { Repository } from "../code/git/repository.ts";
import { openCode } from "./open-code.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";

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
