import { createEmulator } from "emulate";
import { expect, onTestFinished, test } from "vitest";
import { openOn } from "../../../../test/support/find-open-request.ts";
import { z } from "zod";
import { NO_LIMITS } from "../../../../test/support/github-fixture.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import { systemClock } from "../../../lib/clock.ts";
import { githubConnection } from "./connection.ts";

const ISSUE: IssueAddress = { provider: "github", externalProjectId: "acme/shop", externalIssueId: "1" };

/** A second opinion: a GitHub that other people wrote, with the App installed in two accounts. */
async function setUp() {
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      github: {
        users: [{ login: "ann" }, { login: "zoe" }],
        orgs: [{ login: "acme", name: "Acme", members: [{ login: "ann", role: "admin" }] }],
        repos: [
          { owner: "acme", name: "shop", auto_init: true },
          { owner: "zoe", name: "blog", auto_init: true },
        ],
        apps: [
          {
            ...{ app_id: 12_345, slug: "relay", name: "Relay", events: [] },
            permissions: { metadata: "read", issues: "write", contents: "write", pull_requests: "write" },
            installations: [
              { installation_id: 100, account: "acme", repository_selection: "all" },
              { installation_id: 200, account: "zoe", repository_selection: "all" },
            ],
          },
        ],
      },
    },
  });
  onTestFinished(async () => {
    await emulator.close();
  });
  const privateKey = emulator.generatedSecrets.find(({ id }) => id === "12345")?.value ?? "";
  const connect = (key: string) =>
    githubConnection(
      {
        apiUrl: emulator.url,
        credentials: { kind: "app", appId: "12345", privateKey: key },
        botUsername: null,
        webhookUrl: null,
      },
      { quotas: NO_LIMITS, clock: systemClock },
    );
  const asAnn = async (path: string, body: unknown) =>
    await fetch(emulator.url + path, {
      method: "POST",
      headers: { authorization: "Bearer ann", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await asAnn("/repos/acme/shop/issues", { title: "Broken", body: "It is.", labels: ["bug"] });
  await asAnn("/repos/zoe/blog/issues", { title: "Typo" });
  return { url: emulator.url, asAnn, privateKey, connect };
}

test("an App writes in two accounts, with a token for each", async () => {
  const { connect, privateKey } = await setUp();
  const connection = connect(privateKey);
  const tracker = await connection.tracker();
  expect(tracker).toMatchObject({ bot: "relay[bot]", calledAs: ["relay", "relay[bot]"] });
  expect(await tracker.getIssue(ISSUE)).toMatchObject({ title: "Broken", author: "ann", labels: ["bug"] });
  const said = await tracker.createComment(ISSUE, "Which one?", null);
  expect(said).toMatchObject({ body: "Which one?", author: "relay[bot]", isBot: true });
  const other = { ...ISSUE, externalProjectId: "zoe/blog" };
  expect(await tracker.createComment(other, "Where?", null)).toMatchObject({ author: "relay[bot]" });
  const [one, two] = await Promise.all(
    ["acme/shop", "zoe/blog"].map(async (project) => await connection.gitCredential(project, false)),
  );
  expect(one?.username).toBe("x-access-token");
  expect(one?.password).not.toBe(two?.password);
});

test("a key that is not the App's, or none at all, is told apart", async () => {
  const { connect } = await setUp();
  const { privateKey } = await setUp();
  await expect(connect(privateKey).tracker()).rejects.toMatchObject({ code: "forbidden", status: 401 });
  await expect(connect("nonsense").tracker()).rejects.toMatchObject({ code: "config" });
});

test("a thread of three pages is whole", async () => {
  const { connect, privateKey, asAnn } = await setUp();
  for (let n = 0; n < 205; n += 1) await asAnn("/repos/acme/shop/issues/1/comments", { body: `comment ${n}` });
  const tracker = await connect(privateKey).tracker();
  const bodies: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await tracker.listComments(ISSUE, cursor);
    bodies.push(...page.comments.map(({ body }) => body));
    cursor = page.next;
  } while (cursor !== null);
  expect(bodies).toEqual(Array.from({ length: 205 }, (_, n) => `comment ${n}`));
});

test("labels are made with a colour of their own, added and removed", async () => {
  const { connect, privateKey } = await setUp();
  const tracker = await connect(privateKey).tracker();
  await tracker.changeLabels(ISSUE, { add: ["relay:done"], remove: [] });
  expect((await tracker.getIssue(ISSUE)).labels).toEqual(["bug", "relay:done"]);
  await tracker.changeLabels(ISSUE, { add: [], remove: ["relay:done", "never"] });
  expect((await tracker.getIssue(ISSUE)).labels).toEqual(["bug"]);
});

test("the code can be looked at, and a pull request made", async () => {
  const { url, connect, privateKey, asAnn } = await setUp();
  const tracker = await connect(privateKey).tracker();
  expect(await tracker.readFile("acme/shop", "README.md")).toBe("# shop\n");
  expect(await tracker.readFile("acme/shop", "CODEOWNERS")).toBeNull();
  expect(await tracker.getProject("acme/shop")).toMatchObject({ defaultBranch: "main" });
  const main = await (await fetch(`${url}/repos/acme/shop/branches/main`)).json();
  const { sha } = z.object({ commit: z.object({ sha: z.string() }) }).parse(main).commit;
  await asAnn("/repos/acme/shop/git/refs", { ref: "refs/heads/fix/1-x", sha });
  expect(await tracker.branchExists("acme/shop", "fix/1-x")).toBe(true);
  expect(await tracker.branchExists("acme/shop", "fix/1")).toBe(false);
  const request = { title: "Fix", body: "why", head: "fix/1-x", base: "main", draft: false };
  const made = await tracker.createPullRequest("acme/shop", request);
  expect(made).toMatchObject({ ...request, state: "open" });
  expect(await openOn(tracker, "acme/shop", "fix/1-x")).toMatchObject({ number: made.number });
  expect(await openOn(tracker, "acme/shop", "main")).toBeNull();
  await expect(tracker.getIssue({ ...ISSUE, externalIssueId: String(made.number) })).rejects.toMatchObject({
    code: "not_found",
  });
});
