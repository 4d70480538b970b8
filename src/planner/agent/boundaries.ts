import { createHmac } from "node:crypto";
import { boundaryFrom } from "../../adapters/models/fence.ts";

/** As short as is safe: it appears twice around every message. */
const LENGTH = 16;

/**
 * Boundaries of the fences in planners' prompts: unguessable, and the same in all cycles of an issue, so that their
 * prompts share a prefix (R-PLAN-11, R-SAFE-1). Create it once per process.
 *
 * @param random returns numbers in [0, 1), from a cryptographic source
 */
export function issueBoundaries(random: () => number): (issueId: string) => string {
  const secret = boundaryFrom(random);
  return (issueId) => createHmac("sha256", secret).update(issueId).digest("hex").slice(0, LENGTH);
}
