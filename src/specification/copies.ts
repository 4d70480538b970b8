import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { isLost } from "../adapters/spec-stores/stored-spec.ts";
import { messageOf } from "../lib/errors.ts";
import type { Context } from "../storage/context.ts";
import { keepSpecText, listUncopiedSpecs, markTextSought } from "../storage/specs.ts";

/** Versions of one run: 10 MB at most. */
const BATCH = 50;
/** After so long a store that could not be reached is asked again. */
const AGAIN_MS = 86_400_000;

/**
 * Copies texts that only their stores have into the database, a batch at a time: versions written before the database kept
 * them (R-SPEC-18). A text that its store has lost is sought once. Returns how many were copied.
 */
export async function copyTexts({
  db,
  clock,
  log,
  specStore,
}: Pick<Context, "db" | "clock" | "log"> & { specStore: SpecStore }): Promise<number> {
  const now = clock.now();
  const before = new Date(now.getTime() - AGAIN_MS);
  let copied = 0;
  for (const { id, ref } of await listUncopiedSpecs(db, { before, most: BATCH })) {
    try {
      await keepSpecText(db, id, await specStore.read(ref));
      copied += 1;
    } catch (error) {
      await markTextSought(db, id, isLost(error) ? null : now);
      log.warn({ path: ref.path, backend: ref.backend, error: messageOf(error) }, "a text of a spec was not copied");
    }
  }
  return copied;
}
