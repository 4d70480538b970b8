import { matchesGlob } from "node:path/posix";
import type { Config } from "./schema.ts";

/** Whether the configuration lets Relay work in a repository. Names differ by more than case. */
export function isServed(externalProjectId: string, { repositories }: Pick<Config, "repositories">): boolean {
  const name = externalProjectId.toLowerCase();
  return repositories.some((glob) => matchesGlob(name, glob.toLowerCase()));
}
