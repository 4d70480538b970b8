import { afterEach } from "vitest";
import { describeTracker } from "../../../../test/contracts/tracker.ts";
import type { MockGitlab } from "../../../../test/mock-gitlab/server.ts";
import { gitlabStage } from "../../../../test/mock-gitlab/fixture.ts";
import type { Permission } from "../tracker.ts";

const LEVELS = { none: 0, read: 10, triage: 20, write: 30, maintain: 40, admin: 50 } as const satisfies Record<
  Permission,
  number
>;

let current: MockGitlab | null = null;

/** GitLab's description knows each request that was made. */
afterEach(() => {
  if (current !== null && current.violations.length > 0) throw new Error(current.violations.join("\n"));
});

describeTracker("GitLab", async () => {
  const { mock, tracker, issue } = await gitlabStage();
  current = mock;
  const { people } = mock;
  const at = (address: typeof issue) => ({ project: address.externalProjectId, iid: Number(address.externalIssueId) });
  const done = async () => await Promise.resolve();
  return {
    issue,
    tracker,
    people: {
      comment: async (address, login, body) => {
        await done();
        return { id: String(people.comment(at(address), login, body).id) };
      },
      editComment: async (address, id, login, body) => {
        await done();
        people.editComment(at(address), Number(id), login, body);
      },
      deleteComment: async (address, id) => {
        await done();
        people.deleteComment(at(address), Number(id));
      },
      setPermission: async (project, login, permission) => {
        await done();
        people.member(project, login, LEVELS[permission]);
      },
      openIssue: async (project, login, assignees) => {
        await done();
        return String(people.openIssue(project, login, { title: "Another", assignees }));
      },
      makeBranch: async (project, branch) => {
        await done();
        people.branch(project, branch);
      },
      putFile: async (project, path, text) => {
        await done();
        people.file(project, path, text);
      },
    },
  };
});
