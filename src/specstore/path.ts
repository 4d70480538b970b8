import anyAscii from "any-ascii";
import { RelayError } from "../lib/errors.ts";
import type { SpecOwner } from "./spec-store.ts";

const SLUG_LIMIT = 60;

/** Letters, digits and hyphens; other scripts are transliterated; never empty (R-SPEC-10). */
export function slugOf(title: string): string {
  const slug = anyAscii(title.slice(0, 500).normalize("NFKD"))
    .toLowerCase()
    .replaceAll(/['’`]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, SLUG_LIMIT)
    .replace(/-+$/, "");
  return slug === "" ? "issue" : slug;
}

/** The folder of an issue's spec below the root (R-SPEC-9). */
export function folderOf(owner: SpecOwner): string {
  const external = owner.externalIssueId.replaceAll(/[^A-Za-z0-9-]+/g, "-") || "0";
  return `issue_${owner.issueId.replaceAll(/\D+/g, "")}_${owner.provider}_${external}_${slugOf(owner.title)}`;
}

/** The parts of a stored path; throws `forbidden` for anything that could lead out of the root (R-SPEC-10). */
export function safeParts(path: string): string[] {
  const parts = path.split("/");
  const unsafe =
    path.includes("\0") ||
    path.includes("\\") ||
    /^[A-Za-z]:/.test(path) ||
    parts.some((part) => part === "" || part === "." || part === "..");
  if (unsafe) throw new RelayError("forbidden", `${JSON.stringify(path)} is not a path inside the spec store`);
  return parts;
}
