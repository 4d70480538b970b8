import { distance } from "fastest-levenshtein";
import { HOSTED_PROVIDERS } from "../adapters/trackers/registry.ts";
import type { Environment } from "../lib/secret-variable.ts";
import { VARIABLES } from "./variables.ts";
import { RENAMED_VARIABLES } from "./renamed.ts";
import { type Config, ENGAGE } from "./schema.ts";
import { nearest } from "./yaml-text.ts";

/** Secrets, each also with `_FILE` behind its name. */
const SECRETS = [
  "RELAY_ADMIN_TOKEN",
  "RELAY_METRICS_TOKEN",
  "RELAY_MODEL_API_KEY",
  ...HOSTED_PROVIDERS.flatMap(({ name }) =>
    ["TOKEN", "WEBHOOK_SECRET", "CLIENT_SECRET", "PRIVATE_KEY"].map((secret) => `${name.toUpperCase()}_${secret}`),
  ),
];

/** What Relay reads of the environment by names of its own, and what its action, its deployments and its docs set. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(VARIABLES),
  ...Object.keys(RENAMED_VARIABLES),
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`]),
  "RELAY_CONFIG",
  "RELAY_FILE",
  "RELAY_IMAGE",
  "RELAY_MINUTES",
  "RELAY_PACKAGE",
  "RELAY_STATE",
  "RELAY_TOKEN",
  "RELAY_JEST_REPORT",
  "RELAY_VITEST_REPORT",
]);

/** Relay's own tests, and what Kubernetes sets for a Service that is called `relay` or begins so. */
const OTHERS = /^RELAY_(?:TEST_|(?:\w+_)?SERVICE_(?:HOST|PORT)|(?:\w+_)?PORT_\d+_(?:TCP|UDP|SCTP))/;
const OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//;

/**
 * What is set and does nothing, a sentence each without its full stop: variables that nobody reads, and settings that
 * need another one. No reason to refuse to work: other programs may have variables of such names.
 */
export function unusedSettings(config: Config, env: Environment): string[] {
  return [...unknownVariables(config, env), ...withoutEffect(config, env)];
}

function unknownVariables({ notifications, work }: Config, env: Environment): string[] {
  const named = notifications.flatMap(({ url_env: url, secret_env: secret }) => [url, secret]);
  const chosen = new Set([...named.flatMap((name) => [name, `${name}_FILE`]), ...work.environment]);
  const isKnown = (name: string) => KNOWN.has(name) || chosen.has(name) || OTHERS.test(name);
  return Object.entries(env)
    .filter(([name, value]) => value !== undefined && value !== "" && !isKnown(name) && !OF_KUBERNETES.test(value))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name]) => {
      const meant = name.startsWith("RELAY_") ? similar(name) : misspelt(name);
      if (meant.length > 0) return [`${name} is no variable of Relay's; did you mean ${meant.join(" or ")}?`];
      return name.startsWith("RELAY_") ? [`${name} is no variable of Relay's, and changes nothing`] : [];
    });
}

/** From this length on, a name may be known by its part after `RELAY_`. */
const TELLING = 8;
const MOST_MEANT = 3;

/** The known names that are closest, as a whole or without the part before the first `_`. */
function similar(name: string): string[] {
  const tail = withoutPrefix(name);
  const scored = [...KNOWN].map((known) => {
    const tails = tail.length < TELLING ? [] : [distance(tail, known), distance(tail, withoutPrefix(known))];
    return { known, steps: Math.min(distance(name, known), ...tails.map((steps) => steps + 1)) };
  });
  const least = Math.min(...scored.map(({ steps }) => steps));
  if (least > Math.max(2, Math.floor(name.length / 6))) return [];
  // Two letters that are swapped are two steps.
  const most = Math.max(least, 2);
  const meant = scored.filter(({ steps }) => steps <= most).toSorted((a, b) => a.steps - b.steps);
  return meant.map(({ known }) => known).slice(0, MOST_MEANT);
}

const SHARED = ["BOT_", ...HOSTED_PROVIDERS.map(({ name }) => `${name.toUpperCase()}_`)];

/** A tracker's token with a letter missing: others have their own variables of such names, so only a slip is one. */
function misspelt(name: string): string[] {
  if (!SHARED.some((start) => name.startsWith(start))) return [];
  return [...KNOWN].filter((known) => distance(name, known) <= 2 && !name.startsWith(`${known}_`)).slice(0, MOST_MEANT);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf("_") + 1);
}

function withoutEffect({ bot, work, model, models }: Config, env: Environment): string[] {
  const { timeouts: _timeouts, prices: _prices, base_url: address, fallback, ...roles } = models;
  const isOffline = [model, ...Object.values(roles)].every((name) => name === undefined || name === "offline");
  const { agent = "none" } = work;
  return [
    ...(typeof bot.engage === "string" ? [] : bot.engage.flatMap(wordsAsLogins)),
    ...only(
      "work.command",
      work.command !== undefined && !["command", "acp"].includes(agent),
      "work.agent command or acp",
      agent,
    ),
    ...only("work.patch", work.patch !== undefined && agent !== "script", "work.agent script", agent),
    ...only(
      "work.container",
      work.container !== undefined && work.sandbox !== "container",
      "work.sandbox container",
      work.sandbox,
    ),
    ...only("models.base_url", address !== undefined && isOffline, "a model", "offline"),
    ...only("models.fallback", (fallback ?? []).length > 0 && isOffline, "a model", "offline"),
    ...work.environment
      .filter((name) => env[name] === undefined)
      .map((name) => `work.environment passes ${name} on, which is not set`),
  ];
}

function only(key: string, isUnused: boolean, needs: string, has: string): string[] {
  return isUnused ? [`${key} is set, and used only with ${needs}, which is ${has}`] : [];
}

/** `[trage]` and `[write, mia]` are lists of logins, in which a word means nobody. */
function wordsAsLogins(name: string): string[] {
  const word = nearest(name, [...ENGAGE]);
  if (word === null || distance(name, word) > 1) return [];
  return [
    `bot.engage (BOT_ENGAGE) takes “${name}” for a login; did you mean the word “${word}”, which has to stand alone?`,
  ];
}
