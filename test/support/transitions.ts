import { createExecutor } from "../../src/engine/transition.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Ids } from "../../src/lib/ids.ts";
import type { Transition } from "../../src/storage/context.ts";

/** The state machine for tests in which nobody takes tasks. */
export function transitions({ clock, ids }: { clock: Clock; ids: Ids }): Transition {
  return createExecutor({ clock, ids, sendTask: async () => await Promise.resolve() });
}
