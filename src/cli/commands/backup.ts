import { restoreBackup, writeBackup } from "../../app/backup/backup.ts";
import { loadConfig } from "../../config/config.ts";
import { RelayError } from "../../lib/errors.ts";
import { commandLog } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

/** What `relay backup` and `relay restore` print with `--json`. */
export interface BackupAnswer {
  file: string;
  /** The moment that the backup is of. */
  at: string;
  /** The version of Relay that wrote it. */
  relay: string;
  files: number;
  bytes: number;
}

/** The address of another place, such as a bucket, would become a folder here. */
function requireFile(file: string): void {
  const [address] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(file) ?? [];
  if (address === undefined) return;
  throw new RelayError(
    "usage",
    `${file} is no file on this machine; give the name of one, and copy it to or from ${address}… by the tool for that`,
  );
}

/** `relay backup FILE`: one copy of all that is state, while Relay works (R-SHIP-2). */
export async function backup(file: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  requireFile(file);
  const config = loadConfig(options.config);
  const about = { log: commandLog(options, config), relay: VERSION, now: new Date() };
  const { at, relay, files, bytes } = await writeBackup(file, config, about);
  if (options.json) printJson<BackupAnswer>(terminal, { file, at: at.toISOString(), relay, files, bytes });
  else terminal.out(`${file}: ${bytes} bytes, with the database and ${files} file(s)\n`);
  return EXIT.done;
}

/** `relay restore FILE`: the same into an empty database, all or nothing (R-SHIP-2). */
export async function restore(file: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  requireFile(file);
  const config = loadConfig(options.config);
  const { at, relay, files, bytes } = await restoreBackup(file, config, { log: commandLog(options, config) });
  if (options.json) printJson<BackupAnswer>(terminal, { file, at: at.toISOString(), relay, files, bytes });
  else terminal.out(`Restored as of ${at.toISOString()}, with ${files} file(s). Start Relay: relay serve\n`);
  return EXIT.done;
}
