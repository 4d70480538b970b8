import { expect, onTestFinished } from "vitest";
import {
  type HostedPlace,
  type SeenRequest,
  CODE_OWNERS,
  PEOPLE,
  RELAY_FILE,
  WEBHOOK_SECRET,
} from "./hosted-tracker.ts";
import { startMockGitlab } from "../mock-gitlab/server.ts";

const PROJECT = "acme/quillbill";
const TOKEN = "glpat-theTokenOfRelay";
const LEVELS = { read: 20, write: 30 } as const;

/** Without what GitLab itself notes. */
const spoken = (notes: readonly { system: boolean; author: { username: string }; body: string }[]) =>
  notes.filter(({ system }) => !system).map(({ author, body }) => ({ author: author.username, body }));

/** A GitLab with one private project. Calls that GitLab does not know fail the test at its end. */
export async function gitlabPlace(): Promise<HostedPlace> {
  const mock = await startMockGitlab();
  onTestFinished(async () => {
    await mock.close();
    expect(mock.violations).toEqual([]);
  });
  const { people } = mock;
  for (const name of Object.keys(PEOPLE)) people.user(name);
  people.project(PROJECT);
  for (const [name, may] of Object.entries(PEOPLE)) people.member(PROJECT, name, LEVELS[may]);
  people.token("relay", TOKEN);
  people.file(PROJECT, "CODEOWNERS", CODE_OWNERS);
  people.file(PROJECT, ".relay.yml", RELAY_FILE);
  const project = mock.state.projects.find(({ path }) => path === PROJECT);
  if (project === undefined) throw new Error("the mock has no project");
  const at = (iid: number) => ({ project: PROJECT, iid });
  const ofRequest = (iid: number) => ({ ...at(iid), kind: "merge_request" as const });
  return {
    provider: "gitlab",
    project: PROJECT,
    bot: "relay",
    env: { GITLAB_URL: mock.url, GITLAB_TOKEN: TOKEN, GITLAB_WEBHOOK_SECRET: WEBHOOK_SECRET },
    login: { username: "oauth2", password: TOKEN },
    setCode: (url) => {
      project.cloneUrl = url;
    },
    setHook: (address) => {
      project.hooks = [];
      people.hook(PROJECT, `${address}/webhooks/gitlab`, { token: WEBHOOK_SECRET });
    },
    setBranches: (heads) => {
      for (const [branch, sha] of heads) project.branches.set(branch, sha);
    },
    assign: (author, title, description) => {
      const iid = people.openIssue(PROJECT, author, { title, description, labels: ["bug"] });
      people.edit(at(iid), author, { assignees: ["relay"] });
      return iid;
    },
    say: (issue, author, body) => void people.comment(at(issue), author, body),
    issue: (number) => {
      const issue = project.issues.find(({ iid }) => iid === number);
      const { labels = [], state = "closed", notes = [] } = issue ?? {};
      return { labels, open: state === "opened", said: spoken(notes) };
    },
    requests: () =>
      project.mergeRequests.map((one): SeenRequest => ({
        number: one.iid,
        title: one.title,
        body: one.description,
        branch: one.sourceBranch,
        head: project.branches.get(one.sourceBranch) ?? "",
        labels: one.labels,
        reviewers: one.reviewers.map(({ username }) => username),
        state: one.state === "opened" ? "open" : one.state,
      })),
    saidOn: (request) => spoken(project.mergeRequests.find(({ iid }) => iid === request)?.notes ?? []),
    review: (request, author, { path, line, body }) =>
      people.comment(ofRequest(request), author, body, { position: { path, line } }).thread,
    thread: (request, name) => {
      const notes = project.mergeRequests.find(({ iid }) => iid === request)?.notes ?? [];
      return spoken(notes.filter(({ discussionId }) => discussionId === name));
    },
    check: ({ head, branch }, outcome, output) => {
      const status = outcome === "passed" ? "success" : "failed";
      people.job(PROJECT, head, { name: "lint", status, ref: branch, trace: output });
      people.pipeline(PROJECT, "mia", branch, status);
    },
    merge: (request, issue, as) => {
      people.edit(ofRequest(request), as, { state: "merged" });
      people.edit(at(issue), as, { state: "closed" });
    },
  };
}
