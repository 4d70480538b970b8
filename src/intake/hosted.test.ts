import { expect, test } from "vitest";
import { ISSUE, PROJECT, githubStage } from "../../test/support/github-fixture.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { silentLog } from "../lib/log.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { fetchDiscussion } from "./discussion.ts";
import { refreshDiscussion } from "./refresh.ts";

test("a thread on GitHub is kept equal by two requests for each change, after it was fetched whole", async () => {
  let now = Date.now() - 100 * 3_600_000;
  const clock = { now: () => new Date(now) };
  const { mock, byToken } = await githubStage({ clock });
  const at = { repo: PROJECT, number: Number(ISSUE.externalIssueId) };
  const ids: number[] = [];
  const say = (body: string) => {
    now += 60_000;
    const { comment } = mock.act({ do: "comment", as: "ann", ...at, body });
    ids.push(Number(comment));
    return String(comment);
  };
  for (let n = 0; n < 230; n += 1) say(`comment ${n}`);
  const real = await byToken.tracker();
  let asked = 0;
  const tracker: Pick<Tracker, "bot" | "getIssue" | "listComments" | "listChangedComments" | "getComment"> = {
    bot: real.bot,
    getIssue: async (...args) => await real.getIssue(...args).finally(() => (asked += 1)),
    listComments: async (...args) => await real.listComments(...args).finally(() => (asked += 1)),
    listChangedComments: async (...args) => await real.listChangedComments(...args).finally(() => (asked += 1)),
    getComment: async (...args) => await real.getComment(...args).finally(() => (asked += 1)),
  };
  const deps = { tracker, log: silentLog, clock };
  const told = (kind: TrackerEvent["kind"], commentId: string): TrackerEvent => ({
    ...ISSUE,
    kind,
    actor: "ann",
    actorIsBot: false,
    at: clock.now(),
    assignee: null,
    commentId,
    threadId: null,
    text: null,
    branch: null,
    outcome: null,
  });
  let stored = await refreshDiscussion({ ...told("assigned", ""), commentId: null }, null, true, deps);
  expect(asked).toBe(5);
  const change = async (event: TrackerEvent) => {
    asked = 0;
    stored = await refreshDiscussion(event, stored, false, deps);
    const requests = asked;
    expect(stored.messages).toEqual((await fetchDiscussion(ISSUE, deps)).messages);
    return requests;
  };
  expect(await change(told("commented", say("one more")))).toBe(2);
  now += 60_000;
  const [first = 0, second = 0, third = 0] = ids;
  mock.act({ do: "edit_comment", as: "ann", ...at, comment: first, body: "said better" });
  expect(await change(told("comment_edited", String(first)))).toBe(2);
  mock.act({ do: "delete_comment", as: "ann", ...at, comment: second });
  expect(await change(told("comment_deleted", String(second)))).toBe(2);
  mock.act({ do: "delete_comment", as: "ann", ...at, comment: third });
  expect(await change(told("commented", say("who deleted that?")))).toBeGreaterThan(2);
});
