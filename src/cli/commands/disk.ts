import { MOST_DUE, measureDisk } from "../../app/maintenance/disk.ts";
import type { Config } from "../../config/config.ts";
import type { Retention } from "../../config/retention-settings.ts";
import { RelayError } from "../../lib/errors.ts";
import type { TableSize } from "../../storage/sizes.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

/** Tables and folders that are printed; the others are summed up. */
const MOST_LINES = 12;

/** What `relay status --disk --json` prints. */
export interface DiskAnswer {
  /** Tables of the database, with the bytes that they take and about how many rows they have. */
  tables: TableSize[];
  /** `RELAY_HOME`. */
  home: string;
  /** Folders in it; `at_least`: it was too large to be looked through. */
  folders: { name: string; bytes: number; files: number; at_least: boolean }[];
  /** How much the next maintenance removes; null where it removes nothing of that kind. */
  due: {
    model_texts: number | null;
    issues_with_records: number | null;
    issues_with_audit: number | null;
    deliveries: number | null;
    notifications: number | null;
  };
  /** What is due is counted no further. */
  due_counted_up_to: number;
  retention: Retention;
}

/** `relay status --disk`: what takes room, what is kept for how long, and what is removed next (R-SCALE-3). */
export async function disk(issue: string | undefined, options: CommonOptions, terminal: Terminal): Promise<number> {
  if (issue !== undefined) throw new RelayError("usage", "--disk is about everything; leave the issue out");
  return await withRelay(options, terminal, async ({ db, config }) => {
    const { tables, home, folders, due } = await measureDisk(db, config);
    if (options.json) {
      printJson<DiskAnswer>(terminal, {
        tables,
        home,
        folders: folders.map(({ name, bytes, files, isWhole }) => ({ name, bytes, files, at_least: !isWhole })),
        due: {
          model_texts: due.modelTexts,
          issues_with_records: due.records,
          issues_with_audit: due.audit,
          deliveries: due.deliveries,
          notifications: due.notices,
        },
        due_counted_up_to: MOST_DUE,
        retention: config.retention,
      });
      return EXIT.done;
    }
    const inTables = tables.map(({ table, bytes, rows }) => ({
      name: table,
      bytes,
      isWhole: true,
      more: `about ${number(rows)} row${rows === 1 ? "" : "s"}`,
    }));
    terminal.out(section(`Database, ${tables.length} tables`, inTables));
    const inFolders = folders.map(({ files, ...folder }) => ({
      ...folder,
      more: `${number(files)} file${files === 1 ? "" : "s"}`,
    }));
    terminal.out(section(home, inFolders));
    terminal.out(`Removed by the next maintenance\n${dueLines(due, config).join("")}`);
    return EXIT.done;
  });
}

interface Line {
  name: string;
  bytes: number;
  isWhole: boolean;
  more: string;
}

function section(title: string, lines: readonly Line[]): string {
  const others = lines.slice(MOST_LINES);
  const rest = { name: `${others.length} others`, bytes: sum(others), isWhole: areWhole(others), more: "" };
  const shown = [...lines.slice(0, MOST_LINES), ...(others.length === 0 ? [] : [rest])];
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const all = sizeText({ bytes: sum(lines), isWhole: areWhole(lines) });
  return `${title}: ${all}\n${shown.map((line) => `    ${line.name.padEnd(width)}  ${sizeText(line)}${line.more === "" ? "" : `, ${line.more}`}\n`).join("")}`;
}

function areWhole(lines: readonly Line[]): boolean {
  return lines.every((line) => line.isWhole);
}

function sum(lines: readonly Line[]): number {
  return lines.reduce((all, { bytes }) => all + bytes, 0);
}

const UNITS = ["kB", "MB", "GB", "TB"];

function sizeText({ bytes, isWhole: whole }: Pick<Line, "bytes" | "isWhole">): string {
  let size = bytes / 1000;
  let unit = 0;
  for (; size >= 1000 && unit < UNITS.length - 1; unit += 1) size /= 1000;
  return `${whole ? "" : "at least "}${size.toFixed(size < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function days(setting: number | "never"): string {
  return setting === "never" ? "never" : `${setting} days`;
}

function dueLines(due: Awaited<ReturnType<typeof measureDisk>>["due"], { retention }: Config): string[] {
  const line = (what: string, count: number | null, key: keyof Config["retention"]) => {
    const counted = count === null ? "none" : `${count === MOST_DUE ? "at least " : ""}${number(count)}`;
    return `    ${what}: ${counted} (retention.${key}: ${days(retention[key])})\n`;
  };
  const { code_days: codeDays, code_gb: gigabytes } = retention;
  return [
    line("texts of model calls", due.modelTexts, "model_texts_days"),
    line("issues with records", due.records, "records_days"),
    line("issues with an audit log", due.audit, "audit_days"),
    line("deliveries", due.deliveries, "deliveries_days"),
    line("notifications", due.notices, "notices_days"),
    `    unused mirrors, indexes and caches (retention.code_days: ${days(codeDays)}, code_gb: ${gigabytes})\n`,
  ];
}
