import { inLatin } from "../../domain/text/latin.ts";
import { RelayError } from "../../lib/errors.ts";
import type { SpecOwner } from "./spec-store.ts";

const SLUG_LIMIT = 60;
const EXTERNAL_ID_LIMIT = 80;
const FOLDER = /^issue_\d{1,24}_[a-z]{1,20}_[A-Za-z0-9-]{1,80}_[a-z0-9-]{1,60}$/;

export const SPEC_FILE = "spec.md";

/**
 * Letters, digits and hyphens, at most 60; other scripts are transliterated; `issue` when nothing is left (R-SPEC-10).
 * Composed before it is transliterated: a kana that was taken apart from its mark would change its sound.
 */
export function slugOf(title: string): string {
  const slug = inLatin(title.slice(0, 500).normalize("NFKC"))
    .toLowerCase()
    .replaceAll(/['’`]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LIMIT + 1)
    .replaceAll(/^-+/g, "")
    .slice(0, SLUG_LIMIT)
    .replace(/-+$/, "");
  return slug === "" ? "issue" : slug;
}

/** The folder of an issue's spec below the root (R-SPEC-9). */
export function folderOf(owner: SpecOwner): string {
  const id = owner.issueId.replaceAll(/\D+/g, "").slice(0, 24) || "0";
  const external = owner.externalIssueId.replaceAll(/[^A-Za-z0-9-]+/g, "-").slice(0, EXTERNAL_ID_LIMIT) || "0";
  return `issue_${id}_${owner.provider}_${external}_${slugOf(owner.title)}`;
}

/** The path that a reference stores: relative to the root, which may be moved or renamed. */
export function storedPath(folder: string): string {
  return `${folder}/${SPEC_FILE}`;
}

/**
 * The folder that a stored path names below the root; throws `forbidden` for anything but a path that a store could
 * have written (R-SPEC-10). Earlier versions stored the name of the root before it.
 */
export function folderIn(path: string): string {
  const parts = path.split("/");
  const folder = parts.at(-2) ?? "";
  const safe =
    !/[\0\\]/.test(path) &&
    !/^[A-Za-z]:/.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..") &&
    parts.at(-1) === SPEC_FILE &&
    FOLDER.test(folder);
  if (safe) return folder;
  throw new RelayError("forbidden", `${JSON.stringify(path.slice(0, 300))} is not the path of a spec`);
}

/** The issue that a folder belongs to. */
export function issueIdIn(folder: string): string {
  return /^issue_(\d+)_/.exec(folder)?.[1] ?? "";
}
