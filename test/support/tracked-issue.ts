import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import type { Db } from "../../src/storage/db.ts";
import { saveIssue } from "../../src/storage/issues.ts";
import { connectRepository } from "../../src/storage/repositories.ts";

const now = { clock: systemClock, ids: snowflakes() };

/** A repository as a database knows it. */
export async function trackedRepository(db: Db, externalProjectId = "shop") {
  return await connectRepository(
    db,
    {
      workspace: "default",
      provider: "local",
      baseUrl: "local",
      botUsername: "relay",
      externalProjectId,
      cloneSource: null,
    },
    now,
  );
}

/** An issue as a database knows it, with no tracker behind it. */
export async function trackedIssue(db: Db, repositoryId: string, externalIssueId = "1") {
  const snapshot = {
    externalIssueId,
    title: "Wrong total",
    body: "",
    labels: [],
    assignees: [],
    reporter: "ann",
    url: null,
    confidential: false,
    openedAt: new Date(0),
    language: "en",
  };
  return await saveIssue(db, repositoryId, snapshot, now);
}
