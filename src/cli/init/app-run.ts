import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { Config } from "../../config/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { MadeApp } from "../../adapters/trackers/github/app-manifest.ts";
import { appFromCode } from "../../adapters/trackers/github/app-manifest.ts";
import { apiAddress } from "../../adapters/trackers/github/web-pages.ts";
import { unlimited } from "../../adapters/trackers/http/quota.ts";
import type { Terminal } from "../terminal.ts";
import type { Choices } from "./choices.ts";
import { makeApp } from "./github-app/make-app.ts";
import { keepPrivate, writeSecrets } from "./secrets-file.ts";
import { withSettings } from "./settings-file.ts";

/** Milliseconds that a person has to confirm the App. */
const PATIENCE_MS = 10 * 60_000;

interface Place {
  /** `relay.yaml`, which is there. */
  settings: string;
  config: Config;
  /** The file of secrets. */
  secrets: string;
}

/** Throws `usage` where an App of before would be lost. GitHub is asked only afterwards: it gives keys once. */
export function refuseToReplaceApp({
  config,
  secrets,
  stored,
}: Omit<Place, "settings"> & { stored: Readonly<Record<string, string>> }): void {
  const key = keyFile(config);
  const there =
    config.github.app_id !== undefined
      ? `the App ${config.github.app_id} is set already`
      : existsSync(key)
        ? `${key} holds the key of an App`
        : stored["GITHUB_WEBHOOK_SECRET"] !== undefined
          ? `${secrets} holds a GITHUB_WEBHOOK_SECRET, which the App's own would replace`
          : null;
  if (there !== null) throw new RelayError("usage", `${there}; repeat with --force to make another App`);
}

/** Lets a person make the App in the browser, and puts its id, key and webhook secret where Relay reads them. */
export async function runAppSetup(
  choices: Choices & { publicUrl: string },
  { org, place }: { org: string | null; place: Place },
  terminal: Terminal,
): Promise<MadeApp> {
  const { web, publicUrl } = choices;
  const apiUrl = apiAddress(web);
  const wish = { web, org, name: appName(choices, org), publicUrl };
  return await makeApp(wish, {
    exchange: async (code) => await appFromCode(apiUrl, code, { quotas: unlimited, clock: systemClock }),
    keep: async (app) => await keepApp(app, { apiUrl, publicUrl, place }),
    announce: (address) => {
      const { port } = new URL(address);
      terminal.err(`Open this page in a browser on this machine, within 10 minutes:\n\n  ${address}\n\n`);
      terminal.err(`(From another machine, first: ssh -L ${port}:127.0.0.1:${port} THIS-MACHINE)\n`);
    },
    warn: (why) => terminal.err(`relay: ${why}\n`),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

async function keepApp(
  app: MadeApp,
  { apiUrl, publicUrl, place }: { apiUrl: string; publicUrl: string; place: Place },
): Promise<void> {
  const { config, settings, secrets } = place;
  // First what GitHub does not tell again.
  await keepPrivate(keyFile(config), app.privateKey);
  await writeSecrets(secrets, { GITHUB_WEBHOOK_SECRET: app.webhookSecret });
  const changes = new Map<readonly string[], unknown>([
    [["github", "app_id"], app.id],
    [["github", "private_key_file"], keyFile(config)],
  ]);
  if (config.github.api_url !== apiUrl) changes.set(["github", "api_url"], apiUrl);
  if (config.server.public_url !== publicUrl) changes.set(["server", "public_url"], publicUrl);
  await writeFileAtomic(settings, withSettings(await readFile(settings, "utf8"), changes));
}

/** Where the App's private key is kept. */
export function keyFile({ home }: Config): string {
  return join(home, "github-app.pem");
}

/** Names of Apps are unique on all of GitHub; the page of GitHub lets people choose another one. */
function appName({ bot, project }: Choices, org: string | null): string {
  const owner = org ?? project?.split("/")[0] ?? null;
  return (bot ?? (owner === null ? "relay" : `relay-${owner}`)).slice(0, 34);
}
