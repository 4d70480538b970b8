import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

/** `relay migrate`: migrates the database. Every command does; this one does only that. */
export async function migrate(options: CommonOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const { applied } = relay.migrations;
    if (options.json) printJson(terminal, { applied });
    else terminal.out(applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}\n`);
    return await Promise.resolve(EXIT.done);
  });
}
