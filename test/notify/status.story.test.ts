import { expect, test } from "vitest";
import { isStatusComment } from "../../src/domain/marker.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

const down = new RelayError("unavailable", "bad gateway", { status: 502, retryAfterMs: 1 });

async function shown(life: Life, issue: IssueAddress): Promise<string[]> {
  const { comments } = await life.tracker.listComments(issue, null);
  return comments.flatMap(({ body }) => (isStatusComment(body) ? [body.split("\n")[0]?.trim() ?? ""] : []));
}

/** A Relay whose tracker answers nothing for the first `failures` writes of a status comment; the write takes effect. */
async function unanswered(failures: number): Promise<Life> {
  let left = failures;
  return await openLife((deps) => ({
    trackerFor: async (repository) => {
      const tracker = { ...(await deps.trackerFor(repository)), settlesAfterMs: 40_000 };
      const unlessFailing = <T>(body: string, done: T): T => {
        if (isStatusComment(body) && (left -= 1) >= 0) throw down;
        return done;
      };
      const createComment: typeof tracker.createComment = async (address, body, thread) =>
        unlessFailing(body, await tracker.createComment(address, body, thread));
      const updateComment: typeof tracker.updateComment = async (address, id, body) =>
        unlessFailing(body, await tracker.updateComment(address, id, body));
      return { ...tracker, createComment, updateComment };
    },
  }));
}

test.each([0, 1, 3])(
  "there is one status comment, which says what is true, after %i writes without an answer (R-LIFE-9)",
  async (failures) => {
    const life = await unanswered(failures);
    const issue = await report(life);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
    await expect.poll(async () => await shown(life, issue)).toEqual(["**I’m waiting for answers from ann.**"]);
    expect(await life.said(issue)).toHaveLength(1);
  },
);

test("a tracker that refuses the status comment keeps nothing from being done", async () => {
  const life = await openLife((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      const createComment: typeof tracker.createComment = async (...args) => {
        if (isStatusComment(args[1])) throw new RelayError("forbidden", "locked", { status: 403 });
        return await tracker.createComment(...args);
      };
      return { ...tracker, createComment };
    },
  }));
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  expect(await shown(life, issue)).toEqual([]);
  expect(await life.said(issue)).toHaveLength(1);
});

test("an issue that was closed before Relay began to read gets none", async () => {
  const life = await openLife(undefined, 60_000);
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.queue.drain?.();
  const { id } = await life.existing(issue);
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  await life.settled(issue);
  await life.orchestrator.updateStatus(id);
  expect(await shown(life, issue)).toEqual([]);
});
