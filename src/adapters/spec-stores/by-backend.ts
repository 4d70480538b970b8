import type { SpecRef } from "../../domain/spec.ts";
import { RelayError } from "../../lib/errors.ts";
import type { SpecOwner, SpecStore } from "./spec-store.ts";

/**
 * The configured store for new specs; a spec in another store stays there until it is moved. If the chosen store would
 * show an issue to more people than its tracker does, its specs are kept in local files (R-SAFE-11).
 */
export function specsByBackend({
  chosenFor,
  local,
  open,
  mayShow,
  fallsBack = () => false,
}: {
  /** The store of an issue's first version. */
  chosenFor: (owner: SpecOwner) => SpecStore | Promise<SpecStore>;
  local: SpecStore;
  /** Any other store that a reference may name; null if there is none of this name. */
  open: (backend: string) => SpecStore | null;
  /** Whether everybody who can read the store of this backend may read the issue, asked before each write. */
  mayShow: (backend: string, issueId: string) => Promise<boolean>;
  /** Whether a spec that the store refused with this error is kept in local files. */
  fallsBack?: (owner: SpecOwner, error: unknown) => boolean | Promise<boolean>;
}): SpecStore {
  const find = (backend: string) => (backend === local.backend ? local : open(backend));
  const of = (ref: SpecRef): SpecStore => {
    const found = find(ref.backend);
    if (found !== null) return found;
    throw new RelayError(
      "forbidden",
      `the spec ${ref.path} is kept by ${ref.backend}, and no such spec store is configured; set spec_store`,
    );
  };
  const storeFor = async (owner: SpecOwner, previous: SpecRef | null): Promise<SpecStore> => {
    const wanted = previous === null ? await chosenFor(owner) : of(previous);
    return wanted === local || (await mayShow(wanted.backend, owner.issueId)) ? wanted : local;
  };
  return {
    backend: local.backend,
    read: async (ref) => await of(ref).read(ref),
    exists: async (ref) => await of(ref).exists(ref),
    where: (ref) => find(ref.backend)?.where(ref) ?? ref.path,
    address: async (ref) => await of(ref).address(ref),
    remove: async (ref) => {
      await of(ref).remove(ref);
      // What was there before the spec was moved.
      if (of(ref) !== local) await local.remove({ ...ref, backend: local.backend });
    },
    write: async (owner, content, previous) => {
      const store = await storeFor(owner, previous);
      const writeTo = async (to: SpecStore) =>
        await to.write(
          owner,
          content,
          previous?.backend === to.backend ? previous : previous && elsewhere(previous, to),
        );
      try {
        return await writeTo(store);
      } catch (error) {
        if (store === local || !(await fallsBack(owner, error))) throw error;
        return await writeTo(local);
      }
    },
  };
}

/** The same place in another store. */
export function elsewhere(ref: SpecRef, { backend }: Pick<SpecStore, "backend">): SpecRef {
  return { ...ref, backend, revision: undefined };
}
