import type { SpecRef } from "../../domain/spec.ts";
import { RelayError } from "../../lib/errors.ts";
import type { SpecOwner, SpecStore } from "./spec-store.ts";

/**
 * The configured store for new specs; a spec that is in another one stays there until it is moved. Where the chosen
 * store would show an issue to more people than its tracker does, its specs are kept in local files (R-SAFE-11).
 */
export function specsByBackend({
  chosen,
  stores,
  mayShow,
}: {
  chosen: SpecStore;
  /** All that references may name; the one of local files is among them. */
  stores: readonly [SpecStore, ...SpecStore[]];
  /** Whether everybody who can read the store of this backend may read the issue, asked before each write. */
  mayShow: (backend: string, issueId: string) => Promise<boolean>;
}): SpecStore {
  const [local] = stores;
  const of = (ref: SpecRef): SpecStore => {
    const found = stores.find(({ backend }) => backend === ref.backend);
    if (found !== undefined) return found;
    throw new RelayError(
      "forbidden",
      `the spec ${ref.path} is kept by ${ref.backend}, and no such spec store is configured; set spec_store`,
    );
  };
  const storeFor = async (owner: SpecOwner, previous: SpecRef | null): Promise<SpecStore> => {
    const wanted = previous === null ? chosen : of(previous);
    return wanted === local || (await mayShow(wanted.backend, owner.issueId)) ? wanted : local;
  };
  return {
    backend: chosen.backend,
    read: async (ref) => await of(ref).read(ref),
    exists: async (ref) => await of(ref).exists(ref),
    where: (ref) => stores.find(({ backend }) => backend === ref.backend)?.where(ref) ?? ref.path,
    address: async (ref) => await of(ref).address(ref),
    remove: async (ref) => {
      await of(ref).remove(ref);
      // What was there before the spec was moved.
      if (of(ref) !== local) await local.remove({ ...ref, backend: local.backend });
    },
    write: async (owner, content, previous) => {
      const store = await storeFor(owner, previous);
      const base = previous === null || previous.backend === store.backend ? previous : elsewhere(previous, store);
      return await store.write(owner, content, base);
    },
  };
}

/** The same place in another store. */
export function elsewhere(ref: SpecRef, { backend }: Pick<SpecStore, "backend">): SpecRef {
  return { ...ref, backend, revision: undefined };
}
