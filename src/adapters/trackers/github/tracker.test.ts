import { describeTracker, type PeopleOfTracker } from "../../../../test/contracts/tracker.ts";
import { ISSUE, githubStage } from "../../../../test/support/github-fixture.ts";
import type { MockGithub } from "../../../../test/mock-github/server.ts";
import type { IssueAddress } from "../../../domain/issue.ts";

function peopleOf(mock: MockGithub): PeopleOfTracker {
  const at = (address: IssueAddress) => ({
    repo: address.externalProjectId,
    number: Number(address.externalIssueId),
  });
  return {
    comment: async (address, login, body) => {
      const { comment } = mock.act({ do: "comment", as: login, ...at(address), body });
      return await Promise.resolve({ id: String(comment) });
    },
    editComment: async (address, id, login, body) =>
      await Promise.resolve(
        void mock.act({ do: "edit_comment", as: login, ...at(address), comment: Number(id), body }),
      ),
    deleteComment: async (address, id, login) =>
      await Promise.resolve(void mock.act({ do: "delete_comment", as: login, ...at(address), comment: Number(id) })),
    setPermission: async (repo, login, role) =>
      await Promise.resolve(void mock.act({ do: "permit", repo, login, role })),
    openIssue: async (repo, login, assignees) => {
      const { number } = mock.act({ do: "open", as: login, repo, title: "Another", assignees });
      return await Promise.resolve(String(number));
    },
    makeBranch: async (repo, branch) => await Promise.resolve(void mock.act({ do: "push", as: "ann", repo, branch })),
    putFile: async (repo, path, text) =>
      await Promise.resolve(void mock.world.repository(repo).files.get("main")?.set(path, text)),
  };
}

describeTracker("GitHub by a token", async () => {
  const { mock, byToken } = await githubStage();
  return { issue: ISSUE, tracker: await byToken.tracker(), people: peopleOf(mock) };
});

describeTracker("GitHub by an App", async () => {
  const { mock, byApp } = await githubStage();
  return { issue: ISSUE, tracker: await byApp.tracker(), people: peopleOf(mock) };
});
