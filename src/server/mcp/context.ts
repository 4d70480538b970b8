import type { Acts } from "../../app/people/acts.ts";
import type { Viewer } from "../../app/people/viewer.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Repository } from "../../code/git/repository.ts";
import type { Orderer } from "../../code/rerank/rerank.ts";
import type { Issue } from "../../domain/issue.ts";
import type { Log } from "../../lib/log.ts";
import type { Db } from "../../storage/db.ts";
import type { StoredRepository } from "../../storage/repositories.ts";
import type { Folder } from "./folder.ts";
import type { Quote } from "./quote.ts";

/** Code that is open while it is looked at. */
export interface OpenCode {
  repository: Repository;
  index: () => Promise<OpenIndex>;
}

/** What the tools are made of; the same for all clients of a process. */
export interface McpDeps {
  /** The database, opened with the first call that needs it. Throws the reason why there is none. */
  db: () => Promise<Db>;
  acts: () => Promise<Acts>;
  /** The code of a repository that Relay knows; null for the folder at hand. */
  withCode: <T>(repository: StoredRepository | null, work: (code: OpenCode) => Promise<T>) => Promise<T>;
  /**
   * The model that orders files, or one sentence that says why there is none; absent for clients on other machines,
   * which must not cause model calls that no issue's budget limits.
   */
  ordererFor?: (code: Repository) => Promise<Orderer | string>;
  /** What the protected files of an issue's code hold, which no answer shows (R-SAFE-7). */
  secretsOf?: ((issue: Issue) => Promise<readonly string[]>) | undefined;
  /** Where the server was started; null where its clients are on other machines. */
  folder: Folder | null;
  /** Relay's login. */
  bot: string;
  version: string;
  log: Log;
}

/** The same for one client, with its viewer. */
export interface McpContext extends McpDeps {
  viewer: Viewer;
  quote: Quote;
}
