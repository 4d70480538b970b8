import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { lockOf } from "../../src/engine/take-jobs.ts";
import { issueName } from "../../src/domain/issue.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { listCycles } from "../../src/storage/cycles.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { BOT, openLife, report } from "../support/relay.ts";

test("who lost the lock while it posted concludes nothing: what another process did since stays (R-IN-12)", async () => {
  let pause = async (): Promise<void> => {};
  const life = await openLife(({ trackerFor }) => ({
    trackerFor: async (repository) => {
      const tracker = await trackerFor(repository);
      return {
        ...tracker,
        createComment: async (...given) => {
          const posted = await tracker.createComment(...given);
          if (!isStatusComment(posted.body)) await pause();
          return posted;
        },
      };
    },
  }));
  const other = openDatabase(life.connection, 2);
  onTestFinished(async () => await other.close());
  const reported = await report(life);
  pause = async () => {
    pause = async () => {};
    const issue = await life.existing(reported);
    const name = lockOf(issueName(issue));
    await other.query(
      z.object({}),
      `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and objsubid = 1
         and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
      [name],
    );
    // The other process goes on with the cycle, hears a go-ahead, and writes the spec.
    await other.withLock(name, async () => {
      await other.execute("update cycles set status = 'done' where issue_id = $1", [issue.id]);
      await other.execute("update issues set state = 'specifying', debounce_until = null where id = $1", [issue.id]);
    });
  };
  await life.deliver(await life.people.assign(reported, "mia", BOT));
  const issue = await life.settled(reported);
  expect(issue).toMatchObject({ state: "specifying", failedCycles: 0 });
  expect(await life.said(issue)).toHaveLength(1);
  expect(await listCycles(life.db, issue.id)).toMatchObject([{ status: "done" }]);
});
