import { buildEvent } from "../domain/event.ts";
import { type Issue, addressOf, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError, Postponed } from "../lib/errors.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { MAY_LAG } from "./lag.ts";
import { type Taking, takeAfterLast } from "./reconcile.ts";

interface Place {
  tracker: Pick<Tracker, "getIssue">;
  codeHost: Pick<CodeHost, "getProject">;
  clock: Clock;
}

/**
 * Whether an error is for an issue that its tracker has no more: deleted, or moved away. Throws what shows that this is
 * not known: where the repository cannot be read either, people may have taken away that Relay sees it.
 */
export async function isGone(thrown: unknown, issue: Issue, { tracker, codeHost, clock }: Place): Promise<boolean> {
  if (!isMissing(thrown)) return false;
  const again = await tracker.getIssue(issue).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (again === null) return false;
  if (!isMissing(again)) throw again;
  if (again.status === GONE) return true;
  // A tracker may not show yet what is so new.
  if (clock.now().getTime() - issue.openedAt.getTime() <= MAY_LAG) return false;
  await codeHost.getProject(issue.externalProjectId).catch((failure: unknown) => {
    throw isMissing(failure) ? hidden(issue, failure) : failure;
  });
  return true;
}

/**
 * Closes an issue that no longer exists at its tracker, like a delivery would. Returns the error to throw: `Postponed` if it
 * closed the issue, else the given one, or the failure of the check.
 */
export async function closeIfGone(
  error: unknown,
  issue: Issue,
  deps: Taking & { clock: Clock; placeOf: () => Promise<Omit<Place, "clock">> },
): Promise<unknown> {
  if (!isMissing(error)) return error;
  const { clock } = deps;
  try {
    if (!(await isGone(error, issue, { ...(await deps.placeOf()), clock }))) return error;
  } catch (failure) {
    return failure;
  }
  await takeAfterLast(buildEvent({ ...addressOf(issue), kind: "closed", outcome: "deleted", at: clock.now() }), deps);
  return new Postponed(`${issueName(issue)} is not there any more, and is closed first`, { retryAfterMs: CLOSES_MS });
}

/** The status of what was deleted for good. */
const GONE = 410;
/** Milliseconds after which the work that found the issue gone continues. */
const CLOSES_MS = 1_000;

function isMissing(error: unknown): error is RelayError {
  return error instanceof RelayError && error.code === "not_found" && !error.accessLost && !error.retryable;
}

function hidden({ externalProjectId }: Issue, cause: RelayError): RelayError {
  const why = `Relay cannot see ${externalProjectId} any more; give its account access to it`;
  return new RelayError("forbidden", why, { cause, status: 404, accessLost: true });
}
