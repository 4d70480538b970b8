import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

/** What `relay migrate --json` prints. */
export interface MigrateAnswer {
  /** Files of `migrations/` that this call applied. */
  applied: string[];
}

/** `relay migrate`: migrates the database. Every command that opens Relay does; this one does only that. */
export async function migrate(options: CommonOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const { applied } = relay.migrations;
    if (options.json) printJson<MigrateAnswer>(terminal, { applied });
    else terminal.out(applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}\n`);
    return await Promise.resolve(EXIT.done);
  });
}
