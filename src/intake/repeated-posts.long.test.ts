import { expect, test } from "vitest";
import { openLife, report, BOT } from "../../test/support/relay.ts";
import { RelayError } from "../lib/errors.ts";
import { listAudit } from "../storage/audit.ts";

const TWICE = "Nothing more today.\n\n<!-- relay:notice:1 -->";

async function saidTwice(fails = false) {
  const life = await openLife(({ trackerFor }) => ({
    trackerFor: async (repository) => {
      const tracker = await trackerFor(repository);
      if (!fails) return tracker;
      const deleteComment = async () => await Promise.reject(new RelayError("forbidden", "locked", { status: 403 }));
      return { ...tracker, deleteComment };
    },
  }));
  const reported = await report(life);
  await life.deliver(await life.people.assign(reported, "mia", BOT));
  await life.settled(reported);
  const older = await life.tracker.createComment(reported, TWICE, null);
  const younger = await life.tracker.createComment(reported, TWICE, null);
  await life.people.comment(reported, "ann", TWICE);
  await life.deliver(await life.people.comment(reported, "ann", "It is wrong for an empty cart."));
  const issue = await life.settled(reported);
  const { comments } = await life.tracker.listComments(reported, null);
  const ids = comments.filter(({ author, body }) => author === BOT && body === TWICE).map(({ id }) => id);
  const audit = (await listAudit(life.db, issue.id)).filter(({ what }) => what === "comment.repeated");
  return { older, younger, ids, audit, issue };
}

test("of two comments of Relay's with one key the younger goes, and the record says so (R-IN-13)", async () => {
  const { older, younger, ids, audit } = await saidTwice();
  expect(ids).toEqual([older.id]);
  expect(audit[0]).toMatchObject({ before: { comment_id: younger.id }, after: { comment_id: older.id } });
});

test("one that cannot be deleted stops nothing", async () => {
  const { ids, issue } = await saidTwice(true);
  expect(ids).toHaveLength(2);
  expect(issue.failedCycles).toBe(0);
});
