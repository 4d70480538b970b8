import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { distance } from "fastest-levenshtein";
import { LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";
import { z } from "zod";
import { MODES } from "./domain/issue.ts";
import { RelayError } from "./lib/errors.ts";

const key = (description: string) => ({ description });

/** `relay.yaml`. Each key says which environment variable overrides it. */
export const configSchema = z.strictObject({
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be an address like postgres://user@host/database" })
    .optional()
    .meta(key("PostgreSQL to use instead of the embedded one (DATABASE_URL).")),
  home: z.string().min(1).default(".relay").meta(key("Data directory: database, state files (RELAY_HOME).")),
  spec_root: z.string().min(1).default("relay_specs").meta(key("Folder of the local spec store (RELAY_SPEC_ROOT).")),
  model: z
    .enum(["offline"])
    .default("offline")
    .meta(key("Who plans and writes; `offline` is rules only (RELAY_MODEL).")),
  mode: z.enum(MODES).default("plan").meta(key("How far Relay goes in a repository (RELAY_MODE).")),
  log_level: z
    .enum(["debug", "info", "warn", "error"])
    .default("error")
    .meta(key("Least level of log lines on stderr (RELAY_LOG_LEVEL).")),
  bot: z
    .strictObject({
      username: z.string().min(1).default("relay").meta(key("Login that Relay acts as (BOT_USERNAME).")),
      idle_minutes: z
        .number()
        .min(0)
        .max(10_080)
        .default(10)
        .meta(key("Quiet minutes before the planner runs (BOT_IDLE_MINUTES).")),
    })
    .default({ username: "relay", idle_minutes: 10 }),
});

export type Config = z.infer<typeof configSchema>;

/** Environment variables and the keys they set; a variable wins over the file. */
const VARIABLES: Record<string, { path: string[]; kind: "text" | "number" }> = {
  DATABASE_URL: { path: ["database_url"], kind: "text" },
  RELAY_HOME: { path: ["home"], kind: "text" },
  RELAY_SPEC_ROOT: { path: ["spec_root"], kind: "text" },
  RELAY_MODEL: { path: ["model"], kind: "text" },
  RELAY_MODE: { path: ["mode"], kind: "text" },
  RELAY_LOG_LEVEL: { path: ["log_level"], kind: "text" },
  BOT_USERNAME: { path: ["bot", "username"], kind: "text" },
  BOT_IDLE_MINUTES: { path: ["bot", "idle_minutes"], kind: "number" },
};

const DEFAULT_FILE = "relay.yaml";
const SIZE_LIMIT = 256 * 1024;

/**
 * Reads the configuration: the file given, or the one `RELAY_CONFIG` names, or `relay.yaml` here if there is one;
 * then the environment. Throws `config`, naming file, line, key and mend; a misspelt key gets a suggestion.
 */
export function loadConfig(file: string | undefined, env: Record<string, string | undefined> = process.env): Config {
  const named = file ?? env["RELAY_CONFIG"];
  const path = resolve(named ?? DEFAULT_FILE);
  const values = named !== undefined || existsSync(path) ? readConfigFile(path) : {};
  for (const [variable, { path: keys, kind }] of Object.entries(VARIABLES)) {
    const text = env[variable];
    if (text === undefined || text === "") continue;
    set(values, keys, kind === "number" ? toNumber(variable, text) : text);
  }
  const parsed = configSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RelayError("config", issue ? explain(issue, named ?? DEFAULT_FILE, env) : `${path} cannot be understood`);
}

function readConfigFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new RelayError("config", `cannot read the configuration ${path}; check that it exists and is readable`, {
      cause,
    });
  }
  if (text.length > SIZE_LIMIT) throw new RelayError("config", `the configuration ${path} is larger than 256 KiB`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const error = document.errors[0];
  if (error) {
    throw new RelayError("config", `${path}:${lines.linePos(error.pos[0]).line}: not valid YAML: ${error.message}`);
  }
  const value = unfold(document, path);
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new RelayError("config", `${path}: must be a mapping of keys to values`);
  return value;
}

function unfold(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    throw new RelayError("config", `${path}: its aliases unfold to too much; write the values out`, { cause });
  }
}

function explain(issue: z.core.$ZodIssue, file: string, env: Record<string, string | undefined>): string {
  const at = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const wrong = issue.keys[0] ?? "";
    const near = nearest(wrong, keysAt(issue.path));
    const name = at === "" ? wrong : `${at}.${wrong}`;
    return `${file}: unknown key “${name}”${near === null ? "" : `; did you mean “${near}”?`}`;
  }
  const variable = Object.entries(VARIABLES).find(([, { path }]) => path.join(".") === at)?.[0];
  const place = variable !== undefined && env[variable] ? variable : `${file}: ${at}`;
  return `${place}: ${issue.message}`;
}

function keysAt(path: PropertyKey[]): string[] {
  return path[0] === "bot" ? ["username", "idle_minutes"] : Object.keys(configSchema.shape);
}

/** The closest of the known words, unless it is too far off to be meant. */
export function nearest(word: string, known: string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}

function toNumber(variable: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RelayError("config", `${variable} must be a number, not “${text}”`);
  return value;
}

function set(values: Record<string, unknown>, path: string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    values[first] = value;
    return;
  }
  const inner = values[first];
  const next = isRecord(inner) ? inner : {};
  values[first] = next;
  set(next, rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
