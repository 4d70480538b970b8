import type { HostedName } from "../../domain/issue.ts";
import { withPriority } from "../../lib/priority.ts";
import type { Forge } from "./code-host.ts";
import type { IssueGlance, RequestGlance, Tracker } from "./tracker.ts";

/** A webhook delivery that did not reach Relay. */
export interface MissedDelivery {
  id: string;
  event: string;
  at: Date;
  /** The HTTP status of the response; 0 if there was none. */
  status: number;
}

/** Assigned issues that one look lists at most. */
const MOST_ASSIGNED = 10_000;

/** What `relay doctor` says of more open issues that are assigned to Relay. */
export function assignedFindings(open: number): ConnectionFinding[] {
  if (open <= MOST_ASSIGNED) return [];
  const detail = `${open} open ones; one look compares ${MOST_ASSIGNED}, and the next hour goes on with those that changed later`;
  return [{ what: "assigned issues", ok: true, detail, mend: null }];
}

/** One result of `relay doctor`'s check of the connection. */
export interface ConnectionFinding {
  what: string;
  ok: boolean;
  detail: string;
  /** How to fix it; null if nothing is wrong. */
  mend: string | null;
}

export interface AssignedIssues {
  issues: IssueGlance[];
  /** Where a list was cut off: the next one continues with this `since`. Null for a whole list. */
  cutAt: Date | null;
}

/** A hosted tracker with Relay's credentials for it. Lazy: no request before the first use. */
export interface TrackerConnection {
  readonly provider: HostedName;
  /** URL of its web pages: `https://github.com`. */
  readonly baseUrl: string;
  /** Relay's account there, cached. After a failure the next call asks again. */
  tracker(): Promise<Tracker>;
  /**
   * Open issues in all projects within reach that Relay is assigned to (R-IN-8); with `since`, those that changed then
   * or later. At most 10,000, those that changed first coming first.
   */
  listAssigned(since: Date | null): Promise<AssignedIssues>;
  /** Relay's own pull requests, in all projects, that changed since; empty if lists of issues show them. */
  listChangedRequests(since: Date): Promise<(RequestGlance & { externalProjectId: string })[]>;
  /** Deliveries since then that failed, oldest first; null if the tracker does not report them. */
  listMissedDeliveries(externalProjectId: string, since: Date): Promise<MissedDelivery[] | null>;
  /**
   * Projects, besides the known ones, with failed deliveries in the last days, each with the time of the first: people
   * may have called Relay there. Empty if the tracker does not report them.
   */
  listMissedProjects(now: Date, known: ReadonlySet<string>): Promise<{ externalProjectId: string; since: Date }[]>;
  /** Makes the project's webhook to Relay, unless it is there; null if Relay may not, or a person has to. */
  makeWebhook(externalProjectId: string, secret: string): Promise<"made" | "present" | null>;
  /** Checks credentials, permissions and webhooks, and says how to fix what is wrong. Does not throw. */
  inspect(externalProjectId: string | null): Promise<ConnectionFinding[]>;
}

/** A connection to a tracker that hosts the code as well. */
export interface ForgeConnection extends TrackerConnection {
  tracker(): Promise<Forge>;
  /** Name and password for git over HTTPS, valid for at least some minutes; `fresh` after a rejection. */
  gitCredential(externalProjectId: string, fresh: boolean): Promise<{ username: string; password: string }>;
}

/** Does the work once and remembers its result, whatever it is called with later; after a failure, does it again. */
export function once<T, A extends readonly unknown[] = []>(
  work: (...given: A) => Promise<T>,
): (...given: A) => Promise<T> {
  let known: Promise<T> | null = null;
  return async (...given) => {
    // The result may serve a more urgent caller than the first one.
    known ??= withPriority("direct", async () => await work(...given));
    try {
      return await known;
    } catch (error) {
      known = null;
      throw error;
    }
  };
}
