import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TASK_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";

/** Does what the plan of the sample says, and notes down which part people or checks ask for beside it; the same each time. */
export async function obey(directory: string, inTheMiddle: () => void = () => {}): Promise<void> {
  const task = await readFile(join(directory, NOTES, TASK_FILE), "utf8");
  const path = join(directory, "src/cart.ts");
  await writeFile(path, (await readFile(path, "utf8")).replace(/^.*cart is empty.*\n/m, ""));
  inTheMiddle();
  const asked = task.match(/part \d+/g)?.at(-1) ?? "";
  await writeFile(join(directory, "notes.md"), `An empty cart costs nothing.\n${asked}\n`);
}
