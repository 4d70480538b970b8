import type { Log } from "../../lib/log.ts";
import type { SpecStore } from "./spec-store.ts";

/** A store that logs what it reads and writes, with size and time; reads only at the debug level. */
export function loggedSpecs(store: SpecStore, log: Log): SpecStore {
  return {
    ...store,
    read: async (ref) => {
      const began = performance.now();
      const content = await store.read(ref);
      log.debug({ path: ref.path, ...factsOf(content, began) }, "spec read");
      return content;
    },
    write: async (owner, content, previous) => {
      const began = performance.now();
      const result = await store.write(owner, content, previous);
      if (result.kind === "written") {
        log.info({ issue_id: owner.issueId, path: result.ref.path, ...factsOf(content, began) }, "spec written");
      }
      return result;
    },
  };
}

function factsOf(content: string, began: number) {
  return { bytes: Buffer.byteLength(content), duration_ms: Math.round(performance.now() - began) };
}
