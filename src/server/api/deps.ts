import type { Doctor } from "../../app/doctor.ts";
import type { Acts } from "../../app/people/acts.ts";
import type { Relay } from "../../app/relay.ts";
import { type Viewer, maySee } from "../../app/people/viewer.ts";
import type { Config } from "../../config/config.ts";
import { type Issue, type IssueAddress, issueName } from "../../domain/issue.ts";
import type { ReceiveWithin } from "../../intake/receive.ts";
import { RelayError } from "../../lib/errors.ts";
import { alsoSecret } from "../../lib/own-secrets.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import { findIssue } from "../../storage/issues.ts";
import type { LoginDeps } from "../login.ts";

/** What the API has in common with the dashboard. */
interface Shared extends Omit<LoginDeps, "db"> {
  ids: Ids;
  publicUrl: Config["server"]["public_url"];
  acts: Acts;
  doctor: Doctor;
  /** Relay's login in the local tracker. */
  bot: string;
  /** What the protected files of an issue's code hold, which no answer shows (R-SAFE-7). */
  secretsOf?: (issue: Issue) => Promise<readonly string[]>;
  /** Aborted when the server begins to stop: calls that wait for more are answered. */
  stopping: AbortSignal;
}

/** What only the API needs. */
export interface OwnApiDeps {
  db: () => Database;
  /** Receives events of the local tracker, in the transaction that caused them. */
  take: ReceiveWithin;
  /** The rest of Relay, opened on first use: where specs are, and what is known of the code. */
  relay: () => Promise<Pick<Relay, "specStore" | "dossierOf">>;
  /** The model that writes specs. */
  specModel: string;
  version: string;
}

export interface ApiDeps extends Shared, OwnApiDeps {
  log: Log;
}

/** The issue. Throws `not_found` alike if there is none and if this person may not see it (R-SAFE-4). */
export async function seenIssue(
  { db, secretsOf }: Pick<ApiDeps, "db" | "secretsOf">,
  viewer: Viewer,
  address: IssueAddress,
): Promise<Issue> {
  const issue = await findIssue(db(), address);
  if (issue !== null && maySee(viewer, issue)) {
    alsoSecret((await secretsOf?.(issue)) ?? []);
    return issue;
  }
  throw new RelayError("not_found", `Relay has not taken up ${issueName(address)}, or not yet`);
}
