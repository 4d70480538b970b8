import { git } from "./git.ts";

const LIMITS = { maxBytes: 256 * 1024 * 1024 };

/**
 * Bytes of those blobs that this clone holds, by name. A partial clone, and one that lost objects, lacks others; git
 * would end at the first of them that it is asked for, so it is asked first which ones these are.
 */
export async function heldSizes(
  gitDirectory: string,
  commit: string,
  objectNames: readonly string[],
): Promise<Map<string, number>> {
  const walk = ["rev-list", "--objects", "--no-object-names", "--missing=print", "--no-walk", commit];
  const walked = await git(gitDirectory, walk, LIMITS);
  const missing = new Set(linesOf(walked.stdout).flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : [])));
  const asked = objectNames.filter((name) => !missing.has(name));
  return await sizesIn(gitDirectory, asked);
}

async function sizesIn(gitDirectory: string, objectNames: readonly string[]): Promise<Map<string, number>> {
  const command = ["cat-file", "--batch-check=%(objectsize) %(objectname)"];
  const checked = await git(gitDirectory, command, { ...LIMITS, input: `${objectNames.join("\n")}\n` });
  return new Map(
    linesOf(checked.stdout).flatMap((line) => {
      const [, size, name] = /^(\d+) ([0-9a-f]+)$/.exec(line) ?? [];
      return size === undefined || name === undefined ? [] : [[name, Number(size)]];
    }),
  );
}

function linesOf(output: Buffer): string[] {
  return output.toString("latin1").split("\n");
}
