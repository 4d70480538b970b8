import { expect, test } from "vitest";
import { openLife, report, BOT } from "../../test/support/relay.ts";
import { RelayError, Postponed } from "../lib/errors.ts";
import { listAudit } from "../storage/audit.ts";
import { postOnce } from "./post-once.ts";

test("what was said and not recorded, for the answer was lost, is recorded the next time, and said once", async () => {
  const life = await openLife();
  const reported = await report(life);
  await life.deliver(await life.people.assign(reported, "mia", BOT));
  const issue = await life.settled(reported);
  const before = (await life.said(issue)).length;
  const cut: typeof life.tracker.createComment = async (...args) => {
    await life.tracker.createComment(...args);
    throw new RelayError("unavailable", "the connection was cut");
  };
  const message = { key: "notice:1", words: "Nothing more today.", why: "a test" };
  const tell = async (tracker = life.tracker) => await postOnce(issue, message, { ...life, tracker });
  await expect(tell({ ...life.tracker, createComment: cut })).rejects.toThrow("cut");
  const { id } = await tell();
  await tell();
  expect(await life.said(issue)).toHaveLength(before + 1);
  const posted = (await listAudit(life.db, issue.id)).filter(({ what }) => what === "comment.posted");
  expect(posted.filter(({ after }) => JSON.stringify(after).includes(id))).toHaveLength(1);
});

test("nothing is said while a close waits to be processed (R-LIFE-10)", async () => {
  let held = false;
  const life = await openLife(({ jobs }) => ({
    jobs: { ...jobs, sendEvents: async (...given) => (held ? undefined : await jobs.sendEvents(...given)) },
  }));
  const reported = await report(life);
  await life.deliver(await life.people.assign(reported, "mia", BOT));
  const issue = await life.settled(reported);
  const before = (await life.said(issue)).length;
  held = true;
  await life.deliver(await life.people.setState(reported, "mia", "closed"));
  const message = { key: "notice:1", words: "One more thing.", why: "a test" };
  const deps = { ...life, recheck: life.orchestrator.yieldToHalt };
  await expect(postOnce(issue, message, deps)).rejects.toBeInstanceOf(Postponed);
  expect(await life.said(issue)).toHaveLength(before);
  await life.worked(reported);
  await postOnce(issue, message, deps);
  expect(await life.said(issue)).toHaveLength(before + 1);
});

test("links in a comment lead to what people named in the thread and what the operator lists, wherever its words come from (R-SAFE-7)", async () => {
  const life = await openLife();
  const reported = await report(life);
  await life.deliver(await life.people.assign(reported, "mia", BOT));
  await life.deliver(await life.people.comment(reported, "mia", "see https://docs.example/x"));
  const issue = await life.settled(reported);
  const tracker = { ...life.tracker, linked: ["https://wiki.example"] };
  const words = "https://docs.example/y https://wiki.example/z https://evil.example/?q=data";
  await postOnce(issue, { key: "notice:1", words, why: "a test" }, { ...life, tracker });
  expect(JSON.stringify(await life.said(issue))).toContain(
    "https://docs.example/y https://wiki.example/z `https://evil.example/?q=data`",
  );
});
