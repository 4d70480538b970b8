import type { SpecRef } from "../../domain/spec.ts";
import { RelayError } from "../../lib/errors.ts";
import { SPEC_FILE, folderIn } from "./path.ts";
import type { WriteResult } from "./spec-store.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** Most bytes of a spec, read or written (R-SPEC-10). */
export const SIZE_LIMIT = 200 * 1024;
export const HISTORY = "history";

export function checkSize(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= SIZE_LIMIT && content !== "") return;
  throw new RelayError("too_large", `a spec must have 1 to ${SIZE_LIMIT} bytes, this one has ${bytes}`);
}

/** The folder of a reference below the root; throws `forbidden` for a reference of another store. */
export function folderFor(ref: SpecRef, backend: string): string {
  if (ref.backend === backend) return folderIn(ref.path);
  throw new RelayError("forbidden", `the spec ${ref.path} is kept by ${ref.backend}, not by ${backend}`);
}

/**
 * How a write ends without writing (R-SPEC-11): the content is there already, or `found` is not what it is based on.
 * Null if it has to be written.
 */
export function settled(found: SpecRef, sha256: string, previous: SpecRef | null): WriteResult | null {
  if (found.sha256 === sha256) {
    // Otherwise it was written before a crash, and nothing refers to it yet.
    if (previous?.sha256 !== sha256) return { kind: "written", ref: found };
    return { kind: "unchanged", ref: { ...previous, revision: previous.revision ?? found.revision } };
  }
  return found.sha256 === previous?.sha256 ? null : { kind: "conflict", current: found };
}

/** The text of a version; throws `not_found` without bytes, and `invalid` for others than the reference means. */
export function checkedText(bytes: Buffer | null, ref: SpecRef, where: string): string {
  if (bytes === null) throw new RelayError("not_found", `the spec ${ref.path} is gone from ${where}`);
  if (sha256Of(bytes) === ref.sha256) return bytes.toString("utf8");
  throw new RelayError(
    "invalid",
    `the spec ${ref.path} was changed outside of Relay (its sha256 is not the stored one); undo the change, or delete the file to have it written anew`,
  );
}

/** The name of an earlier version in `history/`; those of the same millisecond get the following ones. */
export function earlierName(at: number): string {
  return `${new Date(at).toISOString().replaceAll(":", "-").replace("Z", "")}_${SPEC_FILE}`;
}
