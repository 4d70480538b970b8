import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import { lineChanges } from "../code/git/line-changes.ts";
import type { Repository } from "../code/git/repository.ts";
import { locationOf } from "../domain/spec-document/citations.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import type { StaleCitation } from "../domain/spec.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { type OpenSpec, listOpenSpecs, setStaleCitations } from "../storage/specs.ts";

/** A place that a spec cites and that is not as it was: its lines stand elsewhere, have other words, or the file is gone. */
interface Drifted {
  location: string;
  what: "moved" | StaleCitation["what"];
}

/**
 * What a spec cites and the code no longer has as at the commit where it was written (R-SPEC-15): lines and files of touch
 * points. Empty if nothing changed, or if the repository has lost that commit.
 */
export async function driftOf(
  markdown: string,
  commit: string | null,
  code: Pick<Repository, "commit" | "gitDirectory">,
): Promise<Drifted[]> {
  if (commit === null || commit === code.commit) return [];
  const { citations, tasks } = parseSpec(markdown);
  const places = new Map(citations.flatMap((one) => (one.kind === "file" ? [[locationOf(one), one] as const] : [])));
  const touched = new Set(
    tasks.flatMap(({ touchPoints }) => touchPoints.flatMap(({ path, isNew }) => (isNew ? [] : [path]))),
  );
  const cited = [...new Set([...[...places.values()].map(({ path }) => path), ...touched])];
  const changes = await lineChanges(code.gitDirectory, { from: commit, to: code.commit }, cited);
  const drifted: Drifted[] = [];
  for (const path of changes?.paths ?? []) {
    let isTold = false;
    for (const [location, place] of places) {
      if (place.path !== path || changes === null) continue;
      const fate = await changes.fateOf(place);
      if (fate.kind === "kept" && fate.by === 0) continue;
      drifted.push({ location, what: fate.kind === "kept" ? "moved" : fate.kind });
      isTold ||= fate.kind === "deleted";
    }
    // A folder that is named differs with any of its files, and is there as long as one is.
    if (touched.has(path) && !isTold && (await changes?.isGone(path)) === true) {
      drifted.push({ location: path, what: "deleted" });
    }
  }
  return drifted;
}

export interface DriftDeps extends Pick<Context, "db" | "clock" | "ids" | "log"> {
  specStore: SpecStore;
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
}

/**
 * Looks, after the default branch moved, at the specs of a repository's open issues: those that cite lines which changed are
 * marked stale, others no longer (R-SPEC-15). Fetches once, asks the tracker nothing, and reads only what changed. With
 * `files`, all that a push touched, only specs that name one of them are looked at; without such specs nothing is fetched.
 * Returns the ids of the issues whose spec became stale, or is true again.
 */
export async function checkDrift(
  repository: StoredRepository,
  deps: DriftDeps,
  files: readonly string[] | null = null,
): Promise<string[]> {
  const specs = await listOpenSpecs(deps.db, repository.id, files);
  if (specs.length === 0 || repository.cloneSource === null) return [];
  return await deps.withCode(repository, async (code) => {
    const changed: string[] = [];
    for (const spec of specs) {
      if ((spec.checkedCommit ?? spec.commit) === code.commit) continue;
      if (await checked(spec, code, deps)) changed.push(spec.issueId);
    }
    return changed;
  });
}

/** Whether the spec is stale now and was not, or the other way round, or by other places. */
async function checked(spec: OpenSpec, code: Repository, { specStore, ...deps }: DriftDeps): Promise<boolean> {
  const stored = await storedSpec(spec.ref, specStore);
  if (stored === null) return false;
  const stale = (await driftOf(stored.content, spec.commit, code)).flatMap(({ location, what }) =>
    what === "moved" ? [] : [{ location, what }],
  );
  const isSame = JSON.stringify(stale) === JSON.stringify(spec.staleCitations);
  return await deps.db.transaction(async (tx) => {
    // Another process may have looked meanwhile, after a push or hourly.
    const isFirst = await setStaleCitations(tx, spec, { commit: code.commit, stale });
    if (isSame || !isFirst) return false;
    const [what, why] =
      stale.length > 0
        ? ["spec.stale", "the default branch changed what the spec cites"]
        : ["spec.true_again", "all that the spec cites is as it was"];
    const about = { issueId: spec.issueId, actor: "relay", what, why, before: spec.staleCitations };
    await record(tx, { ...about, after: { commit: code.commit, citations: stale } }, deps);
    return true;
  });
}
