import { expect, onTestFinished } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { ForgeConnection } from "../../src/adapters/trackers/connection.ts";
import { githubConnection, type GithubOptions } from "../../src/adapters/trackers/github/connection.ts";
import type { Quotas } from "../../src/adapters/trackers/http/quota.ts";
import { type MockGithub, startMockGithub } from "../mock-github/server.ts";
import type { Seed } from "../mock-github/world/seed.ts";

export const PROJECT = "acme/shop";
export const TOKEN = "ghp_relaysOwnSecret";
export const ISSUE: IssueAddress = { provider: "github", externalProjectId: PROJECT, externalIssueId: "7" };

export const NO_LIMITS: Quotas = {
  admit: async () => await Promise.resolve(),
  observe: async () => await Promise.resolve(),
};

/** `acme/shop` with issue 7, which the machine user `relay` works in by a token and the App `relay` by its installation. */
const SEED: Seed = {
  organizations: ["acme", "umbrella"],
  users: ["ann", "bob", "carl", "relay"],
  repositories: [
    {
      name: PROJECT,
      private: true,
      collaborators: { ann: "read", bob: "read", relay: "write" },
      issues: [{ number: 7, title: "Broken", body: "It is.", author: "ann", labels: ["bug"], assignees: ["bob"] }],
    },
    { name: "umbrella/lab", private: true, issues: [{ title: "Leak", author: "ann" }] },
    { name: "acme/secret", private: true },
  ],
  tokens: [{ token: TOKEN, login: "relay" }],
  apps: [
    {
      slug: "relay-app",
      owner: "acme",
      permissions: {
        metadata: "read",
        issues: "write",
        contents: "write",
        pull_requests: "write",
        checks: "read",
        statuses: "read",
      },
      hook: { url: "http://127.0.0.1:9/webhooks/github", secret: "s" },
      installations: [{ account: "acme", repositories: ["shop"] }, { account: "umbrella" }],
    },
  ],
};

export interface GithubStage {
  mock: MockGithub;
  byToken: ForgeConnection;
  byApp: ForgeConnection;
  /** Another connection to the same GitHub. */
  connect: (options: Partial<GithubOptions>, clock?: Clock) => ForgeConnection;
}

/** A GitHub on loopback, with connections to it. What keeps not to GitHub's description fails the test at its end. */
export async function githubStage({
  clock = systemClock,
  prefix = "",
  timeoutMs = 20_000,
}: { clock?: Clock; prefix?: string; timeoutMs?: number } = {}): Promise<GithubStage> {
  const mock = await startMockGithub({ seed: structuredClone(SEED), clock, prefix });
  onTestFinished(async () => {
    await mock.close();
    expect(mock.violations).toEqual([]);
    expect(mock.mistakes).toEqual([]);
  });
  const app = mock.planted.apps[0];
  const connect = (options: Partial<GithubOptions>, ownClock: Clock = clock) =>
    githubConnection(
      {
        apiUrl: mock.url,
        credentials: { kind: "token", token: TOKEN },
        botUsername: null,
        webhookUrl: null,
        ...options,
      },
      { quotas: NO_LIMITS, clock: ownClock, timeoutMs },
    );
  return {
    mock,
    connect,
    byToken: connect({}),
    byApp: connect({
      credentials: { kind: "app", appId: String(app?.id), privateKey: app?.privateKey ?? "" },
      webhookUrl: "http://127.0.0.1:9/webhooks/github",
    }),
  };
}
