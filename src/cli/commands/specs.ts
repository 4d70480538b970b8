import { RelayError } from "../../lib/errors.ts";
import type { SpecMove } from "../../app/specs/move-specs.ts";
import { specStoreName } from "../../config/spec-settings.ts";
import { storeName } from "../../adapters/spec-stores/bucket-name.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

/** What `relay specs move --json` prints. */
export interface SpecsMoveAnswer {
  specs: SpecMove[];
}

/** `relay specs move --to STORE`: all specs with their versions from where they are to another store. */
export async function move(to: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  if (!specStoreName.safeParse(to).success) {
    throw new RelayError("usage", `--to must be local, git or s3://BUCKET/PREFIX, not “${to}”`);
  }
  return await withRelay(options, terminal, async (relay) => {
    const moves = await relay.moveSpecs(to);
    if (options.json) printJson<SpecsMoveAnswer>(terminal, { specs: moves });
    else if (moves.length === 0) terminal.out("No specs yet.\n");
    for (const { issue, outcome, versions, lost, path, error } of options.json ? [] : moves) {
      const detail = {
        moved: `${versions === 0 ? "there already" : `${versions} version(s)`}: ${path}`,
        stayed: `stays at ${path}: more people could read it in ${to}, or its repository has no code`,
        failed: `not moved: ${error ?? ""}`,
      }[outcome];
      terminal.out(`${issue}  ${detail}\n`);
      if (lost.length > 0) terminal.out(`    versions that cannot be read any more: ${lost.join(", ")}\n`);
    }
    if (storeName(relay.config.spec_store ?? "") !== storeName(to))
      terminal.err(`relay: set spec_store to ${to}, so that new specs go there too\n`);
    return moves.some(({ outcome }) => outcome === "failed") ? EXIT.negative : EXIT.done;
  });
}
