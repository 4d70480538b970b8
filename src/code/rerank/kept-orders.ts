import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { messageOf, systemCode } from "../../lib/errors.ts";
import type { Asked, KeptOrders } from "./rerank.ts";

/** Some kilobytes each. */
const MOST = 300;

const answerSchema = z.object({
  text: z.string(),
  calls: z.array(z.object({ tool: z.string(), input: z.string() })),
});

/**
 * Stores orders of models in the folder `orders` of a data directory, one file each, for commands without a database.
 * Keeps the 300 newest. An unreadable order counts as unknown; `warn` gets one sentence about an order that cannot be
 * written.
 */
export function ordersIn(home: string, warn: (why: string) => void): KeptOrders {
  const folder = join(home, "orders");
  const fileOf = ({ promptHash, model }: Asked) =>
    join(folder, `${createHash("sha256").update(`${promptHash} ${model}`).digest("hex")}.json`);
  return {
    find: async (asked) => {
      const text = await readFile(fileOf(asked), "utf8").catch(() => "null");
      return answerSchema.safeParse(parsedJson(text)).data ?? null;
    },
    keep: async (asked, answer) => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(join(folder, ".gitignore"), "*\n");
        await writeFileAtomic(fileOf(asked), JSON.stringify(answer), { mode: 0o600 });
        await removeOldest(folder);
      } catch (error) {
        warn(`the model's order cannot be kept in ${folder}, the same question will cost again: ${messageOf(error)}`);
      }
    },
  };
}

async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  if (names.length <= MOST) return;
  const files = [];
  for (const name of names) {
    const file = join(folder, name);
    const found = await stat(file).catch((error: unknown) => {
      // Another command may have removed it.
      if (systemCode(error) === "ENOENT") return null;
      throw error;
    });
    if (found !== null) files.push({ file, at: found.mtimeMs });
  }
  const oldest = files.toSorted((a, b) => a.at - b.at).slice(0, files.length - MOST);
  for (const { file } of oldest) await rm(file, { force: true });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
