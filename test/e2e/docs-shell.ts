import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { environmentWith } from "../../src/lib/exec.ts";
import { type Desk, type Ended, QUIET } from "./cli-harness.ts";

const ROOT = join(import.meta.dirname, "../..");
const PATIENT = { interval: 100 };

/** A block of commands in a page of the docs. */
export interface Block {
  /** The heading that it stands under. */
  under: string;
  text: string;
}

/** What the page tells people to type, in order. */
export async function commandsOf(page: string): Promise<Block[]> {
  const text = await readFile(join(ROOT, "docs", page), "utf8");
  const blocks: Block[] = [];
  let under = "";
  let isOpen = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) under = line.replace(/^#+ /, "");
    const isCommand = line.startsWith("    ");
    const last = blocks.at(-1);
    if (isCommand && isOpen && last) last.text += `\n${line.trim()}`;
    else if (isCommand) blocks.push({ under, text: line.trim() });
    isOpen = isCommand;
  }
  return blocks;
}

/** A shell in a folder of the test's, in which `relay` is this program. */
export interface Shell {
  run(block: string): Promise<Ended>;
  /** For a block that ends in `relay serve`: its address, when it listens. */
  serve(block: string): Promise<string>;
  file(name: string): Promise<string>;
}

export async function shellAt(desk: Desk, env: Record<string, string>): Promise<Shell> {
  const programs = join(desk.folder, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "relay"), `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/relay.js" "$@"\n`);
  await chmod(join(programs, "relay"), 0o755);
  const path = `${programs}${delimiter}${environmentWith({})["PATH"] ?? ""}`;
  // The data directory is the one that the docs speak of.
  const all = { ...environmentWith(QUIET), ...desk.env, RELAY_HOME: "", RELAY_SPEC_ROOT: "", ...env, PATH: path };

  const start = (block: string) => {
    const child = spawn("sh", ["-ec", block], { cwd: desk.folder, env: all, stdio: ["ignore", "pipe", "pipe"] });
    const said = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString("utf8")));
    const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...said })));
    return { child, said, ended };
  };

  return {
    run: async (block) => await start(block).ended,
    serve: async (block) => {
      // The shell makes room for the server, which then gets the signal.
      const { child, said, ended } = start(block.replace(/^relay serve/m, "exec relay serve"));
      onTestFinished(async () => {
        child.kill("SIGKILL");
        await ended;
      });
      await expect.poll(() => said.out + said.err, PATIENT).toMatch(/Relay (listens on|runs \()/);
      return /Relay listens on (\S+)/.exec(said.out)?.[1] ?? "";
    },
    file: async (name) => await readFile(join(desk.folder, name), "utf8"),
  };
}
