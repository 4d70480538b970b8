import type { Config } from "../../config/config.ts";
import type { HostedName } from "../../domain/issue.ts";
import { isServed, servedName } from "../../config/served-repositories.ts";
import { loginsOf } from "../../app/people/logins.ts";
import { openConnection } from "../../app/trackers/connections.ts";
import { HOSTED, HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { probeRemote } from "../../code/mirror/ls-remote.ts";
import { probePush } from "../../code/mirror/probe-push.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import { findRepository, listMovedRepositories } from "../../storage/repositories.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import { type Report, attempt } from "./check.ts";
import { REPOSITORY_FILE } from "../../config/repository-file.ts";
import { settingsFrom } from "../../app/code/repository-settings.ts";
import { missingWebhookSecret, webhookSecretsIn } from "../../config/secrets.ts";
import type { Environment } from "../../lib/secret-variable.ts";

export interface Wanted {
  /** The selected tracker, if any. */
  tracker?: HostedName;
  /** `owner/name` of a repository there. */
  project?: string;
}

interface Given {
  config: Config;
  env: Record<string, string | undefined>;
  /** Null if unavailable: the limits of trackers are then not shared with other processes. */
  db: Database | null;
  wanted: Wanted;
}

/** Checks each hosted tracker with any setting: credentials, permissions, webhooks, and access to the code. */
export async function examineTrackers({ config, env, db, wanted }: Given, report: Report): Promise<void> {
  await examineLogins(config, env, report);
  const usable: HostedName[] = [];
  for (const { name: provider } of HOSTED_PROVIDERS) {
    if (wanted.tracker !== undefined && wanted.tracker !== provider) continue;
    const isWanted = wanted.tracker === provider;
    if (await examineCredentials(provider, { config, env, isWanted }, report)) usable.push(provider);
  }
  const projects = projectsIn(config, wanted);
  if (usable.length === 0) {
    if (wanted.tracker === undefined && projects.length > 0) report(noTracker(projects));
    return;
  }
  if (usable.length > 1 && wanted.project !== undefined) {
    throw new RelayError("usage", `${wanted.project} could be on ${onOneOf(usable)}; say which with --tracker`);
  }
  for (const provider of usable) {
    const connection = await openConnection(provider, config, { db, clock: systemClock, sleep, log: silentLog, env });
    if (connection === null) continue;
    const here = usable.length === 1 ? projects : onlyAt(provider, usable, projects);
    await examineConnection(connection, here, { config, db }, report);
    if (wanted.project === undefined && db !== null) await examineNames(provider, { config, db }, report);
  }
}

/** Repositories that are named in full: by the command line, or else by the configuration. */
function projectsIn({ repositories }: Config, { project }: Wanted): string[] {
  if (project !== undefined) return [project];
  return repositories.filter((name) => /^[\w.-]+(?:\/[\w.-]+)+$/.test(name)).slice(0, MOST_PROJECTS);
}

const MOST_PROJECTS = 20;

/** The projects whose names only this one of the trackers could have. */
function onlyAt(provider: HostedName, usable: readonly HostedName[], projects: string[]): string[] {
  return projects.filter((project) =>
    usable.every((name) => HOSTED[name].isProjectName(project) === (name === provider)),
  );
}

function onOneOf(names: readonly HostedName[]): string {
  return names.map((name) => HOSTED[name].title).join(" or on ");
}

function noTracker(projects: string[]) {
  return {
    name: "trackers",
    ok: false,
    detail: `there is no access to any tracker, and so none to ${projects.join(", ")}`,
    mend: HOSTED_PROVIDERS.map(({ title, signIn }) => `${title}: ${signIn}`).join(". "),
  };
}

function notServed(project: string, { repositories }: Config) {
  return {
    name: "repositories",
    ok: false,
    detail: `${project} is not among those that Relay works in: ${repositories.join(", ")}`,
    mend: "add it to RELAY_REPOSITORIES or to repositories in relay.yaml",
  };
}

async function examineConnection(
  connection: ForgeConnection,
  projects: string[],
  { config, db }: Pick<Given, "config" | "db">,
  report: Report,
): Promise<void> {
  const name = HOSTED[connection.provider].title;
  const reported = new Set<string>();
  for (const project of projects.length === 0 ? [null] : projects) {
    const found = await connection.inspect(project);
    for (const { what, ok, detail, mend } of found) {
      const check = {
        name: what.startsWith(name) ? what : `${name} ${what}`,
        ok,
        detail,
        ...(mend === null ? {} : { mend }),
      };
      const text = JSON.stringify(check);
      // Each repository finds the same problems of the credentials again: report them once.
      if (!reported.has(text)) report(check);
      reported.add(text);
    }
    // Refused credentials would fail each of the next checks, with remedies that do not help.
    if (project === null || found.every(({ ok }) => !ok)) continue;
    const stored = db === null ? null : await findRepository(db, connection.provider, project);
    const isKnown = stored !== null && servedName(stored, config) !== null;
    if (!isKnown && !isServed(project, config)) report(notServed(project, config));
    await examineCode(connection, project, config, report);
    await examineSpecBranch(connection, { project, named: name }, config, report);
    await examineRepositoryFile(connection, { project, named: name }, config, report);
  }
}

/** Says which repositories the configuration names by an older name, or not any more. */
async function examineNames(
  provider: HostedName,
  { config, db }: { config: Config; db: Database },
  report: Report,
): Promise<void> {
  for (const repository of await listMovedRepositories(db, provider)) {
    const { externalProjectId: name } = repository;
    if (isServed(name, config)) continue;
    const served = servedName(repository, config);
    const before = served ?? repository.formerNames.at(-1);
    const detail = served === null ? "Relay does not work there any more" : "Relay goes on there";
    const mend = `put ${name} into RELAY_REPOSITORIES or repositories in relay.yaml`;
    report({ name: `the name of ${before}`, ok: true, detail: `it is called ${name} by now; ${detail}`, mend });
  }
}

async function examineCode(
  connection: ForgeConnection,
  project: string,
  { home }: Config,
  report: Report,
): Promise<void> {
  const mend = "see that Relay may read the code there, and that git on this machine gets through to that address";
  await attempt(report, { name: `${HOSTED[connection.provider].title} code of ${project}`, mend }, async () => {
    const { cloneUrl } = await (await connection.tracker()).getProject(project);
    const credential = async (why: "first" | "refused") => await connection.gitCredential(project, why === "refused");
    const { defaultBranch } = await probeRemote({ url: cloneUrl, credential }, home);
    return { value: true, detail: `${cloneUrl} can be fetched; its default branch is ${defaultBranch}` };
  });
}

/** Whether Relay may push the branch of specs. Without a setting, it needs not. */
async function examineSpecBranch(
  connection: ForgeConnection,
  { project, named }: { project: string; named: string },
  { spec_store: wanted, spec_branch: branch, spec_root: root, mode }: Config,
  report: Report,
): Promise<void> {
  if (wanted !== undefined && wanted !== "git") return;
  const row = {
    name: `${named} specs of ${project}`,
    mend: `give Relay's account ${HOSTED[connection.provider].pushNeeds} there (docs/${connection.provider}.md), and keep rules from protecting ${branch}; or set spec_store`,
  };
  await attempt(report, row, async () => {
    const { cloneUrl } = await (await connection.tracker()).getProject(project);
    const credential = async (why: "first" | "refused") => await connection.gitCredential(project, why === "refused");
    try {
      await probePush({ url: cloneUrl, credential }, branch);
      return { value: true, detail: `the branch ${branch} can be pushed` };
    } catch (error) {
      if (wanted === "git") throw error;
      if (mode === "implement") report(noPush(messageOf(error), { project, named }, connection));
      return { value: true, detail: `kept in ${root}, since ${messageOf(error)}. To keep them in git, ${row.mend}` };
    }
  });
}

/** Changes need a branch, whatever becomes of specs. */
function noPush(why: string, { project, named }: { project: string; named: string }, { provider }: ForgeConnection) {
  return {
    name: `${named} pushing to ${project}`,
    ok: false,
    detail: `${why}; so no change can be pushed`,
    mend: `give Relay's account ${HOSTED[provider].pushNeeds} there (${HOSTED[provider].docs})`,
  };
}

/** Checks a repository's own file, and whether Relay understands it. */
async function examineRepositoryFile(
  connection: ForgeConnection,
  { project, named }: { project: string; named: string },
  { mode, approval: { fast_track: fastTrack } }: Config,
  report: Report,
): Promise<void> {
  const mend = `fix ${REPOSITORY_FILE} on the default branch; docs/plan.md lists its keys`;
  await attempt(report, { name: `${named} ${REPOSITORY_FILE} of ${project}`, mend }, async () => {
    const tracker = await connection.tracker();
    // A file of a project that is not there is missing too.
    await tracker.getProject(project);
    const read = async () => await tracker.readFile(project, REPOSITORY_FILE);
    const settings = await settingsFrom(read, { mode, fastTrack });
    if (settings.problem !== null) {
      throw new RelayError("config", `${settings.problem}; until it is fixed, the mode is ${settings.mode}`);
    }
    return { value: true, detail: `mode ${settings.mode}${settings.fastTrack ? ", fast track for small issues" : ""}` };
  });
}

/**
 * Checks that the credentials and the webhook secret are set and long enough. Skips a tracker without settings, unless
 * it is asked for. Reports no values.
 *
 * @returns whether the tracker can be asked
 */
async function examineCredentials(
  provider: HostedName,
  { config, env, isWanted }: { config: Config; env: Environment; isWanted: boolean },
  report: Report,
): Promise<boolean> {
  const { title: name, signIn: mend, docs, credentials } = HOSTED[provider];
  if (!isWanted && isBlank(provider, config, env)) return false;
  const found = await attempt(report, { name: `${name} credentials`, mend }, () => {
    const detail = credentials(config, env);
    if (detail !== null) return { value: true, detail };
    throw new RelayError("config", `nothing is set that Relay could sign in to ${name} with`);
  });
  const secret = { name: `${name} webhook secret`, mend: `see “The webhook” in ${docs}` };
  await attempt(report, secret, () => {
    const secrets = webhookSecretsIn(provider, env);
    if (secrets.length === 0) throw missingWebhookSecret(provider);
    return { value: true, detail: secrets.map((one) => `${one.length} characters`).join(" and ") };
  });
  return found === true;
}

/** Checks the trackers whose accounts people log in with; nothing if none is set up. */
async function examineLogins(config: Config, env: Environment, report: Report): Promise<void> {
  const isSet = HOSTED_PROVIDERS.some(({ oauth }) => {
    try {
      return oauth(config, env) !== null;
    } catch {
      // The check reports the problem.
      return true;
    }
  });
  if (!isSet) return;
  await attempt(report, { name: "login", mend: "see “Logging in” in docs/dashboard.md" }, () => {
    const detail = loginsOf(config, env).map(
      ({ title, redirectUri }) => `${title}, with the callback URL ${redirectUri}`,
    );
    return { value: true, detail: `by ${detail.join("; by ")}` };
  });
}

function isBlank(provider: HostedName, config: Config, env: Environment): boolean {
  try {
    return HOSTED[provider].credentials(config, env) === null && webhookSecretsIn(provider, env).length === 0;
  } catch {
    // The check reports the problem.
    return false;
  }
}
