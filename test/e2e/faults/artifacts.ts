import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";

const TABLES = [
  "issues",
  "deliveries",
  "messages",
  "cycles",
  "actions",
  "audit_log",
  "plans",
  "tasks",
  "thread_fetches",
  "pgboss.job",
] as const;

const row = z.object({ row: z.string() });

/** Keeps what a story left behind, for whoever looks for the reason of its end; returns the folder. */
export async function keepArtifacts(
  seed: number,
  db: Db,
  {
    logs,
    history,
    issues,
  }: { logs: readonly { name: string; text: string }[]; history: readonly string[]; issues: unknown },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `relay-story-${seed}-`));
  for (const table of TABLES) {
    const rows = await db.query(row, `select row_to_json(t)::text as row from ${table} t`, []);
    await writeFile(join(folder, `${table}.jsonl`), rows.map((one) => `${one.row}\n`).join(""));
  }
  const said = logs.map(({ name, text }) => text.replaceAll(/^(?=.)/gm, `${name}: `)).join("");
  await writeFile(join(folder, "log.txt"), said);
  await writeFile(join(folder, "trackers.json"), JSON.stringify(issues, null, 1));
  await writeFile(join(folder, "history.txt"), `${history.join("\n")}\n`);
  return folder;
}
