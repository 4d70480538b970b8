import type { SpecRef } from "../../domain/spec.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Bucket } from "./bucket.ts";
import { folderOf, storedPath } from "./path.ts";
import type { SpecOwner, SpecStore, WriteResult } from "./spec-store.ts";
import { SIZE_LIMIT, checkSize, checkedText, folderFor, settled } from "./versions.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** An object that shows whether the server knows conditional writes. */
const PROBE = "relay.probe";
/** Writes that may lose a race: one of the racing writes succeeds each time. */
const TRIES = 100;

interface Version {
  number: number;
  bytes: Buffer;
  at: Date;
}

const keyOf = (folder: string, number: number): string => `${folder}/spec.v${number}.md`;

/**
 * Specs in a bucket of an S3-compatible server (R-SPEC-9): version N of one is the object `issue_…/spec.vN.md`, which
 * is created on the condition that there is none, and never changed. So the versions are the history, a crash leaves
 * whole ones only, and of several writers one gets the next number (R-SPEC-11). `name`, `s3://BUCKET/PREFIX`, is the
 * backend.
 */
export function s3SpecStore({
  name,
  bucket: open,
  clock,
}: {
  name: string;
  /** Opened with the first use: most commands need no keys. Throws `config` without. */
  bucket: () => Bucket;
  clock: Clock;
}): SpecStore {
  let opened: Bucket | null = null;
  const bucket = (): Bucket => (opened ??= open());
  const placeOf = (ref: SpecRef): string => folderFor(ref, name);
  let isProven: Promise<void> | null = null;

  const refTo = (folder: string, number: number, sha256: string, updatedAt: Date): SpecRef => ({
    version: 1,
    backend: name,
    path: storedPath(folder),
    updated_at: updatedAt.toISOString(),
    sha256,
    format: "markdown",
    revision: String(number),
  });

  async function versionAt(folder: string, number: number): Promise<Version | null> {
    const found = await bucket().read(keyOf(folder, number), SIZE_LIMIT);
    return found && { number, ...found };
  }

  /** The numbers of all versions, newest first. */
  async function numbersIn(folder: string): Promise<number[]> {
    const keys = await bucket().list(`${folder}/spec.v`);
    return keys
      .map((key) => Number(/\/spec\.v([1-9]\d{0,8})\.md$/.exec(key)?.[1] ?? 0))
      .filter((number) => number > 0)
      .toSorted((one, other) => other - one);
  }

  /** This version, or else the newest; null if there is none. */
  async function versionOf(ref: SpecRef): Promise<Version | null> {
    const folder = placeOf(ref);
    const isMeant = ({ bytes }: Version): boolean => sha256Of(bytes) === ref.sha256;
    const named = revisionOf(ref);
    const first = named === null ? null : await versionAt(folder, named);
    if (first !== null && isMeant(first)) return first;
    let newest: Version | null = null;
    for (const number of await numbersIn(folder)) {
      const version = number === named ? first : await versionAt(folder, number);
      if (version !== null && isMeant(version)) return version;
      newest ??= version;
    }
    return newest;
  }

  /** One try to write; null if somebody else took the number meanwhile. */
  async function written(folder: string, content: string, previous: SpecRef | null): Promise<WriteResult | null> {
    const [last] = await numbersIn(folder);
    const newest = last === undefined ? null : await versionAt(folder, last);
    // Removed since it was listed.
    if (last !== undefined && newest === null) return null;
    const sha256 = sha256Of(content);
    if (newest !== null) {
      const found = refTo(folder, newest.number, sha256Of(newest.bytes), newest.at);
      const result = settled(found, sha256, previous);
      if (result !== null) return result;
    }
    const number = (last ?? 0) + 1;
    await (isProven ??= proveConditions(name, bucket(), clock).catch((error: unknown) => {
      isProven = null;
      throw error;
    }));
    const isCreated = await bucket().create(keyOf(folder, number), content);
    return isCreated ? { kind: "written", ref: refTo(folder, number, sha256, clock.now()) } : null;
  }

  return {
    backend: name,
    read: async (ref) => checkedText((await versionOf(ref))?.bytes ?? null, ref, name),
    exists: async (ref) => (await versionOf(ref)) !== null,
    remove: async (ref) => {
      for (const key of await bucket().list(`${placeOf(ref)}/`)) await bucket().remove(key);
    },
    where: (ref) => {
      const [folder, number] = [placeOf(ref), revisionOf(ref)];
      return `${name}/${number === null ? folder : keyOf(folder, number)}`;
    },
    address: async () => await Promise.resolve(null),
    write: async (owner: SpecOwner, content, previous) => {
      checkSize(content);
      const folder = previous === null ? folderOf(owner) : placeOf(previous);
      for (let n = 0; n < TRIES; n += 1) {
        const result = await written(folder, content, previous);
        if (result !== null) return result;
      }
      throw new RelayError("conflict", `the spec ${folder} in ${name} keeps being changed by others; try again later`, {
        retryable: true,
      });
    },
  };
}

function revisionOf({ revision = "" }: SpecRef): number | null {
  return /^[1-9]\d{0,8}$/.test(revision) ? Number(revision) : null;
}

/**
 * Throws `config` for a server that does not know conditional writes: it takes the second object in place of the first.
 * Leaves one object in the bucket, `relay.probe`.
 */
export async function proveConditions(name: string, bucket: Bucket, clock: Clock): Promise<void> {
  const made = `Made by Relay at ${clock.now().toISOString()}`;
  if (!(await bucket.create(PROBE, `${made}, to see whether the server keeps conditions.\n`))) return;
  if (!(await bucket.create(PROBE, `${made}; the server ignores conditions.\n`))) return;
  throw new RelayError(
    "config",
    `the server of ${name} overwrites objects although it is asked not to (If-None-Match), so that specs could be lost; use another server, or set spec_store to git or local`,
  );
}
