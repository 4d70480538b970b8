import type { Config } from "../../config/config.ts";
import type { HostedName } from "../../domain/issue.ts";
import { openConnection } from "../../app/tracker-connections.ts";
import { HOSTED, HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { probeRemote } from "../../code/mirror/ls-remote.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";
import { examineCredentials } from "./credentials.ts";
import { examineRepositoryFile } from "./repository-file.ts";

export interface Wanted {
  /** The tracker that is meant, if one is. */
  tracker?: HostedName;
  /** `owner/name` of a repository there. */
  project?: string;
}

interface Given {
  config: Config;
  env: Record<string, string | undefined>;
  /** Null where it cannot be had: then the limits of trackers are not shared with other processes. */
  db: Database | null;
  wanted: Wanted;
}

/** Each hosted tracker that something is set for: credentials, what they may, webhooks, and the way to the code. */
export async function examineTrackers({ config, env, db, wanted }: Given, report: Report): Promise<void> {
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
    await examineConnection(
      connection,
      usable.length === 1 ? projects : onlyAt(provider, usable, projects),
      config,
      report,
    );
  }
}

/** Repositories that are named in full: by the command line, or else by the configuration. */
function projectsIn({ repositories }: Config, { project }: Wanted): string[] {
  if (project !== undefined) return [project];
  return repositories.filter((name) => /^[\w.-]+(?:\/[\w.-]+)+$/.test(name)).slice(0, MOST_PROJECTS);
}

const MOST_PROJECTS = 20;

/** Of the projects those whose names only this one of the trackers could have. */
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

async function examineConnection(
  connection: ForgeConnection,
  projects: string[],
  config: Config,
  report: Report,
): Promise<void> {
  const name = HOSTED[connection.provider].title;
  const told = new Set<string>();
  for (const project of projects.length === 0 ? [null] : projects) {
    for (const { what, ok, detail, mend } of await connection.inspect(project)) {
      const check = {
        name: what.startsWith(name) ? what : `${name} ${what}`,
        ok,
        detail,
        ...(mend === null ? {} : { mend }),
      };
      const text = JSON.stringify(check);
      // What is true of the credentials is found anew with each repository.
      if (!told.has(text)) report(check);
      told.add(text);
    }
    if (project === null) continue;
    await examineCode(connection, project, config, report);
    await examineRepositoryFile(connection, { project, named: name }, config, report);
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
