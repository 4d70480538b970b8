import { readFile } from "node:fs/promises";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import type { Place } from "./place.ts";

/**
 * What is known about a mirror beside what is in it. Refreshes are numbered, so that whoever waited for one can tell
 * that it began after the asking, and therefore holds all that was pushed before; clocks could not tell.
 */
const stateSchema = z.object({
  begun: z.int().nonnegative(),
  completed: z.int().nonnegative(),
  /** The last refresh that changed something. */
  changed: z.int().nonnegative(),
  fetchedAt: z.iso.datetime(),
  defaultBranch: z.string(),
  /** Bytes by name of every pack and index, to notice that one is gone or cut. */
  packs: z.record(z.string(), z.int().nonnegative()),
});

export type MirrorState = z.infer<typeof stateSchema>;

const NONE: MirrorState = {
  begun: 0,
  completed: 0,
  changed: 0,
  fetchedAt: new Date(0).toISOString(),
  defaultBranch: "",
  packs: {},
};

/** The stored state; that of a mirror which was never fetched where there is none, or none that can be read. */
export async function readState(place: Place): Promise<MirrorState> {
  const text = await readFile(place.state, "utf8").catch(() => "null");
  try {
    return stateSchema.safeParse(JSON.parse(text)).data ?? NONE;
  } catch {
    return NONE;
  }
}

export async function writeState(place: Place, state: MirrorState): Promise<void> {
  await writeFileAtomic(place.state, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
