import { MODEL_ROLES } from "../adapters/models/model.ts";
import { HOSTED_PROVIDERS } from "../adapters/trackers/registry.ts";
import { STATE_LABELS } from "../domain/state-labels.ts";
import { RelayError } from "../lib/errors.ts";
import { RETENTION_KEYS } from "./retention-settings.ts";
import { ENGAGE } from "./schema.ts";

type VariableKind = "text" | "label" | "number" | "list" | "budget" | "retention" | "flag" | "engage" | "json";

/** Keys of `work` by the kinds of their values; the others have variables of other names. */
const WORK_KEYS = {
  text: ["patch", "container.command", "container.image", "scan_command"],
  list: [
    "command",
    "private_network",
    "models",
    "readable",
    "certificates",
    "blocked_paths",
    "allowed_paths",
    "review_paths",
    "network",
    "environment",
  ],
  number: [
    "concurrency",
    "minutes",
    "iterations",
    "iteration_minutes",
    "check_minutes",
    "requests_per_minute",
    "memory_mb",
    "processes",
    "disk_mb",
    "files",
  ],
  budget: ["usd", "tokens"],
} as const satisfies Partial<Record<VariableKind, readonly string[]>>;

function workVariables(kind: keyof typeof WORK_KEYS): [string, { path: string[]; kind: VariableKind }][] {
  return WORK_KEYS[kind].map((key) => {
    const path = ["work", ...key.split(".")];
    return [`RELAY_${path.join("_").toUpperCase()}`, { path, kind }];
  });
}

/** Environment variables and the keys they set; variables override the file. */
export const VARIABLES: Record<string, { path: string[]; kind: VariableKind }> = {
  DATABASE_URL: { path: ["database_url"], kind: "text" },
  RELAY_HOME: { path: ["home"], kind: "text" },
  RELAY_SPEC_ROOT: { path: ["spec_root"], kind: "text" },
  RELAY_SPEC_STORE: { path: ["spec_store"], kind: "text" },
  RELAY_SPEC_BRANCH: { path: ["spec_branch"], kind: "text" },
  RELAY_MODEL: { path: ["model"], kind: "text" },
  ...Object.fromEntries(
    MODEL_ROLES.map((role) => [`RELAY_MODEL_${role.toUpperCase()}`, { path: ["models", role], kind: "text" }]),
  ),
  RELAY_MODEL_FALLBACK: { path: ["models", "fallback"], kind: "list" },
  RELAY_MODEL_BASE_URL: { path: ["models", "base_url"], kind: "text" },
  RELAY_MODEL_PRICES: { path: ["models", "prices"], kind: "text" },
  RELAY_MODEL_ANSWER_SECONDS: { path: ["models", "timeouts", "answer_seconds"], kind: "number" },
  RELAY_MODEL_SILENCE_SECONDS: { path: ["models", "timeouts", "silence_seconds"], kind: "number" },
  RELAY_MODEL_RUN_FACTOR: { path: ["models", "timeouts", "run_factor"], kind: "number" },
  RELAY_MODEL_TRIES: { path: ["models", "timeouts", "tries"], kind: "number" },
  RELAY_MODEL_STEPS: { path: ["models", "timeouts", "steps"], kind: "number" },
  RELAY_MODEL_EXPLORE_STEPS: { path: ["models", "timeouts", "explore_steps"], kind: "number" },
  RELAY_BUDGET_ISSUE_USD: { path: ["budgets", "issue_usd"], kind: "budget" },
  RELAY_BUDGET_REPOSITORY_DAY_USD: { path: ["budgets", "repository_day_usd"], kind: "budget" },
  RELAY_BUDGET_WORKSPACE_MONTH_USD: { path: ["budgets", "workspace_month_usd"], kind: "budget" },
  RELAY_BUDGET_UNPRICED_USD_PER_MILLION: { path: ["budgets", "unpriced_usd_per_million"], kind: "number" },
  RELAY_EXPLORE_PROTECT: { path: ["explore", "protect"], kind: "list" },
  RELAY_LINK_HOSTS: { path: ["link_hosts"], kind: "list" },
  RELAY_MODE: { path: ["mode"], kind: "text" },
  ...Object.fromEntries(
    Object.keys(STATE_LABELS).map((key) => [
      `RELAY_LABEL_${key.toUpperCase()}`,
      { path: ["labels", key], kind: "label" },
    ]),
  ),
  RELAY_LOG_LEVEL: { path: ["log_level"], kind: "text" },
  RELAY_CONCURRENCY: { path: ["concurrency"], kind: "number" },
  RELAY_HOST: { path: ["server", "host"], kind: "text" },
  RELAY_PORT: { path: ["server", "port"], kind: "number" },
  RELAY_AGENT: { path: ["work", "agent"], kind: "text" },
  RELAY_SANDBOX: { path: ["work", "sandbox"], kind: "text" },
  ...Object.fromEntries((["text", "list", "number", "budget"] as const).flatMap(workVariables)),
  ...Object.fromEntries(
    RETENTION_KEYS.map((key) => [
      `RELAY_RETENTION_${key.toUpperCase()}`,
      { path: ["retention", key], kind: "retention" },
    ]),
  ),
  RELAY_APPROVAL_PEOPLE: { path: ["approval", "people"], kind: "list" },
  RELAY_APPROVAL_THUMBS_UP: { path: ["approval", "thumbs_up"], kind: "flag" },
  RELAY_APPROVAL_FAST_TRACK: { path: ["approval", "fast_track"], kind: "flag" },
  RELAY_TRUSTED_PROXIES: { path: ["server", "trusted_proxies"], kind: "number" },
  RELAY_PUBLIC_URL: { path: ["server", "public_url"], kind: "text" },
  RELAY_NOTIFICATIONS: { path: ["notifications"], kind: "json" },
  RELAY_REPOSITORIES: { path: ["repositories"], kind: "list" },
  ...Object.fromEntries(HOSTED_PROVIDERS.flatMap(({ variables }) => Object.entries(variables))),
  BOT_USERNAME: { path: ["bot", "username"], kind: "text" },
  BOT_IDLE_MINUTES: { path: ["bot", "idle_minutes"], kind: "number" },
  BOT_ENGAGE: { path: ["bot", "engage"], kind: "engage" },
  BOT_RESPOND_TO_BOTS: { path: ["bot", "respond_to_bots"], kind: "flag" },
};

/** Parses a variable. Throws `config` for an invalid value. */
export function valueOf(kind: VariableKind, variable: string, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "label":
      return text === "off" ? "" : text;
    case "list":
      return listIn(variable, text);
    case "budget":
      return text === "off" ? text : toNumber(variable, text);
    case "retention":
      return text === "never" ? text : toNumber(variable, text);
    case "number":
      return toNumber(variable, text);
    case "flag":
      return toFlag(variable, text);
    case "json":
      return jsonIn(variable, text);
    case "engage":
      return ENGAGE.some((one) => one === text) ? text : valueOf("list", variable, text);
    default:
      return kind satisfies never;
  }
}

function toNumber(variable: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RelayError("config", `${variable} must be a number, not “${text}”`);
  return value;
}

function listIn(variable: string, text: string): string[] {
  if (/^\s*\[.*\]\s*$/s.test(text)) {
    throw new RelayError("config", `${variable} must have commas between its parts, and no brackets, not “${text}”`);
  }
  return text.split(",").map((item) => item.trim());
}

function toFlag(variable: string, text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new RelayError("config", `${variable} must be true or false, not “${text}”`);
}

function jsonIn(variable: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new RelayError("config", `${variable} must be JSON, as docs/notifications.md shows`);
  }
}
