import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Connecting, type Database, openDatabase } from "../../src/storage/db.ts";
import { openEmbedded } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrate.ts";
import { connectRepository } from "../../src/storage/repositories.ts";

const PROJECT = "shop";

/** A database of its own with so many issues that Relay is engaged in, each with a delivery that was worked off. */
export async function openStage(tracked: number) {
  const home = await mkdtemp(join(tmpdir(), "relay-bench-"));
  const given = process.env["RELAY_TEST_DATABASE_URL"];
  const embedded = given === undefined ? await openEmbedded({ home, log: silentLog }) : null;
  const connection: Connecting = embedded?.connection ?? { connectionString: given ?? "" };
  const db = openDatabase(connection);
  await migrate(db, join(import.meta.dirname, "../../migrations"));
  await fill(db, tracked);
  const close = async () => {
    await db.close();
    await embedded?.close();
    await rm(home, { recursive: true, force: true });
  };
  return { db, connection, close };
}

async function fill(db: Database, tracked: number): Promise<void> {
  const repository = await connectRepository(
    db,
    {
      workspace: "default",
      provider: "local",
      baseUrl: "local",
      botUsername: "relay",
      externalProjectId: PROJECT,
      cloneSource: null,
    },
    { clock: systemClock, ids: snowflakes() },
  );
  await db.execute(
    `insert into issues (id, repository_id, external_issue_id, title, body, reporter, state, assigned_at, opened_at, updated_at)
     select n, $1, 'tracked-' || n, 'An issue', 'Its text.', 'ann', 'clarifying', now(), now(), now()
     from generate_series(1, $2::int) n`,
    [repository.id, tracked],
  );
  await db.execute(
    `insert into deliveries (id, provider, delivery_id, event, received_at, processed_at, decision)
     select n, 'local', 'old-' || n, $1::jsonb || jsonb_build_object('externalIssueId', 'tracked-' || n), now(), now(), 'drop'
     from generate_series(1, $2::int) n`,
    [JSON.stringify(comment("x")), tracked],
  );
  await db.execute("analyze", []);
}

let said = 0;

/** Somebody says something in an issue that is none of Relay's, in other words each time. */
export function comment(issue: string): TrackerEvent {
  said += 1;
  return {
    provider: "local",
    externalProjectId: PROJECT,
    externalIssueId: issue,
    kind: "commented",
    actor: "ann",
    actorIsBot: false,
    at: new Date(),
    assignee: null,
    commentId: "1",
    threadId: null,
    text: `The total of order ${said} is wrong, as I said before. `.repeat(8),
    branch: null,
    outcome: null,
  };
}
