import { describe, expect, test } from "vitest";
import { ISSUE, PROJECT, githubStage } from "../../../../test/support/github-fixture.ts";
import type { MockGithub } from "../../../../test/mock-github/server.ts";
import { systemClock } from "../../../lib/clock.ts";
import { unlimited } from "../http/quota.ts";
import { githubConnection } from "./connection.ts";
import { faultOf } from "../../../../test/mock-github/http/faults.ts";

const LAB = { ...ISSUE, externalProjectId: "umbrella/lab", externalIssueId: "1" };
const MINUTE = 60_000;

function timeMachine() {
  let now = Date.now();
  return {
    clock: { now: () => new Date(now) },
    goOn: (ms: number) => {
      now += ms;
    },
  };
}

function minted({ requests }: MockGithub): number {
  return requests.filter(({ path }) => path.endsWith("/access_tokens")).length;
}

test("the token of a workflow's job, which is an App's, acts as that App and has no list of issues", async () => {
  const { mock, byApp } = await githubStage();
  const { password: token } = await byApp.gitCredential(PROJECT, false);
  const connection = githubConnection(
    { apiUrl: mock.url, credentials: { kind: "token", token }, botUsername: "relay", webhookUrl: null },
    { clock: systemClock, quotas: unlimited },
  );
  const tracker = await connection.tracker();
  expect(tracker).toMatchObject({ bot: "relay-app[bot]", calledAs: ["relay-app", "relay-app[bot]", "relay"] });
  expect(await tracker.createComment(ISSUE, "Hi", null)).toMatchObject({ author: "relay-app[bot]" });
  expect((await tracker.commitAuthor(PROJECT)).email).toMatch(/^\d+\+relay-app\[bot\]@/);
  expect(await connection.listAssigned(null)).toEqual({ issues: [], cutAt: null });
});

describe("an App", () => {
  test("works in several accounts at once, each by a token of its own that is asked for once", async () => {
    const { mock, byApp } = await githubStage();
    const tracker = await byApp.tracker();
    expect(tracker).toMatchObject({ bot: "relay-app[bot]", calledAs: ["relay-app", "relay-app[bot]"] });
    const both = [ISSUE, LAB, ISSUE, LAB];
    const said = await Promise.all(both.map(async (issue) => await tracker.createComment(issue, "Hi", null)));
    expect(said.map(({ author }) => author)).toEqual(both.map(() => "relay-app[bot]"));
    expect(minted(mock)).toBe(2);
    const passwords = await Promise.all(
      [PROJECT, "umbrella/lab"].map(async (project) => await byApp.gitCredential(project, false)),
    );
    expect(new Set(passwords.map(({ password }) => password)).size).toBe(2);
    expect(minted(mock)).toBe(2);
  });

  test("does not see what it is not installed for", async () => {
    const { byApp } = await githubStage();
    const tracker = await byApp.tracker();
    await expect(tracker.getProject("acme/secret")).rejects.toMatchObject({ code: "not_found", status: 404 });
    await expect(tracker.getProject("acme/secret")).rejects.toThrow("install it");
    await expect(byApp.gitCredential("acme/secret", false)).rejects.toMatchObject({ code: "not_found" });
  });

  test("gets a new token some minutes before the old one ends", async () => {
    const { clock, goOn } = timeMachine();
    const { mock, byApp } = await githubStage({ clock });
    const tracker = await byApp.tracker();
    const { password } = await byApp.gitCredential(PROJECT, false);
    goOn(54 * MINUTE);
    expect((await byApp.gitCredential(PROJECT, false)).password).toBe(password);
    goOn(2 * MINUTE);
    expect((await byApp.gitCredential(PROJECT, false)).password).not.toBe(password);
    goOn(120 * MINUTE);
    expect(await tracker.getIssue(ISSUE)).toMatchObject({ title: "Broken" });
    expect(minted(mock)).toBe(3);
  });

  test("gets a new token where GitHub does not take the one that it has, once", async () => {
    const { mock, byApp } = await githubStage();
    const tracker = await byApp.tracker();
    await tracker.getIssue(ISSUE);
    revokeTokens(mock);
    const said = await tracker.createComment(ISSUE, "Still here", null);
    expect((await tracker.listComments(ISSUE, null)).comments.map(({ id }) => id)).toEqual([said.id]);
    expect(minted(mock)).toBe(2);
    mock.world.faults = [faultOf({ path: "/comments", trouble: { kind: "status", status: 401 } })];
    await expect(tracker.createComment(ISSUE, "x", null)).rejects.toMatchObject({ code: "forbidden", status: 401 });
    expect(minted(mock)).toBe(3);
  });

  test("gives git another password after a refusal", async () => {
    const { byApp } = await githubStage();
    const first = await byApp.gitCredential(PROJECT, false);
    const second = await byApp.gitCredential(PROJECT, true);
    expect(first.username).toBe("x-access-token");
    expect(second.password).not.toBe(first.password);
    expect(await byApp.gitCredential(PROJECT, false)).toEqual(second);
  });

  test("goes on after it was removed from an account and installed again", async () => {
    const { clock, goOn } = timeMachine();
    const { mock, byApp } = await githubStage({ clock });
    const tracker = await byApp.tracker();
    await tracker.getIssue(LAB);
    const [app] = mock.planted.apps;
    mock.act({ do: "uninstall", installation: app?.installations[1] ?? 0 });
    await expect(tracker.getIssue(LAB)).rejects.toMatchObject({ code: "not_found" });
    expect(await tracker.getIssue(ISSUE)).toMatchObject({ title: "Broken" });
    mock.act({ do: "install", app: app?.id ?? 0, account: "umbrella" });
    goOn(1_000);
    expect(await tracker.getIssue(LAB)).toMatchObject({ title: "Leak" });
  });

  test("says so where it is suspended", async () => {
    const { mock, byApp } = await githubStage();
    const tracker = await byApp.tracker();
    mock.act({ do: "suspend", installation: mock.planted.apps[0]?.installations[1] ?? 0 });
    await expect(tracker.getIssue(LAB)).rejects.toMatchObject({ code: "forbidden", status: 403 });
    await expect(tracker.getIssue(LAB)).rejects.toThrow("suspended");
  });

  test("is believed also where our clock is some minutes ahead", async () => {
    const ahead = { now: () => new Date(Date.now() + 3 * MINUTE) };
    const { mock, connect } = await githubStage();
    const app = mock.planted.apps[0];
    const credentials = { kind: "app", appId: String(app?.id), privateKey: app?.privateKey ?? "" } as const;
    expect((await connect({ credentials }, ahead).tracker()).bot).toBe("relay-app[bot]");
  });

  test("tells what is wrong with a key, and not the key", async () => {
    const { mock, connect } = await githubStage();
    const id = String(mock.planted.apps[0]?.id);
    const broken = connect({ credentials: { kind: "app", appId: id, privateKey: "-----BEGIN oops" } });
    const error: unknown = await broken.tracker().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "config", retryable: false });
    expect(String(error)).not.toContain("oops");
    const key = mock.planted.apps[0]?.privateKey ?? "";
    const escaped = connect({
      credentials: { kind: "app", appId: id, privateKey: key.replaceAll("\n", String.raw`\n`) },
    });
    expect((await escaped.tracker()).bot).toBe("relay-app[bot]");
    const unknown = connect({ credentials: { kind: "app", appId: "1", privateKey: key } });
    await expect(unknown.tracker()).rejects.toMatchObject({ code: "not_found" });
  });

  test("makes its commits by its account's number and login, which it looks up once (R-WORK-6)", async () => {
    const { mock, byApp } = await githubStage();
    const tracker = await byApp.tracker();
    const project = ISSUE.externalProjectId;
    const email = await tracker.commitAuthor(project).then((author) => author.email);
    expect(email).toMatch(/^\d+\+relay-app\[bot\]@users\.noreply\.127\.0\.0\.1$/);
    expect(await tracker.commitAuthor(project)).toEqual({ name: "relay-app[bot]", email });
    expect(mock.requests.filter(({ path }) => path.startsWith("/users/"))).toHaveLength(1);
  });

  test("can be called by the name of a machine user besides its own", async () => {
    const { mock, connect } = await githubStage();
    const app = mock.planted.apps[0];
    const connection = connect({
      credentials: { kind: "app", appId: String(app?.id), privateKey: app?.privateKey ?? "" },
      botUsername: "relay",
    });
    expect((await connection.tracker()).calledAs).toEqual(["relay-app", "relay-app[bot]", "relay"]);
  });
});

test.each([
  ["by a token", "byToken"],
  ["by an App", "byApp"],
] as const)("an Enterprise server is reached below its prefix, %s", async (_, way) => {
  const stage = await githubStage({ prefix: "/api/v3" });
  const { mock } = stage;
  const connection = stage[way];
  expect(connection.baseUrl).toBe(new URL(mock.url).origin);
  const tracker = await connection.tracker();
  for (let n = 0; n < 101; n += 1) mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 7, body: `${n}` });
  const first = await tracker.listComments(ISSUE, null);
  const second = await tracker.listComments(ISSUE, first.next);
  expect(second.comments.map(({ body }) => body)).toEqual(["100"]);
  mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
  const request = { title: "Fix", body: "", head: "fix/1-x", base: "main", draft: true };
  const { number } = await tracker.createPullRequest(PROJECT, request);
  expect(await tracker.updatePullRequest(PROJECT, number, { draft: false })).toMatchObject({ draft: false });
  expect(mock.requests.some(({ path }) => path === "/graphql")).toBe(true);
});

function revokeTokens({ world }: MockGithub): void {
  for (const [token, { kind }] of world.tokens) if (kind === "installation") world.tokens.delete(token);
}
