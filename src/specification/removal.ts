import type { RemovedFinding } from "../domain/finding.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Db } from "../storage/db.ts";
import { listFindings, listRemovedFindings } from "../storage/findings.ts";
import type { Grounding } from "./validate/grounding.ts";

/** When a finding was removed, and why, as one sentence. */
export function removalOf({ removedAt, why }: Pick<RemovedFinding, "removedAt" | "why">, language: string): string {
  return phrases("spec", language)(`removed_${why ?? "unknown"}`, { date: removedAt.toISOString().slice(0, 10) });
}

/** All findings that a spec of the issue may cite, those that were removed with when and why. */
export async function findingsOnRecord(db: Db, issueId: string): Promise<NonNullable<Grounding["findings"]>> {
  const standing = (await listFindings(db, issueId)).map(({ number, id }) => ({ number, id, removed: null }));
  const removed = (await listRemovedFindings(db, issueId)).map((finding) => ({
    number: finding.number,
    id: finding.id,
    removed: removalOf(finding, "en"),
  }));
  return [...standing, ...removed];
}
