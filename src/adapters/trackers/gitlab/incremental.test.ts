import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";
import { gitlabStage, type GitlabStage } from "../../../../test/mock-gitlab/fixture.ts";
import type { CommentPage, TrackerComment } from "../tracker.ts";

async function whole({ tracker, issue }: GitlabStage): Promise<TrackerComment[]> {
  const comments: TrackerComment[] = [];
  let cursor: string | null = null;
  do {
    const page: CommentPage = await tracker.listComments(issue, cursor);
    comments.push(...page.comments);
    cursor = page.next;
  } while (cursor !== null);
  return comments;
}

/**
 * Without the time of the edit: GitLab saves the head of a thread with its first reply, and once that reply is deleted,
 * nothing tells that from an edit any more.
 */
function byId(comments: Iterable<TrackerComment>): TrackerComment[] {
  return [...comments]
    .toSorted((one, other) => Number(one.id) - Number(other.id))
    .map((comment) => ({ ...comment, editedAt: null }));
}

const deed = record({ what: constantFrom("comment", "reply", "edit", "delete", "note"), which: nat() });

/** Does it, and gives the thread that an event would have named; null where there is no event. */
function perform({ mock: { people, state }, at }: GitlabStage, { what, which }: { what: string; which: number }) {
  const said = (state.projects[0]?.issues[0]?.notes ?? []).filter((note) => !note.system);
  const one = said[which % Math.max(1, said.length)];
  if (what === "note") people.comment(at, "ann", "changed something", { system: true });
  if (what === "comment" || one === undefined) return people.comment(at, "ann", `comment ${which}`).thread;
  if (what === "reply") people.comment(at, "bob", `reply ${which}`, { thread: one.discussionId });
  if (what === "edit") people.editComment(at, one.id, "ann", `edited ${which}`);
  if (what === "delete") people.deleteComment(at, one.id);
  return what === "reply" || what === "edit" ? one.discussionId : null;
}

test("what is kept with what changed is the whole thread, or the count of comments says that it is not", async () => {
  await assert(
    asyncProperty(array(array(deed, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), async (rounds) => {
      const stage = await gitlabStage();
      const { mock, tracker, issue } = stage;
      let kept = await whole(stage);
      for (const deeds of rounds) {
        const since = mock.state.now();
        const threads = deeds.flatMap((one) => perform(stage, one) ?? []);
        const changed = await tracker.listChangedComments(issue, since, threads);
        const now = await whole(stage);
        const { commentCount } = await tracker.getIssue(issue);
        expect(commentCount).toBe(now.length);
        const merged = new Map([...kept, ...(changed ?? [])].map((comment) => [comment.id, comment]));
        const isTaken = changed !== null && merged.size === commentCount;
        expect(byId(isTaken ? merged.values() : now)).toEqual(byId(now));
        kept = now;
      }
      expect(mock.violations).toEqual([]);
      await mock.close();
    }),
    { numRuns: 25 },
  );
});
