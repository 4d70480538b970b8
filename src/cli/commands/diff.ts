import { readFile } from "node:fs/promises";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { compareSpecs, renderChanges } from "../../spec/compare.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

/** `relay diff A B`: what changed, part by part; exit code 1 when anything did. */
export async function diff(a: string, b: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  const changes = compareSpecs(await read(a), await read(b));
  terminal.out(options.json ? `${JSON.stringify({ changes })}\n` : renderChanges(changes));
  return changes.length === 0 ? EXIT.done : EXIT.negative;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new RelayError("usage", `cannot read the spec ${file}: ${messageOf(cause)}`, { cause });
  }
}
