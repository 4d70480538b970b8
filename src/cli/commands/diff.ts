import { compareSpecs, renderChanges } from "../../specification/compare.ts";
import { readSpecFile } from "../input-files.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";

/** `relay diff A B`: what changed, part by part; exit code 1 when anything did. */
export async function diff(a: string, b: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  const changes = compareSpecs(await readSpecFile(a), await readSpecFile(b));
  terminal.out(options.json ? `${JSON.stringify({ changes })}\n` : renderChanges(changes));
  return changes.length === 0 ? EXIT.done : EXIT.negative;
}
