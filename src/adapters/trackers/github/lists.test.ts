import { describe, expect, test } from "vitest";
import { ISSUE, NO_LIMITS, PROJECT, githubStage } from "../../../../test/support/github-fixture.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import { systemClock } from "../../../lib/clock.ts";
import { githubConnection } from "./connection.ts";

const names = (found: IssueAddress[]) =>
  found.map(({ externalProjectId, externalIssueId }) => `${externalProjectId}#${externalIssueId}`).toSorted();

function timeMachine() {
  let now = Date.parse("2026-05-01T10:00:00.250Z");
  const clock = { now: () => new Date(now) };
  return { clock, goOn: (ms: number) => (now += ms) };
}

describe("issues that Relay is assigned to", () => {
  test("are found wherever its token reaches, without pull requests", async () => {
    const { mock, byToken } = await githubStage();
    mock.plant({ repositories: [{ name: "umbrella/shed", private: true, collaborators: { relay: "write" } }] });
    for (const repo of [PROJECT, "umbrella/shed", "umbrella/lab"]) {
      mock.act({ do: "open", as: "ann", repo, title: "Another", assignees: ["relay"] });
    }
    const { number } = mock.act({ do: "open", as: "ann", repo: PROJECT, title: "Done", assignees: ["relay"] });
    mock.act({ do: "close", as: "ann", repo: PROJECT, number: number ?? 0 });
    mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
    const pull = mock.act({ do: "open_pull", as: "ann", repo: PROJECT, title: "Fix", head: "fix/1-x" });
    mock.act({ do: "assign", as: "ann", repo: PROJECT, number: pull.number ?? 0, login: "relay" });
    expect(names((await byToken.listAssigned(null)).issues)).toEqual(["acme/shop#8", "umbrella/shed#1"]);
  });

  test("are found in all installations of an App, under each of its names", async () => {
    const { mock, connect } = await githubStage();
    const app = mock.planted.apps[0];
    const connection = connect({
      credentials: { kind: "app", appId: String(app?.id), privateKey: app?.privateKey ?? "" },
      botUsername: "relay",
    });
    mock.act({ do: "open", as: "ann", repo: PROJECT, title: "One", assignees: ["relay-app[bot]"] });
    mock.act({ do: "open", as: "ann", repo: PROJECT, title: "Two", assignees: ["relay", "relay-app[bot]"] });
    mock.act({ do: "open", as: "ann", repo: "umbrella/lab", title: "Three", assignees: ["relay"] });
    mock.act({ do: "open", as: "ann", repo: "umbrella/lab", title: "Not", assignees: ["ann"] });
    const issues = [{ title: "Old", author: "ann", assignees: ["relay"] }];
    mock.plant({ repositories: [{ name: "umbrella/attic", archived: true, issues }] });
    mock.act({ do: "open", as: "ann", repo: "acme/secret", title: "Hidden", assignees: ["relay"] });
    expect(names((await connection.listAssigned(null)).issues)).toEqual([
      "acme/shop#8",
      "acme/shop#9",
      "umbrella/lab#2",
    ]);
    mock.act({ do: "suspend", installation: app?.installations[0] ?? 0 });
    expect(names((await connection.listAssigned(null)).issues)).toEqual(["umbrella/lab#2"]);
  });
});

describe("a list of issues", () => {
  test("is whole in the order of changes, also when an issue changes between its pages", async () => {
    const { clock, goOn } = timeMachine();
    const { mock, byToken } = await githubStage({ clock });
    const tracker = await byToken.tracker();
    for (let n = 0; n < 250; n += 1) {
      if (n % 3 === 0) goOn(1_000);
      mock.act({ do: "open", as: "ann", repo: PROJECT, title: `Issue ${n}` });
    }
    goOn(1_000);
    const seen = new Set<string>();
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page = await tracker.listIssues(PROJECT, { since: null, assignee: null }, cursor);
      expect(page.issues.length).toBeLessThanOrEqual(100);
      for (const { externalIssueId } of page.issues) seen.add(externalIssueId);
      // What was seen moves to the end: by page numbers, those at the edge of a page would be missed.
      for (let n = 0; n < 5; n += 1) {
        mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 10 + 5 * pages + n, body: "more" });
      }
      goOn(1_000);
      pages += 1;
      cursor = page.next;
    } while (cursor !== null && pages < 10);
    expect(seen.size).toBe(251);
    expect(pages).toBeLessThan(6);
  });

  test("goes on within one second by page numbers", async () => {
    const { clock } = timeMachine();
    const { mock, byToken } = await githubStage({ clock });
    const tracker = await byToken.tracker();
    for (let n = 0; n < 250; n += 1) mock.act({ do: "open", as: "ann", repo: PROJECT, title: `Issue ${n}` });
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const page = await tracker.listIssues(PROJECT, { since: clock.now(), assignee: null }, cursor);
      for (const { externalIssueId } of page.issues) seen.add(externalIssueId);
      cursor = page.next;
    } while (cursor !== null);
    expect(seen.size).toBe(251);
    await expect(tracker.listIssues(PROJECT, { since: null, assignee: null }, "here")).rejects.toMatchObject({
      code: "invalid",
    });
  });
});

describe("changed comments", () => {
  test("are those of the very second too", async () => {
    const { clock, goOn } = timeMachine();
    const { mock, byToken } = await githubStage({ clock });
    const tracker = await byToken.tracker();
    const said = () => mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 7, body: "one" });
    said();
    goOn(1_000);
    const second = said();
    goOn(400);
    const third = said();
    const changed = await tracker.listChangedComments(ISSUE, clock.now(), []);
    expect(changed?.map(({ id }) => id)).toEqual([String(second.comment), String(third.comment)]);
  });

  test("are too many to tell above some hundreds, in a few requests", async () => {
    const { mock, byToken } = await githubStage();
    const tracker = await byToken.tracker();
    const since = new Date(Date.now() - 60_000);
    for (let n = 0; n < 300; n += 1) mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 7, body: `${n}` });
    expect(await tracker.listChangedComments(ISSUE, since, [])).toHaveLength(300);
    mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 7, body: "300" });
    const asked = mock.requests.length;
    expect(await tracker.listChangedComments(ISSUE, since, [])).toBeNull();
    expect(mock.requests.length - asked).toBe(3);
  });
});

describe("deliveries that did not arrive", () => {
  test("are told to an App, oldest first, of one repository, unless a later try succeeded", async () => {
    const { clock, goOn } = timeMachine();
    const { mock, byApp } = await githubStage({ clock });
    await byApp.tracker();
    mock.world.courier.fate = () => "fail";
    const happen = (repo: string, number: number) => mock.act({ do: "comment", as: "ann", repo, number, body: "hi" });
    happen(PROJECT, 7);
    goOn(60_000);
    const since = clock.now();
    for (let n = 0; n < 120; n += 1) {
      happen(PROJECT, 7);
      happen("umbrella/lab", 1);
      goOn(1_000);
    }
    const missed = (await byApp.listMissedDeliveries(PROJECT, since)) ?? [];
    expect(missed).toHaveLength(120);
    expect(missed[0]).toMatchObject({ event: "issue_comment.created", at: since, status: 502 });
    expect(missed.map(({ at }) => at.getTime())).toEqual(
      missed.map(({ at }) => at.getTime()).toSorted((a, b) => a - b),
    );
    const first = mock.world.courier.attempts.find(({ delivery }) => delivery.guid === missed[0]?.id);
    if (first) mock.world.courier.attempts.push({ ...first, id: mock.world.nextId(), redelivery: true, code: 202 });
    expect(await byApp.listMissedDeliveries(PROJECT, since)).toEqual(missed.slice(1));
  });

  test("are told to a token that may see the webhooks of the repository", async () => {
    const { mock, connect } = await githubStage();
    mock.plant({
      tokens: [{ token: "ghp_admin", login: "olga" }],
      repositories: [
        {
          name: "acme/blog",
          collaborators: { olga: "admin" },
          issues: [{ title: "Typo", author: "ann" }],
          hooks: [{ url: "https://relay.example/webhooks/github/", secret: "s" }],
        },
      ],
    });
    mock.world.courier.fate = () => "fail";
    mock.act({ do: "comment", as: "ann", repo: "acme/blog", number: 1, body: "hi" });
    const credentials = { kind: "token", token: "ghp_admin" } as const;
    const connection = connect({ credentials, webhookUrl: "https://relay.example/webhooks/github" });
    const since = new Date(Date.now() - 60_000);
    expect(await connection.listMissedDeliveries("acme/blog", since)).toMatchObject([
      { event: "issue_comment.created", status: 502 },
    ]);
    expect(await connect({ credentials }).listMissedDeliveries("acme/blog", since)).toBeNull();
    const other = connect({ credentials, webhookUrl: "https://elsewhere.example/" });
    expect(await other.listMissedDeliveries("acme/blog", since)).toBeNull();
    const poor = connect({ webhookUrl: "https://relay.example/webhooks/github" });
    expect(await poor.listMissedDeliveries(PROJECT, since)).toBeNull();
  });
});

test("a list of assigned issues that is cut says where it ended, and the next one goes on there", async () => {
  const asked: URL[] = [];
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
  const fetchPage: typeof fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push(url);
    const page = Number(url.searchParams.get("page") ?? 1);
    const issues = Array.from({ length: 100 }, (_, n) => ({
      number: page * 100 + n,
      title: "Wrong total",
      body: "",
      user: { login: "ann" },
      state: "open",
      labels: [],
      assignees: [{ login: "relay" }],
      repository_url: "https://api.github.com/repos/acme/shop",
      repository: { full_name: "acme/shop" },
      comments: 0,
      created_at: at(0),
      updated_at: at(page * 100 + n),
    }));
    url.searchParams.set("page", String(page + 1));
    const headers = { "content-type": "application/json", link: `<${url.href}>; rel="next"` };
    return await Promise.resolve(new Response(JSON.stringify(issues), { headers }));
  };
  const connection = githubConnection(
    {
      apiUrl: "https://api.github.com",
      credentials: { kind: "token", token: "t" },
      botUsername: null,
      webhookUrl: null,
    },
    { quotas: NO_LIMITS, clock: systemClock, fetch: fetchPage },
  );
  const { issues, cutAt } = await connection.listAssigned(null);
  expect([issues.length, asked.length, cutAt?.toISOString()]).toEqual([10_000, 100, at(10_099)]);
  await connection.listAssigned(cutAt);
  expect(asked[100]?.searchParams.get("since")).toBe(at(10_099).replace(".000Z", "Z"));
});

test("relay doctor says that more issues are assigned to Relay than one look compares", async () => {
  const link = '<https://api.github.com/issues?page=12001&per_page=1>; rel="last"';
  const answers: typeof fetch = async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const body = pathname === "/user" ? { login: "relay", id: 1 } : [];
    return await Promise.resolve(
      new Response(JSON.stringify(body), { headers: { "content-type": "application/json", link } }),
    );
  };
  const credentials = { kind: "token" as const, token: "t" };
  const connection = githubConnection(
    { apiUrl: "https://api.github.com", credentials, botUsername: null, webhookUrl: null },
    { quotas: NO_LIMITS, clock: systemClock, fetch: answers },
  );
  const found = await connection.inspect(null);
  expect(found.find(({ what }) => what === "assigned issues")?.detail).toMatch(
    /^12001 open ones; one look compares 10000/,
  );
});
