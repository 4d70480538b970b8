import type { SpecRef } from "../domain/spec.ts";
import { RelayError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { SpecOwner, SpecStore } from "../adapters/spec-stores/spec-store.ts";

/** Times that a spec is regenerated because of a concurrent write. */
const REBASES = 3;

export type Kept<T> = { kind: "written" | "unchanged"; ref: SpecRef; spec: T };

/**
 * Stores a spec (R-SPEC-11). Unchanged content is not written again; after a concurrent write, the spec is regenerated
 * on the new base. `make` gets the reference to build on.
 */
export async function keepSpec<T extends { markdown: string }>(
  owner: SpecOwner,
  existing: SpecRef | null,
  make: (base: SpecRef | null) => Promise<T>,
  { store, log }: { store: SpecStore; log: Log },
): Promise<Kept<T>> {
  let base = existing;
  for (let n = 0; n < REBASES; n += 1) {
    const spec = await make(base);
    const result = await store.write(owner, spec.markdown, base);
    switch (result.kind) {
      case "written":
        return { kind: "written", ref: result.ref, spec };
      case "unchanged":
        log.info(
          { issue_id: owner.issueId, path: result.ref.path, sha256: result.ref.sha256, reason: "same sha256" },
          "spec unchanged; neither written nor announced",
        );
        return { kind: "unchanged", ref: result.ref, spec };
      case "conflict":
        log.warn(
          { issue_id: owner.issueId, path: result.current.path, sha256: result.current.sha256, attempt: n + 1 },
          "spec changed meanwhile; making it again on the new base",
        );
        base = result.current;
        break;
      default:
        result satisfies never;
    }
  }
  throw new RelayError(
    "conflict",
    `the spec of issue ${owner.issueId} keeps being changed by others; try again later`,
    {
      retryable: true,
    },
  );
}
