import { existsSync, readFileSync } from "node:fs";
import type { Environment } from "../lib/secret-variable.ts";
import { isRecord } from "../lib/text.ts";
import { type Config, configFile, configWithoutFile } from "./config.ts";
import { VARIABLES } from "./variables.ts";
import { mappingIn } from "./yaml-text.ts";

/** A setting as it is in force, and where it comes from: a variable, the file, the command line, or the default. */
export interface Setting {
  key: string;
  value: string;
  from: string;
}

/** What is told only to be set: it may hold a password, or an address that is one. */
const HIDDEN = /^(?:database_url|notifications)\b|secret|token|password|api_key/i;

/** All settings in force, by key; secrets are never among them (R-SAFE-3). */
export function settingsInForce(config: Config, file: string | undefined, env: Environment): Setting[] {
  const path = configFile(file, env);
  const inFile = new Set(existsSync(path) ? flat(mappingIn(readFileSync(path, "utf8"), path)).map(([key]) => key) : []);
  const usual = new Map(flat(configWithoutFile({})));
  const variables = new Map(Object.entries(VARIABLES).map(([name, { path: keys }]) => [keys.join("."), name]));
  return flat(config)
    .map(([key, value]) => {
      const variable = variables.get(key);
      const elsewhere = usual.get(key) === value ? "default" : "command line";
      const from = variable !== undefined && env[variable] ? variable : inFile.has(key) ? path : elsewhere;
      return { key, value: HIDDEN.test(key) ? "set" : value.replace(/\/\/[^/@\s]*@/, "//…@"), from };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** `work.minutes` and its value, for each value of a mapping. */
function flat(value: unknown, at = ""): [key: string, value: string][] {
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, at === "" ? key : `${at}.${key}`));
  if (value === undefined) return [];
  return [[at, typeof value === "string" ? value : (JSON.stringify(value) ?? "")]];
}
