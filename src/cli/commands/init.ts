import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { type Config, configFile, configWithoutFile, loadConfig } from "../../config/config.ts";
import { webhookSecretsIn } from "../../config/secrets.ts";
import { type HostedName, HOSTED_NAMES } from "../../domain/issue.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import { openConnection } from "../../app/trackers/connections.ts";
import { environmentWith } from "../../lib/exec.ts";
import { prepareHome } from "../../app/data-directory.ts";
import { type MadeApp, appFromCode } from "../../adapters/trackers/github/app-manifest.ts";
import { HOSTED } from "../../adapters/trackers/registry.ts";
import { apiAddress } from "../../adapters/trackers/github/web-pages.ts";
import type { Check } from "../../app/doctor.ts";
import { checkText } from "../doctor/check.ts";
import { examine } from "../doctor/examine.ts";
import { type Choices, type InitFlags, choose, publicUrlIn } from "../init/choices.ts";
import { installedAgents } from "../init/coding-agents.ts";
import { interviewInTerminal, nextSteps } from "../init/interview.ts";
import { tellCodingAgents } from "../init/mcp-file.ts";
import { keepPrivate, newSecret, readSecrets, secretsFile, writeSecrets } from "../init/secrets-file.ts";
import { settingsText, withSettings } from "../init/settings-file.ts";
import { placeOfAddress, placeOfOrigin } from "../init/tracker-place.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { readFile } from "node:fs/promises";
import { sleep, systemClock } from "../../lib/clock.ts";
import { unlimited } from "../../adapters/trackers/http/quota.ts";
import { makeApp } from "../init/github-app/make-app.ts";

export interface InitOptions extends CommonOptions, InitFlags {
  force?: boolean;
  githubApp?: boolean;
  org?: string;
}

/**
 * `relay init`: writes `relay.yaml`, `.mcp.json` for coding agents and a webhook secret from flags or prompts, runs the
 * checks of `relay doctor`, and lists the remaining steps. With `--github-app` it also guides a person through creating
 * Relay's App on GitHub. Failed checks do not fail the command: usually there is no token yet.
 */
export async function init(options: InitOptions, terminal: Terminal): Promise<number> {
  checkOptions(options, terminal);
  const settings = configFile(options.config);
  const isKept = existsSync(settings) && options.force !== true;
  const shown = relative(process.cwd(), settings);
  if (isKept && options.githubApp !== true) {
    throw new RelayError("usage", `${shown} already exists; edit it, or pass --force to overwrite it`);
  }
  const before = isKept ? loadConfig(settings) : configWithoutFile();
  if (isKept && (options.repo ?? options.mode ?? options.model ?? options.agent) !== undefined) {
    throw new RelayError(
      "usage",
      `${shown} is kept, so --repo, --mode, --model and --agent do nothing; leave them out, or add --force`,
    );
  }
  const choices = isKept ? await chosenBefore(before, options, terminal) : await chosenNow(before, options, terminal);
  if (options.githubApp && choices.publicUrl === null) throw noPublicUrl();

  await prepareHome(before.home);
  const secrets = secretsFile(before.home);
  const stored = await readSecrets(secrets);
  if (options.githubApp && !options.force) refuseToReplaceApp({ config: before, secrets, stored });
  if (!isKept) await write(settings, settingsText(choices));
  const wrote = isKept ? [] : [shown];
  let app: MadeApp | null = null;
  if (options.githubApp && choices.publicUrl !== null) {
    const place = { settings, config: loadConfig(settings), secrets };
    const wanted = { ...choices, publicUrl: choices.publicUrl };
    app = await runAppSetup(wanted, { org: options.org ?? null, place }, terminal);
    wrote.push(secrets, keyFile(before), ...(isKept ? [shown] : []));
  } else if (choices.tracker !== null && (await addWebhookSecret(choices.tracker, secrets, stored))) {
    wrote.push(secrets);
  }
  return await finish({ choices, app, settings, secrets, wrote }, options, terminal);
}

function checkOptions(options: InitOptions, { interactive }: Terminal): void {
  const { githubApp, org, tracker, url, yes, json } = options;
  if (org !== undefined && githubApp !== true) throw new RelayError("usage", "--org goes with --github-app");
  if (githubApp && tracker !== undefined && tracker !== "github") {
    throw new RelayError("usage", `--github-app does not go with --tracker ${tracker}`);
  }
  const isSaid = yes ?? githubApp ?? (tracker ?? url) !== undefined;
  if (isSaid || (interactive && !json)) return;
  throw new RelayError(
    "usage",
    `there is nobody to ask: give --yes for what is found here, or --tracker ${HOSTED_NAMES.join(", ")} or none, with --url, --repo, --public-url, --model, --mode, --agent and --bot as needed`,
  );
}

async function chosenNow(before: Config, options: InitOptions, terminal: Terminal): Promise<Choices> {
  const flags: InitFlags = options.githubApp ? { ...options, tracker: "github" } : options;
  const asks = terminal.interactive && !options.json && !options.yes;
  const usualWeb = (tracker: HostedName) => HOSTED[tracker].setUp.webOf(before);
  const interview = asks ? interviewInTerminal : null;
  return await choose(flags, await placeOfOrigin("."), { usualWeb, interview, installed: await installedAgents() });
}

/** The App is created for an existing set-up. */
async function chosenBefore(before: Config, options: InitOptions, terminal: Terminal): Promise<Choices> {
  const web = options.url === undefined ? HOSTED.github.setUp.webOf(before) : placeOfAddress(options.url, "github").web;
  const asks = terminal.interactive && !options.json && !options.yes;
  const publicUrl = publicUrlIn(options) ?? before.server.public_url ?? null;
  return {
    tracker: "github",
    web,
    project: null,
    publicUrl: publicUrl ?? (asks ? await interviewInTerminal.publicUrl() : null),
    mode: before.mode,
    model: before.model,
    agent: null,
    bot: options.bot ?? null,
  };
}

function noPublicUrl(): RelayError {
  return new RelayError(
    "usage",
    "GitHub has to know where it reaches Relay: give --public-url, as https://relay.example.org",
  );
}

/** Creates a webhook secret unless there is one; true if it did. */
async function addWebhookSecret(
  tracker: HostedName,
  file: string,
  stored: Readonly<Record<string, string>>,
): Promise<boolean> {
  try {
    if (webhookSecretsIn(tracker, environmentWith(stored)).length > 0) return false;
  } catch {
    // The checks report what is wrong with the existing one.
    return false;
  }
  await writeSecrets(file, { [`${tracker.toUpperCase()}_WEBHOOK_SECRET`]: newSecret() });
  return true;
}

/** What `relay init --json` prints. */
export interface InitAnswer {
  /** Files that it wrote. */
  wrote: string[];
  /** The App of GitHub that it made; `install` is the page on which to install it. */
  app: { id: number; slug: string; install: string } | null;
  /** Whether all checks passed. */
  ok: boolean;
  checks: Check[];
  /** What to do next, one sentence each. */
  next: string[];
}

interface Done {
  choices: Choices;
  app: MadeApp | null;
  settings: string;
  secrets: string;
  wrote: string[];
}

async function finish(
  { choices, app, settings, secrets, wrote }: Done,
  { json }: InitOptions,
  terminal: Terminal,
): Promise<number> {
  const agents = await tellCodingAgents(settings);
  if (agents.wrote !== null) wrote.push(relative(process.cwd(), agents.wrote));
  if (!json) terminal.out(`Wrote ${wrote.join(", ")}.\n\n`);
  const tracker = choices.tracker === null ? {} : { tracker: choices.tracker };
  const env = environmentWith(await readSecrets(secrets));
  const hook = app === null ? await makeWebhook(choices, loadConfig(settings), env) : null;
  if (hook === "made" && !json) terminal.out(`Made the webhook of ${choices.project}.\n\n`);
  const checks = await examine({ config: () => loadConfig(settings), env, wanted: tracker }, (check) => {
    if (!json) terminal.out(checkText(check));
  });
  const steps = await nextSteps({ choices, secrets, app, hasWebhook: hook !== null });
  const next = [...steps, ...(agents.step === null ? [] : [agents.step])];
  if (json) {
    const made = app && { id: app.id, slug: app.slug, install: `${app.page}/installations/new` };
    printJson<InitAnswer>(terminal, { wrote, app: made, ok: checks.every(({ ok }) => ok), checks, next });
  } else {
    terminal.out(`\nNext:\n${next.map((step, at) => `  ${at + 1}. ${step}\n`).join("")}`);
  }
  return EXIT.done;
}

/** The webhook of the project, where Relay's token may make it; the checks tell of a token that does not work. */
async function makeWebhook({ tracker, project }: Choices, config: Config, env: Environment) {
  if (tracker === null || project === null) return null;
  try {
    const [secret] = webhookSecretsIn(tracker, env);
    const deps = { db: null, clock: systemClock, sleep, log: silentLog, env };
    const connection = secret === undefined ? null : await openConnection(tracker, config, deps);
    return connection === null || secret === undefined ? null : await connection.makeWebhook(project, secret);
  } catch (error) {
    if (error instanceof RelayError) return null;
    throw error;
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(file, text);
  } catch (cause) {
    throw new RelayError("io", `cannot write ${file}: ${messageOf(cause)}; make its folder writable`, { cause });
  }
}

/** Milliseconds that a person has to confirm the App. */
const PATIENCE_MS = 10 * 60_000;

interface Place {
  /** `relay.yaml`, which exists. */
  settings: string;
  config: Config;
  /** The file of secrets. */
  secrets: string;
}

/** Throws `usage` if an existing App would be lost. Call it before asking GitHub, which shows keys only once. */
function refuseToReplaceApp({
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

/** Lets a person create the App in the browser, and stores its id, key and webhook secret. */
async function runAppSetup(
  choices: Choices & { publicUrl: string },
  { org, place }: { org: string | null; place: Place },
  terminal: Terminal,
): Promise<MadeApp> {
  const { web, publicUrl } = choices;
  const apiUrl = apiAddress(web);
  const wanted = { web, org, name: appName(choices, org), publicUrl };
  return await makeApp(wanted, {
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
  // First the values that GitHub shows only once.
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

/** The path of the App's private key. */
function keyFile({ home }: Config): string {
  return join(home, "github-app.pem");
}

/** App names are unique across GitHub; people can change the name on GitHub's page. */
function appName({ bot, project }: Choices, org: string | null): string {
  const owner = org ?? project?.split("/")[0] ?? null;
  return (bot ?? (owner === null ? "relay" : `relay-${owner}`)).slice(0, 34);
}
