import { Agent, type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operatorView } from "../../../src/app/people/viewer.ts";
import { listKept, proposeLearning } from "../../../src/storage/learnings.ts";
import { type ApiDocument, openApi } from "../../support/api.ts";
import { ADMIN_TOKEN } from "../../support/dashboard.ts";
import { addManyIssues } from "../../support/many-issues.ts";
import { openPlanning, planOf, planned } from "../../support/planning-relay.ts";
import { BOT, openLife, report } from "../../support/relay.ts";
import { some } from "../../support/tries.ts";

const SHOP = "/issues/local/shop/1";
const errorSchema = z.strictObject({ error: z.string().regex(/^[^\n]{5,400}$/) });
const listed = z.looseObject({
  issues: z.array(z.looseObject({ id: z.string(), number: z.number(), title: z.string(), state: z.string() })),
  next: z.string().nullable(),
});

describe("who calls (R-SAFE-4)", () => {
  test("needs a login, by the admin token or a session; what changes something comes from Relay's own pages", async () => {
    const { address, call, logIn } = await openApi(await openPlanning());
    const session = await logIn();
    const bare = async (headers: Record<string, string>, method = "GET", path = "/me") =>
      (await fetch(`${address}/api/v1${path}`, { method, headers, ...(method === "GET" ? {} : { body: "{}" }) }))
        .status;
    expect(await bare({})).toBe(401);
    expect(await bare({ authorization: "Bearer guess" })).toBe(401);
    expect(await bare(session)).toBe(200);
    const json = { "content-type": "application/json" };
    const pause = `${SHOP}/pause`;
    expect(await bare({ ...session, ...json }, "POST", pause)).toBe(403);
    expect(await bare({ ...session, ...json, origin: "https://evil.example" }, "POST", pause)).toBe(403);
    const crossSite = { origin: address, "sec-fetch-site": "cross-site" };
    expect(await bare({ ...session, ...json, ...crossSite }, "POST", pause)).toBe(403);
    expect(await bare({ ...session, "content-type": "text/plain", origin: address }, "POST", pause)).toBe(415);
    expect(
      await bare({ ...session, origin: address, "content-type": "application/x-www-form-urlencoded" }, "POST", pause),
    ).toBe(415);
    // There is no such issue: the call itself was taken.
    expect(await bare({ ...session, ...json, origin: address }, "POST", pause)).toBe(404);
    expect(await bare({ ...session, ...json, "sec-fetch-site": "same-origin" }, "POST", pause)).toBe(404);
    const preflight = await fetch(`${address}/api/v1/me`, {
      method: "OPTIONS",
      headers: { ...session, origin: "https://evil.example" },
    });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(await announced(address, 600_000)).toEqual([413, { error: "the body is larger than 524288 bytes" }]);
    expect((await call("POST", `${SHOP}/comments`, "{", {})).status).toBe(400);
    expect((await call("POST", `${SHOP}/comments`, "{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test("what has not changed is not sent again", async () => {
    const { get } = await openApi(await openLife());
    const first = await get("/learnings");
    const etag = first.headers.get("etag") ?? "";
    const again = await get("/learnings", { "if-none-match": etag });
    expect([first.status, again.status, again.text]).toEqual([200, 304, ""]);
  });

  test("a call is answered when all of its body is here, so that its connection can take the next one", async () => {
    const { address, get } = await openApi(await openPlanning());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const body = JSON.stringify({ text: "x".repeat(300_000) });
    const options = { method: "POST", agent, headers: { ...headers, "content-length": body.length } };
    const calling = request(`${address}/api/v1/nothing/here`, options);
    let isAnswered = false;
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      calling.once("error", reject).once("response", (incoming) => {
        isAnswered = true;
        resolve(incoming.resume());
      });
    });
    calling.write(body.slice(0, 200_000));
    for (let n = 0; n < 20; n += 1) await get("/me");
    expect(isAnswered).toBe(false);
    calling.end(body.slice(200_000));
    expect(await answer).toMatchObject({ statusCode: 404, headers: { connection: "keep-alive" } });
    agent.destroy();
  });
});

/** The answer to a call that says how large its body will be, before it sends any of it. */
async function announced(address: string, bytes: number): Promise<[number | undefined, unknown]> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
      "content-length": String(bytes),
    };
    const sent = request(`${address}/api/v1${SHOP}/comments`, { method: "POST", headers }, (answer) => {
      answer.once("data", (text: Buffer) => {
        resolve([answer.statusCode, JSON.parse(text.toString())]);
        sent.destroy();
      });
    });
    sent.once("error", reject);
    sent.flushHeaders();
  });
}

describe("what people do at an issue", () => {
  test("an issue is opened, answered, gone ahead with and agreed to, in the version that was read", async () => {
    const life = await openPlanning();
    await life.people.setMember("shop", "olga", "admin");
    const { post, get } = await openApi(life);
    const issue = { provider: "local", externalProjectId: "shop", externalIssueId: "1" } as const;
    const opened = await post("/issues", {
      repository: "shop",
      title: "Wrong total",
      body: "`total([])` in src/cart.ts throws. Expected: 0.",
    });
    expect([opened.status, opened.json]).toEqual([201, { issue: "local/shop#1", address: `/api/v1${SHOP}` }]);
    expect(await life.settled(issue)).toMatchObject({ state: "clarifying", reporter: "olga" });
    expect((await post(`${SHOP}/plan/versions/1/agree`)).status).toBe(404);
    expect((await post(`${SHOP}/stop`)).status).toBe(409);
    expect((await post(`${SHOP}/gaps/9/answer`, { text: "x" })).status).toBe(404);
    expect((await post(`${SHOP}/gaps/1/answer`, { text: "Call `total([])`, version 2." })).status).toBe(202);
    await life.settled(issue);
    expect((await get(`${SHOP}/gaps`)).json).toMatchObject({ gaps: [{ number: 1, closed_reason: "answered" }] });
    expect((await post(`${SHOP}/gaps/1/answer`, { text: "x" })).status).toBe(409);
    expect((await post(`${SHOP}/go-ahead`)).status).toBe(202);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    expect((await post(`${SHOP}/go-ahead`)).status).toBe(409);
    expect((await post(`${SHOP}/plan/versions/2/agree`)).json).toEqual({
      error: "the plan is at version 1, not 2; read it first",
    });
    expect((await post(`${SHOP}/plan/versions/1/agree`)).status).toBe(202);
    expect(await life.settled(issue)).toMatchObject({ state: "queued" });
    expect(await planOf(life, issue)).toMatchObject({ approval: { by: "olga", permission: "admin" } });
    expect((await post(`${SHOP}/plan/versions/1/agree`)).status).toBe(409);
    expect((await post(`${SHOP}/stop`)).status).toBe(202);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    const { json } = await get(`${SHOP}/messages`);
    expect(
      z
        .looseObject({ messages: z.array(z.looseObject({ author: z.string(), made: z.array(z.unknown()) })) })
        .parse(json)
        .messages.filter(({ author, made }) => author === "olga" && made.length > 0).length,
    ).toBeGreaterThan(1);
    const review = await post(`${SHOP}/review`, { do: "merge" });
    expect([review.status, review.json]).toEqual([409, { error: "local/shop#1 has no open request" }]);
  });

  test("the same call with the same key has the same answer and no second effect; another one is refused", async () => {
    const life = await openPlanning();
    const issue = await planned(life);
    await life.people.setMember("shop", "olga", "admin");
    const { post, call } = await openApi(life);
    const key = { "idempotency-key": "once" };
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(async () => await post(`${SHOP}/comments`, { text: "A word." }, key)),
    );
    expect([one?.status, two?.text, three?.text]).toEqual([202, one?.text, one?.text]);
    expect((await post(`${SHOP}/comments`, { text: "Another." }, key)).status).toBe(422);
    await post(`${SHOP}/comments`, { text: "A word." }, { "idempotency-key": "other" });
    const { comments } = await life.tracker.listComments(issue, null);
    expect(comments.filter(({ body }) => body === "A word.")).toHaveLength(2);
    expect(comments.filter(({ body }) => body === "Another.")).toHaveLength(0);
    const opening = { repository: "shop", title: "Twice?" };
    const ways = [
      await post("/issues", opening, { "idempotency-key": "open" }),
      await post("/issues", opening, { "idempotency-key": "open" }),
    ];
    expect(ways.map(({ status, json }) => [status, json])).toEqual([
      [201, { issue: "local/shop#2", address: "/api/v1/issues/local/shop/2" }],
      [201, { issue: "local/shop#2", address: "/api/v1/issues/local/shop/2" }],
    ]);
    // What failed was not done, and may be tried again under its key.
    expect((await post("/issues", { repository: "none", title: "a" }, { "idempotency-key": "later" })).status).toBe(
      404,
    );
    await life.people.createProject("none");
    await life.people.setMember("none", BOT, "write", true);
    await life.people.setMember("none", "olga", "admin");
    expect((await post("/issues", { repository: "none", title: "a" }, { "idempotency-key": "later" })).status).toBe(
      201,
    );
    expect((await call("POST", `${SHOP}/pause`, undefined, key)).status).toBe(422);
  });

  test("no answer shows what the issue's repository must not show", async () => {
    const life = await openPlanning(() => ({}), { ".env": "FIRST=kx7Qp2mVz9rT4w\n" });
    const issue = await report(life, "The total of kx7Qp2mVz9rT4w is wrong.");
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.settled(issue);
    const { get } = await openApi(life);
    const told = (await get(SHOP)).text;
    expect(told).toContain("The total of [secret removed] is wrong.");
    expect(told).not.toContain("kx7Qp2mVz9rT4w");
  });

  test("the operator's controls pause, resume and retry; a retry reaches dead letters of issues that are not known", async () => {
    const life = await openPlanning();
    const issue = await planned(life);
    const { post, get } = await openApi(life);
    expect((await post(`${SHOP}/resume`)).status).toBe(409);
    expect((await post(`${SHOP}/pause`)).json).toMatchObject({ issue: "local/shop#1", state: "paused" });
    expect((await get(`${SHOP}/timeline?limit=5`)).text).toContain(`"actor":"olga","what":"state.changed"`);
    expect((await post(`${SHOP}/resume`)).json).toMatchObject({ state: "waiting_confirmation" });
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    expect((await post(`${SHOP}/retry`)).status).toBe(200);
    const stranger = "/issues/local/shop/77/retry";
    expect((await post(stranger)).status).toBe(404);
    await life.db.execute(
      `insert into deliveries (id, provider, delivery_id, event, received_at, dead_lettered_at)
       select 1, provider, 'lost', event || '{"externalIssueId": "77"}', now(), now() from deliveries limit 1`,
      [],
    );
    expect((await get("/dead-letters")).json).toMatchObject({ dead_letters: [{ issue: "local/shop#77" }] });
    expect((await post(stranger)).json).toEqual({ id: null, issue: "local/shop#77", state: null });
    expect((await get("/dead-letters")).json).toEqual({ dead_letters: [] });
  });

  test("learnings are approved, edited and removed under the name of who calls", async () => {
    const life = await openLife();
    const opened = await report(life);
    await life.deliver(await life.people.assign(opened, "mia", BOT));
    const { id: issueId } = await life.settled(opened);
    const said = {
      type: "code_learnings",
      content: "Totals are in cents.",
      proposedBy: "mia",
      sourceMessageId: "1",
    } as const;
    await proposeLearning(life.db, issueId, said, life);
    const [learning] = await listKept(life.db, { repository: null, status: null, sight: operatorView("olga") });
    const path = `/learnings/${learning?.id}`;
    const { call, post, get } = await openApi(life);
    expect((await get("/learnings?status=proposed")).json).toMatchObject({
      learnings: [{ content: "Totals are in cents.", proposed_by: "mia" }],
    });
    expect((await call("PATCH", path, { content: " " })).status).toBe(400);
    expect((await call("PATCH", path, { content: "Totals are in euros." })).json).toMatchObject({
      content: "Totals are in euros.",
    });
    expect((await post(`${path}/approve`)).json).toMatchObject({ status: "approved", approved_by: "olga" });
    const key = { "idempotency-key": "gone" };
    const removed = [await call("DELETE", path, undefined, key), await call("DELETE", path, undefined, key)];
    expect(removed.map(({ status }) => status)).toEqual([200, 200]);
    expect((await call("DELETE", path)).status).toBe(404);
  });
});

describe("lists", () => {
  test("lead through all issues by their cursors, each once, and by filters to those that are asked for", async () => {
    const life = await openLife();
    await addManyIssues(life.db, { repositories: 3, issues: 130, messagesPerIssue: 1 });
    const { get } = await openApi(life);
    const all = async (query: string) => {
      const found: z.infer<typeof listed>["issues"] = [];
      for (let before: string | null = ""; before !== null;) {
        const page: z.infer<typeof listed> = listed.parse(
          (await get(`/issues?${query}${before === "" ? "" : `&before=${before}`}`)).json,
        );
        found.push(...page.issues);
        before = page.next;
      }
      return found;
    };
    const every = await all("limit=40");
    expect(new Set(every.map(({ number }) => number)).size).toBe(130);
    expect(every.map(({ number }) => number)).toEqual(every.map(({ number }) => number).toSorted((a, b) => b - a));
    const open = every.filter(({ state }) => !["done", "closed"].includes(state));
    expect((await all("state=open&limit=3")).map(({ id }) => id)).toEqual(open.map(({ id }) => id));
    const stuck = every.filter(({ state }) => ["stuck", "failed"].includes(state));
    expect((await all("state=failed,stuck&limit=1")).map(({ id }) => id)).toEqual(stuck.map(({ id }) => id));
    expect((await all("repository=acme/many-2&limit=7")).length).toBe(
      every.filter(({ number }) => number % 3 === 1).length,
    );
    expect((await all("q=order%2077&limit=7")).map(({ number }) => number)).toEqual([77]);
    expect((await all("q=%2377")).map(({ number }) => number)).toEqual([77]);
    expect((await all("q=100%25")).length).toBe(0);
    const asked = await all("waiting_for=@ANN&limit=2");
    expect(asked.map(({ state }) => state)).toEqual(
      asked.map(() => expect.toSatisfy((state: string) => ["clarifying", "awaiting_proceed", "stuck"].includes(state))),
    );
    expect(asked.length).toBeGreaterThan(2);
    expect((await all("waiting_for=@nobody")).length).toBe(0);
    expect((await get("/issues?repository=acme/none")).status).toBe(404);
  });

  test("nested groups lead to an issue encoded or not", async () => {
    const life = await openLife();
    await addManyIssues(life.db, { repositories: 1, issues: 1, messagesPerIssue: 1 });
    const { get } = await openApi(life);
    const named = async (name: string, paths: readonly string[]) => {
      await life.db.execute(`update repositories set external_project_id = $1 where external_project_id <> 'shop'`, [
        name,
      ]);
      for (const path of paths) {
        expect([path, (await get(`/issues/local/${path}`)).status]).toEqual([path, 200]);
      }
    };
    await named("group/runs/shop", ["group/runs/shop/1", "group/runs/shop/1/runs", "group%2Fruns%2Fshop/1"]);
    // Where a group is called like a number and a part of an issue, only the encoded form says which is meant.
    await named("group/2/plan/shop", ["group%2F2%2Fplan%2Fshop/1", "group%2f2%2fplan%2fshop/1/runs"]);
  });
});

const BAD = [
  "",
  ".",
  "..",
  "%00",
  "%ff",
  "-1",
  "0",
  "99999999999999999999",
  "9223372036854775808",
  "1e309",
  "NaN",
  "null",
  "%F0%9F%92%A9",
  "' or 1=1 --",
  "%5Bobject%5D",
  "a".repeat(3_000),
  "%2F",
  "%2E%2E%2F",
  "<script>",
];

/** Each call that the document describes, with one value of it changed for a bad one. */
function badCalls({ paths }: ApiDocument): { method: string; path: string; body?: unknown }[] {
  const good: Record<string, string> = {
    provider: "local",
    project: "acme%2Fmany-1",
    number: "1",
    version: "1",
    run: "1000",
    id: "1000",
    gap: "1",
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const filled = (changed: string, value: string) =>
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === changed ? value : (good[name] ?? "1")));
      const inPath = parameters
        .filter((one) => one.in === "path")
        .flatMap(({ name }) => BAD.map((value) => ({ method, path: filled(name, value) })));
      const inQuery = parameters
        .filter((one) => one.in === "query")
        .flatMap(({ name }) => BAD.map((value) => ({ method, path: `${filled("", "")}?${name}=${value}` })));
      const bodies =
        requestBody === undefined
          ? []
          : [
              "",
              "null",
              "[]",
              "1",
              '{"text": 1}',
              '{"text": "\\u0000"}',
              '{"text":',
              '{"title":"\\ud800","repository":"shop"}',
              '{"do":"merge"}',
              '{"content":"\\u0000"}',
              '{"repository":"\\u0000","title":"a"}',
              `{"text":"${"a".repeat(70_000)}"}`,
            ];
      return [...inPath, ...inQuery, ...bodies.map((body) => ({ method, path: filled("", ""), body }))];
    }),
  );
}

test("whatever is sent is answered with a sentence, never with a fault of the server", async () => {
  const life = await openLife();
  await addManyIssues(life.db, { repositories: 1, issues: 5, messagesPerIssue: 1 });
  const { document, call, lines } = await openApi(life);
  const calls = badCalls(await document());
  expect(calls.length).toBeGreaterThan(1_000);
  const wrong: unknown[] = [];
  for (const { method, path, body } of some(calls)) {
    const { status, json, text } = await call(method.toUpperCase(), path, body);
    if (status >= 500 || (status >= 400 && !errorSchema.safeParse(json).success))
      wrong.push({ method, path, body, status, text });
  }
  expect(wrong).toEqual([]);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});
