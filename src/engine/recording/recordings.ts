import { mkdir, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import writeFileAtomic from "write-file-atomic";
import type { BatchState } from "../../planner/actions/batch-state.ts";
import type { Cycle } from "../../domain/cycle.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { CycleContext } from "../../planner/planner.ts";
import { type CycleRecord, type DraftRecord, type PlanningRecord, cycleRecordSchema } from "./cycle-record.ts";

/** Cycles kept per issue; the oldest is deleted first. */
const MOST_CYCLES = 50;
/** Characters of one record before compression. */
const LARGEST = 16 * 1024 * 1024;

/** A planning within a running cycle. */
export type Planning = Omit<PlanningRecord, "context" | "state"> & { context: CycleContext; state: BatchState };

/** A record as written: a running cycle has stricter types than a record that is read back. */
type StoredRecord = Omit<CycleRecord, "plannings"> & { plannings: (Planning | PlanningRecord)[] };

/** Recordings of cycles, for `relay replay`. Recording never fails a cycle: errors are logged. */
export interface CycleRecords {
  addPlanning(cycle: Cycle, commit: string, planning: Planning): Promise<void>;
  addDrafts(cycle: Cycle, drafts: DraftRecord[]): Promise<void>;
  /** Numbers of the recorded cycles, in order. */
  list(issueId: string): Promise<number[]>;
  /** Throws `not_found` if the cycle was not recorded, `invalid` if its record cannot be read. */
  read(issueId: string, number: number): Promise<CycleRecord>;
  remove(issueId: string): Promise<void>;
  /** Ids of the issues with records, at most `most` at a time. */
  issues(most: number): AsyncIterable<string[]>;
}

/** Stores records as files below `home/cycles`, one per cycle, readable only by their owner. */
export function fileRecords(home: string, { log }: { log: Log }): CycleRecords {
  const folder = (issueId: string) => join(home, "cycles", issueId);
  const file = (issueId: string, number: number) => join(folder(issueId), `${number}.json.gz`);
  const read = async (issueId: string, number: number) => await readRecord(file(issueId, number), number);

  const list = async (issueId: string) => {
    return (await namesIn(folder(issueId)))
      .flatMap((name) => (/^\d{1,9}\.json\.gz$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .toSorted((a, b) => a - b);
  };

  const write = async (issueId: string, record: StoredRecord) => {
    const text = JSON.stringify(record);
    if (text.length > LARGEST) throw new RelayError("too_large", `its record has ${text.length} characters`);
    await mkdir(folder(issueId), { recursive: true, mode: 0o700 });
    await writeFileAtomic(file(issueId, record.number), await promisify(gzip)(text), { mode: 0o600 });
    const kept = await list(issueId);
    for (const old of kept.slice(0, Math.max(0, kept.length - MOST_CYCLES)))
      await rm(file(issueId, old), { force: true });
  };

  const orLog = async ({ issueId, number }: Cycle, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      log.warn({ issue_id: issueId, cycle: number, error: messageOf(error) }, "the cycle cannot be replayed later");
    }
  };

  return {
    list,
    read,
    addPlanning: async (cycle, commit, planning) =>
      await orLog(cycle, async () => {
        const { issueId, number, planner, startedAt } = cycle;
        const before = (await list(issueId)).includes(number) ? await read(issueId, number) : null;
        const plannings = [...(before?.plannings ?? []), planning];
        await write(issueId, { drafts: [], ...before, version: 1, number, planner, commit, startedAt, plannings });
      }),
    addDrafts: async (cycle, drafts) =>
      await orLog(cycle, async () => {
        const { issueId, number } = cycle;
        if (!(await list(issueId)).includes(number)) {
          // It was planned on another machine, or its beginning could not be written.
          log.info(
            { issue_id: issueId, cycle: number },
            "the cycle was not recorded here, so it cannot be replayed here",
          );
          return;
        }
        const before = await read(issueId, number);
        await write(cycle.issueId, { ...before, drafts: [...before.drafts, ...drafts] });
      }),
    remove: async (issueId) => await rm(folder(issueId), { recursive: true, force: true }),
    issues: async function* (most) {
      const ids = (await namesIn(join(home, "cycles"))).filter((name) => /^\d{1,18}$/.test(name));
      for (let at = 0; at < ids.length; at += most) yield ids.slice(at, at + most);
    },
  };
}

async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
}

async function readRecord(path: string, number: number): Promise<CycleRecord> {
  try {
    const text = await promisify(gunzip)(await readFile(path), { maxOutputLength: 4 * LARGEST });
    return cycleRecordSchema.parse(JSON.parse(text.toString("utf8")));
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") {
      throw new RelayError(
        "not_found",
        `cycle ${number} is not kept here; without --cycle all that are kept are replayed`,
      );
    }
    throw new RelayError("invalid", `the record ${path} cannot be replayed: ${messageOf(cause)}`, { cause });
  }
}
