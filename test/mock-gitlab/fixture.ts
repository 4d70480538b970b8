import { onTestFinished } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { Call } from "../../src/adapters/trackers/pages.ts";
import { callsOf } from "../../src/adapters/trackers/gitlab/calls.ts";
import { gitlabTracker } from "../../src/adapters/trackers/gitlab/tracker.ts";
import { unlimited } from "../../src/adapters/trackers/http/quota.ts";
import { createTrackerHttp } from "../../src/adapters/trackers/http/tracker-http.ts";
import type { Forge } from "../../src/adapters/trackers/code-host.ts";
import { type MockGitlab, startMockGitlab } from "./server.ts";

export const PROJECT = "group/sub/shop";
export const TOKEN = "glpat-of-this-test";

export interface GitlabStage {
  mock: MockGitlab;
  tracker: Forge;
  call: Call;
  /** Of an open issue by `ann`, labelled `bug`, assigned to `bob`. */
  issue: IssueAddress;
  /** The same for the mock. */
  at: { project: string; iid: number };
}

/** A GitLab with one private project and one issue, and the tracker that Relay has for it. */
export async function gitlabStage({ clock = systemClock }: { clock?: Clock } = {}): Promise<GitlabStage> {
  const mock = await startMockGitlab({ clock });
  onTestFinished(async () => mock.close());
  const { people } = mock;
  for (const name of ["ann", "bob", "carl", "relay"]) people.user(name);
  people.project(PROJECT);
  people.member(PROJECT, "ann", 10);
  people.member(PROJECT, "bob", 10);
  people.member(PROJECT, "relay", 30);
  people.token("relay", TOKEN);
  const iid = people.openIssue(PROJECT, "ann", {
    title: "Broken",
    description: "It is.",
    labels: ["bug"],
    assignees: ["bob"],
  });
  const http = createTrackerHttp({
    baseUrl: `${mock.url}/api/v4`,
    name: "GitLab",
    authorization: async () => await Promise.resolve({ "private-token": TOKEN }),
    quotas: unlimited,
    clock,
  });
  const call = callsOf(http, "gitlab");
  const issue = { provider: "gitlab" as const, externalProjectId: PROJECT, externalIssueId: String(iid) };
  return {
    mock,
    call,
    issue,
    at: { project: PROJECT, iid },
    tracker: gitlabTracker(call, {
      bot: "relay",
      calledAs: ["relay"],
      commitAuthor: { name: "Relay", email: "relay@example.org" },
      settlesAfterMs: 0,
      graphqlUrl: `${mock.url}/api/graphql`,
    }),
  };
}
