import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { DEFAULT_FILE } from "../../config/config.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";

const known = z.looseObject({ mcpServers: z.looseObject({ relay: z.unknown() }) });

/**
 * Tells coding agents of `relay mcp` by `.mcp.json` beside the settings. A file that is there stays as it is.
 *
 * @returns the file that was written, or what a person adds to the one that is there; neither if that names Relay
 * already
 */
export async function tellCodingAgents(settings: string): Promise<{ wrote: string | null; step: string | null }> {
  const file = join(dirname(settings), ".mcp.json");
  const name = basename(settings);
  const server = { command: "relay", args: ["mcp", ...(name === DEFAULT_FILE ? [] : ["--config", name])] };
  try {
    await writeFile(file, `${JSON.stringify({ mcpServers: { relay: server } }, null, 2)}\n`, { flag: "wx" });
    return { wrote: file, step: null };
  } catch (cause) {
    if (systemCode(cause) !== "EEXIST") {
      throw new RelayError("io", `cannot write ${file}: ${messageOf(cause)}; make its folder writable`, { cause });
    }
  }
  const text = await readFile(file, "utf8").catch(() => "");
  if (known.safeParse(parsed(text)).success) return { wrote: null, step: null };
  return {
    wrote: null,
    step: `Let coding agents ask Relay: add "relay": ${JSON.stringify(server)} to mcpServers in ${file}`,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
