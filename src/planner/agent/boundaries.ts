import { createHmac } from "node:crypto";
import { boundaryFrom } from "../../adapters/models/fence.ts";

/** As short as a fence allows: it stands twice around every message. */
const LENGTH = 16;

/**
 * Boundaries of the fences in planners' prompts: nobody outside can guess them, and an issue has the same one in all
 * its cycles, so that their prompts begin alike (R-PLAN-11, R-SAFE-1). Make it once for a process.
 *
 * @param random gives numbers in [0, 1), from a cryptographic source
 */
export function issueBoundaries(random: () => number): (issueId: string) => string {
  const secret = boundaryFrom(random);
  return (issueId) => createHmac("sha256", secret).update(issueId).digest("hex").slice(0, LENGTH);
}
