import { isDeepStrictEqual } from "node:util";
import { storeName } from "../../adapters/spec-stores/bucket-name.ts";
import { elsewhere } from "../../adapters/spec-stores/by-backend.ts";
import type { SpecStore } from "../../adapters/spec-stores/spec-store.ts";
import { isLost } from "../../adapters/spec-stores/stored-spec.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import { type SpecRef, specRefSchema } from "../../domain/spec.ts";
import { lockOf } from "../../engine/take-jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import { listAudit, record } from "../../storage/audit.ts";
import type { Database, Db } from "../../storage/db.ts";
import { findIssueById, setSpecRef } from "../../storage/issues.ts";
import { pagesWithSpec } from "../../storage/issue-lists.ts";
import { type SpecVersion, listSpecVersions, setSpecVersionRef } from "../../storage/specs.ts";

export interface SpecMove {
  issue: string;
  /** `stayed`: more people could read it there. */
  outcome: "moved" | "stayed" | "failed";
  /** Versions moved now; those that were moved before do not count. */
  versions: number;
  /** Numbers of earlier versions that could not be read, and keep their references. */
  lost: number[];
  /** Where the spec is now. */
  path: string;
  error: string | null;
}

interface Deps {
  db: Database;
  clock: Clock;
  ids: Ids;
  operator: string;
  /** Also reads specs that their store has lost. */
  specStore: SpecStore;
  stores: SpecStore;
  /** Whether everybody who can read the store may read the issue. */
  mayShow: (backend: string, issueId: string) => Promise<boolean>;
}

/**
 * Copies all specs with their versions to another store. The reference to a version changes once its copy was read back
 * and has the same sha256, so that an interrupted move is continued by the next one. The copies that were there remain.
 * What the other store has lost is copied there again.
 */
export async function moveSpecs(store: string, deps: Deps): Promise<SpecMove[]> {
  const to = storeName(store);
  const moves: SpecMove[] = [];
  for await (const page of pagesWithSpec(deps.db)) {
    for (const found of page) {
      const move = await deps.db.withLock(lockOf(issueName(found)), async () => {
        const issue = await findIssueById(deps.db, found.id);
        return issue?.spec ? await moveSpec({ ...issue, spec: issue.spec }, to, deps) : null;
      });
      if (move !== null) moves.push(move);
    }
  }
  return moves;
}

/** Erases an issue's specs from each store that they are in, or were in before a move (`relay forget`). */
export async function eraseSpecs(
  issue: Pick<Issue, "id" | "spec">,
  { db, specStore }: Pick<Deps, "specStore"> & { db: Db },
): Promise<void> {
  const moves = (await listAudit(db, issue.id)).filter(({ what }) => what === "spec.moved");
  const before = moves.flatMap((move) => specRefSchema.safeParse(move.before).data ?? []);
  const versions = (await listSpecVersions(db, issue.id)).map(({ ref }) => ref);
  const all = [...before, ...versions, ...(issue.spec === null ? [] : [issue.spec])];
  const places = new Map(all.map((ref) => [`${ref.backend} ${ref.path}`, ref]));
  for (const ref of places.values()) await specStore.remove(ref);
}

async function moveSpec(issue: Issue & { spec: SpecRef }, to: string, deps: Deps): Promise<SpecMove> {
  const { db, clock, ids, operator, specStore, stores: store } = deps;
  const move: SpecMove = {
    issue: issueName(issue),
    outcome: "moved",
    versions: 0,
    lost: [],
    path: store.where(issue.spec),
    error: null,
  };
  try {
    if (!(await deps.mayShow(to, issue.id))) return { ...move, outcome: "stayed" };
    const versions = await listSpecVersions(db, issue.id);
    let base: SpecRef | null = null;
    for (const version of versions) {
      // Versions after a copied one are copied too, so that the newest is also the newest there.
      const stays = move.versions === 0 && version.ref.backend === to && (await textOf(version.ref, store)) !== null;
      const ref: SpecRef | null = stays
        ? version.ref
        : await copied(version, { issue, to, base, versions, store, specStore });
      if (ref === null) {
        move.lost.push(version.version);
        continue;
      }
      base = ref;
      if (ref === version.ref) continue;
      await setSpecVersionRef(db, version.id, ref);
      move.versions += 1;
    }
    if (base?.sha256 !== issue.spec.sha256) {
      throw new RelayError("conflict", "its newest version is not the one that the issue refers to; try again");
    }
    const after = base;
    if (isDeepStrictEqual(after, issue.spec)) return move;
    await db.transaction(async (tx) => {
      await setSpecRef(tx, issue.id, after, clock);
      const audit = { issueId: issue.id, actor: operator, what: "spec.moved", before: issue.spec, after };
      await record(tx, audit, { clock, ids });
    });
    return { ...move, path: store.where(after) };
  } catch (error) {
    return { ...move, outcome: "failed", error: messageOf(error) };
  }
}

interface Copying {
  issue: Issue;
  to: string;
  /** The version before it, in the new store. */
  base: SpecRef | null;
  /** All of the issue, oldest first. */
  versions: readonly SpecVersion[];
  store: SpecStore;
  specStore: SpecStore;
}

/** The reference to a copy that was read back; null if an earlier version cannot be read. */
async function copied(
  version: SpecVersion,
  { issue, to, base, versions, store, specStore }: Copying,
): Promise<SpecRef | null> {
  const content = await textOf(version.ref, specStore);
  const isCurrent = version === versions.at(-1);
  if (content === null) {
    if (!isCurrent) return null;
    throw new RelayError("not_found", `its text cannot be read at ${store.where(version.ref)}; restore it there`);
  }
  const there = version.ref.backend === to ? version.ref : elsewhere(version.ref, { backend: to });
  // An earlier run may have copied it. The newest is written in any case, to be the newest there.
  if (!isCurrent && (await textOf(there, store)) === content) return there;
  const owner = { ...issue, issueId: issue.id };
  let result = await store.write(owner, content, base ?? there);
  // An earlier run, or an earlier version with the same text, may have come further.
  const isOwn = (sha256: string) => versions.some(({ ref }) => ref.sha256 === sha256);
  if (result.kind === "conflict" && isOwn(result.current.sha256)) {
    result = await store.write(owner, content, result.current);
  }
  if (result.kind === "conflict") {
    const { path, backend } = result.current;
    throw new RelayError("conflict", `another version of it is in ${backend} at ${path}; take it away there`);
  }
  const ref = { ...result.ref, updated_at: version.ref.updated_at };
  if ((await store.read(ref)) === content && ref.backend === to) return ref;
  throw new RelayError("io", `its copy at ${store.where(ref)} is not what was written; try again`);
}

async function textOf(ref: SpecRef, store: SpecStore): Promise<string | null> {
  try {
    return await store.read(ref);
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}
