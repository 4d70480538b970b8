import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { z } from "zod";
import { main } from "../../src/cli/main.ts";
import type { Planted } from "../support/fast-import.ts";

const answerSchema = z.object({
  commit: z.string(),
  files: z.array(z.object({ path: z.string(), reasons: z.array(z.string()), lines: z.array(z.unknown()) })),
  skipped: z.array(z.object({ reason: z.string(), files: z.number(), examples: z.array(z.string()) })),
});

/** What every odd repository holds besides its oddity, and every query asks for. */
export const NEEDLE: Planted = {
  path: "src/needle.ts",
  content: "export function findNeedle() {\n  return 1;\n}\n",
};

/** A folder of a test file's own, gone with it. */
export function ground() {
  const folder = mkdtempSync(join(tmpdir(), "relay-odd-"));
  const config = join(folder, "relay.yaml");
  writeFileSync(config, `home: ${JSON.stringify(join(folder, "home"))}\n`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const command = ["explore", "--json", "--config", config, "--repo"];
  const args = (repo: string, words: readonly string[]) => [...command, repo, ...words];

  /** What `relay explore` answers, in this process. */
  async function explored(repo: string, ...words: string[]) {
    let out = "";
    let err = "";
    const code = await main(args(repo, words.length > 0 ? words : ["findNeedle"]), {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      interactive: false,
      progress: false,
      color: false,
      outputFailure: () => null,
      readInput: async () => "",
    });
    return { code, err, answer: code === 0 ? answerSchema.parse(JSON.parse(out)) : null };
  }

  /** The paths that it finds; throws where it fails. */
  async function found(repo: string, ...words: string[]): Promise<string[]> {
    const { answer, err } = await explored(repo, ...words);
    if (answer === null) throw new Error(err);
    return answer.files.map(({ path }) => path);
  }

  /** The paths that it finds in a process of its own, and how many MiB that one had at its largest. */
  async function foundWithPeak(repo: string): Promise<{ paths: string[]; peak: number }> {
    const program = join(import.meta.dirname, "../children/explore-peak.ts");
    const child = spawn(process.execPath, [program, ...args(repo, ["findNeedle"])], { stdio: "pipe" });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
    await new Promise((resolve) => child.on("close", resolve));
    if (child.exitCode !== 0) throw new Error(err);
    return { paths: answerSchema.parse(JSON.parse(out)).files.map(({ path }) => path), peak: Number(err.trim()) };
  }

  return { folder, explored, found, foundWithPeak };
}
