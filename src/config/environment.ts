import type { Environment } from "../lib/secret-variable.ts";

/** The source of credentials: they are never part of the configuration, which is shown to people (R-SAFE-3). */
export function environment(given?: Environment): Environment {
  return given ?? process.env;
}
