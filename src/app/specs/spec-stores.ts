import type { CodeHost } from "../../adapters/trackers/code-host.ts";
import type { Tracker } from "../../adapters/trackers/tracker.ts";
import { fileAddress } from "../../adapters/trackers/addresses.ts";
import { openBucket } from "../../adapters/spec-stores/bucket.ts";
import { BUCKET_NAME, storeName } from "../../adapters/spec-stores/bucket-name.ts";
import { specsByBackend } from "../../adapters/spec-stores/by-backend.ts";
import { type FileBranch, PushRefused, gitSpecStore } from "../../adapters/spec-stores/git.ts";
import { localSpecStore } from "../../adapters/spec-stores/local.ts";
import { folderIn, issueIdIn } from "../../adapters/spec-stores/path.ts";
import { loggedSpecs } from "../../adapters/spec-stores/logged.ts";
import { recoveredSpecs } from "../../adapters/spec-stores/recovered.ts";
import { s3SpecStore } from "../../adapters/spec-stores/s3.ts";
import type { SpecStore } from "../../adapters/spec-stores/spec-store.ts";
import { becameConfidential } from "../../approval/audience.ts";
import { bucketAccess } from "../../config/bucket-access.ts";
import type { Config } from "../../config/config.ts";
import { staysNeutral } from "../../domain/confidential.ts";
import type { SpecRef } from "../../domain/spec.ts";
import { type Clock, sleep } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import type { Db } from "../../storage/db.ts";
import { getIssue } from "../../storage/issues.ts";
import { keptSpecText } from "../../storage/specs.ts";
import { type StoredRepository, repositoriesOf } from "../../storage/repositories.ts";
import type { Repositories } from "../code/repositories.ts";

interface Deps {
  db: Db;
  clock: Clock;
  log: Log;
  /** Has the keys of buckets. */
  env: Environment;
  branchOf: Repositories["branchOf"];
  forgeFor: (repository: StoredRepository) => Promise<Tracker & CodeHost>;
}

interface SpecStores {
  specStore: SpecStore;
  /** The same stores for moves: a lost or refused spec is an error. */
  stores: SpecStore;
  mayShow: (backend: string, issueId: string) => Promise<boolean>;
}

/** The stores of `spec_store` and of all references, as one (R-SPEC-9), and what may be shown in each. */
export function openSpecStores(
  { spec_store, spec_root, spec_branch }: Pick<Config, "spec_store" | "spec_root" | "spec_branch">,
  deps: Deps,
): SpecStores {
  const { clock } = deps;
  const local = localSpecStore({ root: spec_root, clock });
  const branchOf = async (issueId: string) => await specBranch(issueId, spec_branch, deps);
  const git = gitSpecStore({ branch: spec_branch, branchOf, clock });
  const buckets = new Map<string, SpecStore>();
  const open = (backend: string): SpecStore | null => {
    if (backend === git.backend) return git;
    if (!BUCKET_NAME.test(backend)) return null;
    const bucket = buckets.get(backend) ?? bucketStore(backend, deps);
    buckets.set(backend, bucket);
    return bucket;
  };
  const allowed = async (backend: string, issueId: string) => await mayShow(backend, issueId, deps);
  const choice =
    spec_store === undefined
      ? whereItMayPush({ git, local }, deps)
      : { chosenFor: () => open(storeName(spec_store)) ?? local };
  const all = { ...choice, local, open, mayShow: allowed };
  return {
    specStore: loggedSpecs(
      recoveredSpecs(specsByBackend(all), async (ref) => await keptText(ref, deps)),
      deps.log,
    ),
    stores: specsByBackend({ ...all, fallsBack: () => false }),
    mayShow: allowed,
  };
}

/** The text of a version from the database. */
async function keptText(ref: SpecRef, { db, log }: Deps): Promise<string | null> {
  const text = await keptSpecText(db, issueIdIn(folderIn(ref.path)), ref.sha256);
  if (text !== null)
    log.warn({ path: ref.path, backend: ref.backend }, "the spec is not in its store as it was written");
  return text;
}

/** Milliseconds after a refused push before the next try. */
const REFUSED_MS = 3_600_000;

/**
 * The default: a branch of each hosted repository that accepts pushes, else local files. If a push is refused, the spec
 * is kept locally.
 */
function whereItMayPush(
  { git, local }: { git: SpecStore; local: SpecStore },
  { db, clock, log }: Deps,
): Pick<Parameters<typeof specsByBackend>[0], "chosenFor" | "fallsBack"> {
  const refusedAt = new Map<string, number>();
  return {
    chosenFor: async ({ provider, issueId }) => {
      if (provider === "local") return local;
      const { repositoryId } = await getIssue(db, issueId);
      const isRefused = clock.now().getTime() < (refusedAt.get(repositoryId) ?? 0) + REFUSED_MS;
      return isRefused ? local : git;
    },
    fallsBack: async ({ issueId }, error) => {
      if (!(error instanceof PushRefused)) return false;
      const { repositoryId, externalProjectId } = await getIssue(db, issueId);
      refusedAt.set(repositoryId, clock.now().getTime());
      log.warn({ project_id: externalProjectId, error: error.message }, "specs are kept in local files");
      return true;
    },
  };
}

function bucketStore(name: string, { clock, env }: Deps): SpecStore {
  return s3SpecStore({ name, bucket: () => openBucket({ name, access: bucketAccess(env), sleep }), clock });
}

async function specBranch(issueId: string, name: string, { db, branchOf, forgeFor }: Deps): Promise<FileBranch> {
  const [repository] = await repositoriesOf(db, await getIssue(db, issueId));
  const author = async () => await (await forgeFor(repository)).commitAuthor(repository.externalProjectId);
  const addressOf = async (commit: string, path: string) =>
    await Promise.resolve(fileAddress(repository, commit, { path }));
  return branchOf(repository, { name, author, addressOf });
}

/** A branch shows specs to everybody who reads the code; local files show them to nobody (R-SAFE-11). */
async function mayShow(backend: string, issueId: string, { db, forgeFor }: Deps): Promise<boolean> {
  if (backend !== "git") return true;
  const issue = await getIssue(db, issueId);
  const [repository] = await repositoriesOf(db, issue);
  if (repository.cloneSource === null || staysNeutral(issue)) return false;
  const forge = await forgeFor(repository);
  return !(await becameConfidential(issue, { db, tracker: forge, codeHost: forge }));
}
