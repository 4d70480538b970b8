import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { type FolderSize, folderSize } from "../../lib/folder-size.ts";
import type { Db } from "../../storage/db.ts";
import { type Due, countDue, daysAgo } from "../../storage/retention.ts";
import { type TableSize, listTableSizes } from "../../storage/sizes.ts";

/** Limits of the measurement, since a home may have millions of files: entries of a folder, milliseconds for all. */
const MOST_ENTRIES = 100_000;
const MOST_MS = 10_000;
/** Rows due for removal are counted up to this number. */
export const MOST_DUE = 100_000;

export interface Disk {
  tables: TableSize[];
  /** `RELAY_HOME`, and what is in it, largest first. */
  home: string;
  folders: (FolderSize & { name: string })[];
  due: Due;
}

/** Measures disk usage, and what the next maintenance will remove (R-SCALE-3). Takes some seconds at most. */
export async function measureDisk(db: Db, { home, retention }: Pick<Config, "home" | "retention">): Promise<Disk> {
  const before = async (days: number | "never") => (days === "never" ? null : await daysAgo(db, days));
  const due = {
    modelTexts: await before(retention.model_texts_days),
    records: await before(retention.records_days),
    audit: await before(retention.audit_days),
    deliveries: await before(retention.deliveries_days),
    notices: await before(retention.notices_days),
  };
  const path = resolve(home);
  const deadline = Date.now() + MOST_MS;
  const folders = [];
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue;
    folders.push({ name: entry.name, ...(await folderSize(join(path, entry.name), { most: MOST_ENTRIES, deadline })) });
  }
  return {
    tables: await listTableSizes(db),
    home: path,
    folders: folders.toSorted((a, b) => b.bytes - a.bytes),
    due: await countDue(db, due, MOST_DUE),
  };
}
