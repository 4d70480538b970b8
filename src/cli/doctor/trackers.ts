import type { Config } from "../../config/config.ts";
import type { Hosted } from "../../app/tracker-connections.ts";
import { HOSTED, openConnection } from "../../app/tracker-connections.ts";
import { probeRemote } from "../../code/mirror/probe.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";
import { TRACKER_NAMES, examineCredentials } from "./credentials.ts";
import { examineRepositoryFile } from "./repository-file.ts";

export interface Wanted {
  /** The tracker that is meant, if one is. */
  tracker?: Hosted;
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
  const usable: Hosted[] = [];
  for (const provider of HOSTED) {
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
    throw new RelayError("usage", `${wanted.project} could be on GitHub or on GitLab; say which with --tracker`);
  }
  for (const provider of usable) {
    const connection = await openConnection(provider, config, { db, clock: systemClock, sleep, log: silentLog, env });
    if (connection === null) continue;
    await examineConnection(connection, usable.length === 1 ? projects : ownOf(provider, projects), config, report);
  }
}

/** Repositories that are named in full: by the command line, or else by the configuration. */
function projectsIn({ repositories }: Config, { project }: Wanted): string[] {
  if (project !== undefined) return [project];
  return repositories.filter((name) => /^[\w.-]+(?:\/[\w.-]+)+$/.test(name)).slice(0, MOST_PROJECTS);
}

const MOST_PROJECTS = 20;

/** Where there are two trackers, names of two parts could be of either. */
function ownOf(provider: Hosted, projects: string[]): string[] {
  return provider === "gitlab" ? projects.filter((name) => name.split("/").length > 2) : [];
}

function noTracker(projects: string[]) {
  return {
    name: "trackers",
    ok: false,
    detail: `there is no access to any tracker, and so none to ${projects.join(", ")}`,
    mend: "set GITHUB_TOKEN or GITLAB_TOKEN, or make an App with `relay init --github-app`; see docs/github.md and docs/gitlab.md",
  };
}

async function examineConnection(
  connection: ForgeConnection,
  projects: string[],
  config: Config,
  report: Report,
): Promise<void> {
  const name = TRACKER_NAMES[connection.provider];
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
  await attempt(report, { name: `${TRACKER_NAMES[connection.provider]} code of ${project}`, mend }, async () => {
    const { cloneUrl } = await (await connection.tracker()).getProject(project);
    const credential = async (why: "first" | "refused") => await connection.gitCredential(project, why === "refused");
    const { defaultBranch } = await probeRemote({ url: cloneUrl, credential }, home);
    return { value: true, detail: `${cloneUrl} can be fetched; its default branch is ${defaultBranch}` };
  });
}
