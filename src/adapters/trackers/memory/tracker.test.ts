import { describeReviews } from "../../../../test/contracts/review-tracker.ts";
import { describeTracker } from "../../../../test/contracts/tracker.ts";
import { memoryDemo } from "../../../../test/support/memory-request.ts";

const done = async <T>(value: T): Promise<T> => await Promise.resolve(value);

describeTracker("the memory", async () => {
  const { tracker, people } = memoryDemo();
  const issue = people.openIssue("demo", "ann", { title: "Broken", labels: ["bug"], assignees: ["bob"] });
  return await done({
    tracker,
    issue,
    people: {
      comment: async (address, login, body) => await done({ id: people.comment(address, login, body) }),
      editComment: async (address, id, _, body) => await done(people.editComment(address, id, body)),
      deleteComment: async (address, id) => await done(people.deleteComment(address, id)),
      setPermission: async (project, login, permission) => await done(people.setMember(project, login, permission)),
      openIssue: async (project, login, assignees) =>
        await done(people.openIssue(project, login, { title: "Another", assignees }).externalIssueId),
      makeBranch: async (project, branch) => await done(people.makeBranch(project, branch)),
      putFile: async (project, path, text) => await done(people.putFile(project, path, text)),
    },
  });
});

describeReviews("the memory", async () => {
  const { tracker, people } = memoryDemo();
  const request = await tracker.createPullRequest("demo", {
    title: "Fix",
    body: "why",
    head: "fix/7-x",
    base: "main",
    draft: false,
  });
  return {
    tracker,
    request,
    project: "demo",
    commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
    people: {
      say: async ({ login, ...at }, body, place) => void (await done(people.reviewComment(at, login, body, place))),
      reply: async ({ login, ...at }, threadId, body) =>
        void (await done(people.reviewComment(at, login, body, { threadId }))),
      review: async ({ login, ...at }, _, body) =>
        void (await done(body === "" ? null : people.reviewComment(at, login, body, null))),
      resolve: async (at, threadId) => await done(people.resolveThread(at, threadId)),
      merge: async (at) => await done(people.mergeRequest(at)),
      close: async (at) => await done(people.closeRequest(at)),
      report: async (project, commit, check) => await done(people.reportCheck(project, commit, check)),
      labelsOf: async (project, number) => await done(people.labelsOfRequest({ project, number })),
    },
  };
});
