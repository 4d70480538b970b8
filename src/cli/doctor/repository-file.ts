import type { Config } from "../../config/config.ts";
import { REPOSITORY_FILE } from "../../config/repository-file.ts";
import { RelayError } from "../../lib/errors.ts";
import { settingsFrom } from "../../app/repository-settings.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";

/** What a repository says of itself, and whether Relay understands it. */
export async function examineRepositoryFile(
  connection: ForgeConnection,
  { project, named }: { project: string; named: string },
  { mode, approval: { fast_track: fastTrack } }: Config,
  report: Report,
): Promise<void> {
  const mend = `fix ${REPOSITORY_FILE} on the default branch; docs/plan.md lists its keys`;
  await attempt(report, { name: `${named} ${REPOSITORY_FILE} of ${project}`, mend }, async () => {
    const tracker = await connection.tracker();
    const read = async () => await tracker.readFile(project, REPOSITORY_FILE);
    const settings = await settingsFrom(read, { mode, fastTrack });
    if (settings.problem !== null) {
      throw new RelayError("config", `${settings.problem}; until it is fixed, the mode is ${settings.mode}`);
    }
    return { value: true, detail: `mode ${settings.mode}${settings.fastTrack ? ", fast track for small issues" : ""}` };
  });
}
