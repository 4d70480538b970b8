import { matchesGlob } from "node:path/posix";
import type { Config } from "./schema.ts";

/** Whether the configuration lets Relay work in a repository of this name. Names differ by more than case. */
export function isServed(externalProjectId: string, { repositories }: Pick<Config, "repositories">): boolean {
  const name = externalProjectId.toLowerCase();
  return repositories.some((glob) => matchesGlob(name, glob.toLowerCase()));
}

/** What a stored repository is called, and was called before. */
export interface Named {
  externalProjectId: string;
  formerNames: readonly string[];
}

/** The name under which the configuration lets Relay work in a stored repository: it may have another one by now. */
export function servedName(repository: Named, config: Pick<Config, "repositories">): string | null {
  const { externalProjectId, formerNames } = repository;
  return [externalProjectId, ...formerNames.toReversed()].find((name) => isServed(name, config)) ?? null;
}
