import { expect, onTestFinished } from "vitest";
import {
  type HostedPlace,
  type SeenRequest,
  CODE_OWNERS,
  PEOPLE,
  RELAY_FILE,
  WEBHOOK_SECRET,
} from "./hosted-tracker.ts";
import { isPull } from "../mock-github/http/rights.ts";
import { startMockGithub } from "../mock-github/server.ts";
import type { Seed } from "../mock-github/world/seed.ts";

const PROJECT = "acme/quillbill";
const TOKEN = "ghp_theTokenOfRelay";

/** Everything that GitHub is to ask an owner for. */
const APP: NonNullable<Seed["apps"]>[number] = {
  slug: "relay-acme",
  owner: "acme",
  permissions: {
    metadata: "read",
    issues: "write",
    contents: "write",
    pull_requests: "write",
    checks: "read",
    statuses: "read",
  },
  hook: { url: "http://127.0.0.1:9/webhooks/github", secret: WEBHOOK_SECRET },
  installations: [{ account: "acme" }],
};

/** A GitHub in which Relay is an App, called by a mention. */
export async function githubAppPlace(): Promise<HostedPlace> {
  return await githubPlace("as an App");
}

/** A GitHub with one private repository. What keeps not to GitHub's description fails the test at its end. */
export async function githubPlace(how?: "as an App" | "without limits"): Promise<HostedPlace> {
  const mock = await startMockGithub({
    seed: {
      organizations: ["acme"],
      users: Object.keys(PEOPLE),
      repositories: [
        {
          name: PROJECT,
          private: true,
          collaborators: PEOPLE,
          files: { ".github/CODEOWNERS": CODE_OWNERS, ".relay.yml": RELAY_FILE },
        },
      ],
      tokens: [{ token: TOKEN, login: "relay" }],
      apps: how === "as an App" ? [APP] : [],
    },
  });
  if (how === "without limits") mock.world.limits.limit = 100_000;
  onTestFinished(async () => {
    await mock.close();
    expect(mock.violations).toEqual([]);
    expect(mock.mistakes).toEqual([]);
  });
  const repository = mock.world.repository(PROJECT);
  const at = (number: number) => ({ repo: PROJECT, number });
  const pulls = () => [...repository.items.values()].filter(isPull);
  const pull = (number: number) => {
    const found = pulls().find((one) => one.number === number);
    if (found === undefined) throw new Error(`there is no request ${number}`);
    return found;
  };
  const [planted] = mock.planted.apps;
  const app = planted && mock.world.apps.get(planted.id);
  const access: Record<string, string> = planted
    ? { GITHUB_APP_ID: String(planted.id), GITHUB_PRIVATE_KEY: planted.privateKey ?? "" }
    : { GITHUB_TOKEN: TOKEN };
  return {
    provider: "github",
    project: PROJECT,
    bot: app ? "relay-acme[bot]" : "relay",
    env: { ...access, GITHUB_API_URL: mock.url, GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET },
    login: app ? undefined : { username: "x-access-token", password: TOKEN },
    setCode: (url) => {
      repository.cloneUrl = url;
    },
    setHook: (address) => {
      const hook = { url: `${address}/webhooks/github`, secret: WEBHOOK_SECRET, events: ["*"], active: true };
      if (app?.hook) app.hook.url = hook.url;
      else repository.hooks = [{ ...hook, id: mock.world.nextId(), createdAt: new Date() }];
    },
    setBranches: (heads) => {
      for (const [branch, sha] of heads) {
        if (repository.branches.get(branch) === sha) continue;
        mock.act({ do: "push", as: "relay", repo: PROJECT, branch, sha });
      }
    },
    assign: (as, title, body) => {
      const assignees = app ? [] : ["relay"];
      const opened = mock.act({ do: "open", as, repo: PROJECT, title, body, labels: ["bug"], assignees });
      const number = opened.number ?? 0;
      if (app) mock.act({ do: "comment", as: "mia", ...at(number), body: "@relay-acme, please have a look." });
      return number;
    },
    say: (issue, as, body) => void mock.act({ do: "comment", as, ...at(issue), body }),
    issue: (number) => {
      const { labels, state, comments } = mock.world.item(PROJECT, number);
      return { labels, open: state === "open", said: comments.map(({ author, body }) => ({ author, body })) };
    },
    requests: () =>
      pulls().map((one): SeenRequest => ({
        number: one.number,
        title: one.title,
        body: one.body ?? "",
        branch: one.pull.head,
        head: one.pull.headSha,
        labels: one.labels,
        reviewers: one.pull.reviewers,
        state: one.pull.mergedAt === null ? one.state : "merged",
      })),
    saidOn: (request) => mock.world.item(PROJECT, request).comments.map(({ author, body }) => ({ author, body })),
    review: (request, as, { path, line, body }) =>
      String(mock.act({ do: "review_comment", as, ...at(request), path, line, body }).comment),
    thread: (request, name) =>
      pull(request)
        .pull.comments.filter(({ id, inReplyTo }) => [id, inReplyTo].includes(Number(name)))
        .map(({ author, body }) => ({ author, body })),
    check: ({ head }, outcome, output) => {
      const conclusion = outcome === "passed" ? "success" : "failure";
      mock.act({ do: "check_run", repo: PROJECT, sha: head, name: "lint", conclusion, summary: output });
    },
    merge: (request, issue, as) => {
      mock.act({ do: "merge", as, ...at(request) });
      mock.act({ do: "close", as, ...at(issue) });
    },
  };
}
