import { describe, expect, test } from "vitest";
import { listAudit } from "../../src/storage/audit.ts";
import { listKept, proposeLearning } from "../../src/storage/learnings.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { ADMIN_TOKEN, openDashboard } from "../support/dashboard.ts";
import { moment, openPlanning, planOf, planned, say } from "../support/planning-relay.ts";
import { BOT, openLife, report } from "../support/relay.ts";

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)> "quoted" 'too' </title></main>`;

describe("the login (R-SAFE-4)", () => {
  test("every page and route but webhooks, health and the login itself is refused without one", async () => {
    const { web, get, address } = await openDashboard(await openLife());
    const open = new Set([
      "/login",
      "/healthz",
      "/readyz",
      "/metrics",
      "/favicon.ico",
      "/webhooks/github",
      "/webhooks/gitlab",
    ]);
    const paths = new Set(web.routes.map(({ path }) => path.replace(/:id\{.*\}/, "1").replace("*", "x/y/1")));
    const closed = [...paths].filter((path) => !open.has(path) && !path.startsWith("/assets/"));
    expect(closed.length).toBeGreaterThan(6);
    for (const path of [...closed, "/nothing", "/issues/local/shop/1/log?run=1"]) {
      expect([path, (await fetch(`${address}${path}`)).status]).toEqual([path, 401]);
      expect([path, (await fetch(`${address}${path}`, { method: "POST" })).status]).toEqual([
        path,
        expect.toSatisfy(isRefusal),
      ]);
    }
    const page = await get("/issues?q=a");
    expect([page.status, page.headers.get("location")]).toEqual([303, "/login?to=%2Fissues%3Fq%3Da"]);
  });

  test("a link logs one browser in, once", async () => {
    const { get, links } = await openDashboard(await openLife());
    const link = links.make();
    const first = await get(link);
    expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
    const set = first.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/^relay=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await get("/", { cookie: set.split(";")[0] ?? "" })).status).toBe(200);
    expect((await get(link)).status).toBe(401);
    expect((await get("/", { cookie: "relay=wrong" })).status).toBe(303);
  });

  test("the admin token logs in, by the form or as a bearer; the tenth wrong one in a minute is the last looked at", async () => {
    const { get, send } = await openDashboard(await openLife());
    const good = await send("/login", { token: ADMIN_TOKEN, to: "/costs" });
    expect([good.status, good.headers.get("location")]).toEqual([303, "/costs"]);
    expect((await get("/", { authorization: `Bearer ${ADMIN_TOKEN}` })).status).toBe(200);
    for (let tries = 0; tries < 10; tries += 1) expect((await send("/login", { token: "guess" })).status).toBe(401);
    expect((await send("/login", { token: ADMIN_TOKEN })).status).toBe(429);
  });

  test("wrong bearers count as failed logins, on every route; the right one is refused then, as the form is", async () => {
    const { get, send } = await openDashboard(await openLife(), { trustedProxies: 1 });
    const at = (address: string, token: string) => ({
      authorization: `Bearer ${token}`,
      accept: "application/json",
      "x-forwarded-for": address,
    });
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await get("/api/v1/me", at("192.0.2.1", ADMIN_TOKEN))).status).toBe(200);
      expect((await get(["/api/v1/me", "/costs"][tries % 2] ?? "", at("192.0.2.1", `guess ${tries}`))).status).toBe(
        401,
      );
    }
    for (const token of ["guess", ADMIN_TOKEN]) {
      const refused = await get("/api/v1/me", at("192.0.2.1", token));
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    }
    expect((await send("/login", { token: ADMIN_TOKEN }, { "x-forwarded-for": "192.0.2.1" })).status).toBe(429);
    expect((await get("/api/v1/me", at("192.0.2.2", ADMIN_TOKEN))).status).toBe(200);
    expect((await send("/login", { token: ADMIN_TOKEN }, { "x-forwarded-for": "192.0.2.2" })).status).toBe(303);
  });

  test("asking for the head of the link, as previews do, does not use it up", async () => {
    const { address, get, links } = await openDashboard(await openLife());
    const link = links.make();
    const head = await fetch(`${address}${link}`, { method: "HEAD", redirect: "manual" });
    expect([head.status, head.headers.get("set-cookie")]).toEqual([200, null]);
    expect((await get(link)).status).toBe(303);
  });

  test.each(["//evil.example", "https://evil.example", "/\\evil.example", "/a\nb", ""])(
    "does not lead elsewhere: %j",
    async (to) => {
      const { send } = await openDashboard(await openLife());
      expect((await send("/login", { token: ADMIN_TOKEN, to })).headers.get("location")).toBe("/");
    },
  );

  test("ends with the log-out, on the server too; a form of another site logs nobody out or in", async () => {
    const { get, send, logIn } = await openDashboard(await openLife());
    const session = await logIn();
    const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await send("/logout", {}, { ...session, ...elsewhere })).status).toBe(403);
    expect((await send("/login", { token: ADMIN_TOKEN }, elsewhere)).status).toBe(403);
    expect((await get("/", session)).status).toBe(200);
    expect((await send("/logout", {}, session)).status).toBe(303);
    expect((await get("/", session)).status).toBe(303);
  });
});

describe("the pages", () => {
  test("tell who is waited for, and lead through the story, spec, plan and evidence of an issue", async () => {
    const life = await openPlanning();
    const issue = await planned(life);
    const { get, logIn } = await openDashboard(life);
    const session = await logIn();
    const read = async (path: string) => await (await get(path, session)).text();
    const home = await read("/");
    expect(home).toMatch(/Waiting for you <span class="count">1<\/span>/);
    expect(home).toContain("Yes to plan 1");
    expect(home).toContain('href="/issues/local/shop/1"');
    const story = await read("/issues/local/shop/1");
    expect(story).toContain("go-ahead, counted");
    expect(story).toContain("Plan 1 posted");
    expect(await read("/issues/local/shop/1?part=spec")).toContain("Problem Statement");
    expect(await read("/issues/local/shop/1?part=plan")).toContain("src/cart.ts");
    expect(await read("/issues/local/shop/1?part=evidence")).toContain("Finding 1");
    expect(await read("/issues/local/shop/1?part=run")).toContain("Nothing has run yet");
    expect(await read("/issues/local/shop/1?part=cost")).toContain("No model was called");
    expect(await read("/issues?q=cart")).toContain("Wrong total in the cart");
    expect(await read("/issues?q=nothing-like-it")).toContain("No issue here matches");
    expect((await get("/issues/local/shop/99", session)).status).toBe(404);
    await say(life, issue, "mia", "yes");
    expect(await read("/issues/local/shop/1")).toContain("said yes to the plan");
  });

  test("show hostile titles, texts and comments as text, under a policy that runs nothing of them", async () => {
    const life = await openLife();
    const issue = await report(
      life,
      `${HOSTILE}\n\n![p](https://evil.example/p.png)\n\n[x](javascript:alert(3))`,
      HOSTILE,
    );
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.settled(issue);
    await say(life, issue, "mia", `<!-- hidden -->${HOSTILE}\n\n</details></div><details open ontoggle=alert(4)>`);
    const { get, logIn } = await openDashboard(life);
    const session = await logIn();
    for (const path of [
      "/",
      "/issues",
      "/issues/local/shop/1",
      "/issues/local/shop/1?part=evidence",
      `/issues?q=${encodeURIComponent(HOSTILE)}`,
    ]) {
      const answer = await get(path, session);
      // What stands in quotes is no markup; a quote in there would end it.
      const text = (await answer.text()).replaceAll(/="[^"]*"/g, (value) =>
        /^="(?:\/assets|javascript)/.test(value) ? value : '=""',
      );
      expect([
        path,
        text.match(/<script(?! src="\/assets\/)|<img|<[^>]*\son\w+=|href="javascript|<!-- hidden/gi),
      ]).toEqual([path, null]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    }
  });

  test("say when something changed, and end their streams when the server begins to stop", async () => {
    const life = await openLife();
    const issue = await report(life);
    const { get, logIn, stopping } = await openDashboard(life);
    const answer = await get("/live", await logIn());
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("event: ready");
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.settled(issue);
    expect((await reader?.read())?.value).toContain("event: changed");
    stopping.abort();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
  });
});

function isRefusal(status: number): boolean {
  return [401, 403, 405].includes(status);
}

/** What the button of this name sends, as it stands on the page. */
function decisionOn(page: string, name: string): string {
  return new RegExp(`name="decision"\\s+value="(${name}[^"]*)"`).exec(page)?.[1] ?? `no ${name} here`;
}

describe("the local tracker on the page", () => {
  test("an issue is opened, answered, agreed to, and the words stand in its thread with who said them", async () => {
    const life = await openPlanning();
    await life.people.setMember("shop", "olga", "admin");
    const { send, get, logIn } = await openDashboard(life);
    const session = await logIn();
    const opened = await send(
      "/try",
      {
        project: "shop",
        as: "ann",
        title: "Wrong total in the cart",
        body: "`total([])` in src/cart.ts throws. Expected: 0.",
      },
      session,
    );
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/issues/local/shop/1"]);
    const issue = { provider: "local", externalProjectId: "shop", externalIssueId: "1" } as const;
    expect(await life.settled(issue)).toMatchObject({ state: "clarifying", reporter: "ann" });
    expect(await (await get("/issues/local/shop/1", session)).text()).toContain("Go ahead without answers");
    const page = "/issues/local/shop/1";
    const goAhead = { as: "mia", decision: decisionOn(await (await get(page, session)).text(), "go-ahead"), text: "" };
    expect((await send(`${page}/say`, goAhead, session)).status).toBe(303);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    // Who may not write in the project cannot agree here either (R-CONF-3).
    const agree = decisionOn(await (await get(page, session)).text(), "agree");
    await send(`${page}/say`, { as: "zoe", decision: agree }, session);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    await send(`${page}/say`, { as: "olga", text: "Yes, go ahead.\r\n" }, session);
    expect(await life.settled(issue)).toMatchObject({ state: "queued" });
    expect(await (await get(page, session)).text()).toContain("said yes to the plan (admin access)");
  });

  test("a button decides what was shown beside it, and nothing that came later", async () => {
    const life = await openPlanning();
    await life.people.setMember("shop", "olga", "admin");
    const { send, get, logIn } = await openDashboard(life);
    const session = await logIn();
    const page = "/issues/local/shop/1";
    const shownNow = async (name: string) => decisionOn(await (await get(page, session)).text(), name);
    const press = async (decision: string) => {
      const answer = await send(`${page}/say`, { as: "olga", decision }, session);
      return [answer.status, await answer.text()];
    };
    const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.settled(issue);
    const goAhead = await shownNow("go-ahead");
    await say(life, issue, "mia", "go ahead with the spec");
    const agree = await shownNow("agree");
    expect(await (await get(page, session)).text()).toContain("Agree to plan 1");
    expect(await press(goAhead)).toEqual([409, expect.stringContaining("it waits for no go-ahead")]);
    expect(await press("agree:1:0000000000000000")).toEqual([409, expect.stringContaining("changed since you saw it")]);
    await moment();
    await say(life, issue, "olga", "Please change src/checkout.ts too.");
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
    expect(await press(agree)).toEqual([
      409,
      expect.stringContaining("The plan has changed since you saw it: look at plan 2"),
    ]);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    await press(await shownNow("agree"));
    expect(await life.settled(issue)).toMatchObject({ state: "queued" });
  });

  test("a form that is sent again does nothing, and is refused with other words", async () => {
    const life = await openLife();
    await report(life);
    await life.people.setMember("shop", "olga", "admin");
    const { send, get, logIn } = await openDashboard(life);
    const session = await logIn();
    const once = /name="once" value="([^"]+)"/.exec(await (await get("/try", session)).text())?.[1] ?? "";
    const form = { once, project: "shop", as: "ann", title: "Twice", body: "" };
    const answers = await Promise.all([1, 2, 3].map(async () => await send("/try", form, session)));
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual(Array(3).fill("/issues/local/shop/2"));
    const words = { once, as: "mia", text: "It is in cents." };
    const said: number[] = [];
    for (const text of ["It is in cents.", "It is in cents.", "No, in euros."])
      said.push((await send("/issues/local/shop/2/say", { ...words, text }, session)).status);
    expect(said).toEqual([303, 303, 409]);
    expect((await send("/try", { ...form, title: "Thrice" }, session)).status).toBe(409);
    said.length = 0;
    for (const text of [" ", "In euros.", "In euros.", "In yen."])
      said.push((await send("/issues/local/shop/2/say", { once: "2", as: "mia", text }, session)).status);
    expect(said).toEqual([400, 303, 303, 409]);
    const issue = { provider: "local", externalProjectId: "shop", externalIssueId: "2" } as const;
    const { comments } = await life.tracker.listComments(issue, null);
    expect(comments.filter(({ author }) => author === "mia").map(({ body }) => body)).toEqual([
      "It is in cents.",
      "In euros.",
    ]);
  });

  test("says what is wrong with a form, on a page, and does nothing without a login or from another site", async () => {
    const life = await openLife();
    await report(life);
    const { send, logIn, get } = await openDashboard(life);
    const session = await logIn();
    const empty = await send("/issues/local/shop/1/say", { as: "mia", text: " " }, session);
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining("There is nothing to say")]);
    expect((await send("/issues/local/shop/1/review", { as: "mia", do: "merge" }, session)).status).toBe(400);
    expect((await send("/issues/local/none/1/say", { as: "mia", text: "a" }, session)).status).toBe(404);
    expect((await send("/issues/github/acme/shop/1/say", { as: "mia", text: "a" }, session)).status).toBe(404);
    expect((await send("/issues/local/shop/1/say", { as: "mia", text: "a".repeat(60_001) }, session)).status).toBe(400);
    expect((await send("/try", { project: "shop", as: "x", title: "", body: "" }, session)).status).toBe(400);
    expect((await send("/issues/local/shop/1/say", { as: "mia", text: "yes" })).status).toBe(401);
    const elsewhere = { ...session, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await send("/issues/local/shop/1/say", { as: "mia", text: "yes" }, elsewhere)).status).toBe(403);
    expect(await (await get("/try", session)).text()).toContain("<option>shop</option>");
  });
});

test("learnings are approved, edited and removed on the page, each under the name of who is logged in (R-SAFE-8)", async () => {
  const life = await openLife();
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const issue = await life.settled(address);
  const learning = {
    type: "domain_learnings",
    content: "Totals are in cents.",
    proposedBy: "mia",
    sourceMessageId: "1",
  } as const;
  await proposeLearning(life.db, issue.id, learning, life);
  const { get, send, logIn } = await openDashboard(life);
  const session = await logIn();
  const [proposed] = await listKept(life.db, { repository: null, status: null });
  const path = `/learnings/${proposed?.id}`;
  expect(await (await get("/learnings", session)).text()).toContain("Totals are in cents.");
  expect((await send(path, { do: "approve" })).status).toBe(401);
  expect((await send(path, { do: "edit", content: " " }, session)).status).toBe(400);
  expect((await send(path, { do: "edit", content: "Totals are in euros." }, session)).status).toBe(303);
  expect((await send(path, { do: "approve" }, session)).status).toBe(303);
  expect(await listKept(life.db, { repository: null, status: null })).toMatchObject([
    { content: "Totals are in euros.", status: "approved", approvedBy: "olga" },
  ]);
  expect((await send(path, { do: "remove" }, session)).status).toBe(303);
  expect((await send(path, { do: "remove" }, session)).status).toBe(404);
  const done = (await listAudit(life.db, issue.id)).filter(({ what }) => what.startsWith("learning."));
  expect(done.map(({ what, actor }) => `${what} ${actor}`).slice(-3)).toEqual([
    "learning.edited olga",
    "learning.approved olga",
    "learning.removed olga",
  ]);
});

describe("the operator's controls on the page (R-SAFE-4)", () => {
  test("an issue is paused and resumed, and its dead letters are tried again, under the name of who is logged in", async () => {
    const life = await openLife();
    const issue = await report(life);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    const { id } = await life.settled(issue);
    const { get, send, logIn } = await openDashboard(life);
    const session = await logIn();
    const named = { issue: "local/shop#1" };
    const paused = await send("/queue/control/pause", named, session);
    expect([paused.status, paused.headers.get("location")]).toEqual([303, "/issues/local/shop/1"]);
    expect((await life.existing(issue)).state).toBe("paused");
    expect(await (await get("/issues/local/shop/1", session)).text()).toContain("/queue/control/resume");
    expect((await send("/queue/control/resume", named, session)).status).toBe(303);
    expect((await life.existing(issue)).state).not.toBe("paused");
    expect((await send("/queue/retry", named, session)).status).toBe(303);
    const done = (await listAudit(life.db, id)).filter(({ actor }) => actor === "olga").map(({ what }) => what);
    expect(done).toEqual(["state.changed", "state.changed", "retry.asked"]);
    expect((await send("/queue/retry", { issue: "github/a/b#7" }, session)).status).toBe(303);
    expect((await send("/queue/retry", { issue: "nothing" }, session)).status).toBe(400);
    const elsewhere = { ...session, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await send("/queue/control/pause", named, elsewhere)).status).toBe(403);
  });
});

test("health tells of the database, the queue and the settings in force, as text", async () => {
  const { get, logIn } = await openDashboard(await openLife());
  const page = await (await get("/health", await logIn())).text();
  expect(page).toContain("PostgreSQL");
  expect(page).toContain("nothing waits");
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

test("costs tell how long calls took by stage and day, the calls of each spec, and the budgets as lines", async () => {
  const life = await openLife();
  await addManyIssues(life.db, { repositories: 1, issues: 20, messagesPerIssue: 1 });
  const [yesterday, today] = [1, 0].map((ago) => new Date(life.clock.now().getTime() - ago * 86_400_000));
  await life.db.execute(
    `update llm_evals set created_at = $1, latency_ms = case when id % 1000 < 5 then 1000 else 3000 end`,
    [today],
  );
  await life.db.execute(
    `update llm_evals set created_at = $1, latency_ms = 90000, stage = 'worker' where id / 1000 = 7`,
    [yesterday],
  );
  await life.db.execute(`update specs set created_at = $1`, [today]);
  const { get, logIn } = await openDashboard(life);
  const page = await (await get("/costs", await logIn())).text();
  const [before, now] = [yesterday, today].map((at) => at?.toISOString().slice(0, 10));
  expect(page).toContain(`<title>${now}: p50 1.0 s, p95 3.0 s, calls: 114</title>`);
  expect(page).toContain(`<title>${before}: p50 1 min 30 s, p95 1 min 30 s, calls: 6</title>`);
  expect(page).toContain(`href="/calls?day=${before}&amp;stage=worker"`);
  expect(page).toContain("p95 1 min 30 s</span");
  expect(page).toMatch(/href="\/issues\/local\/acme\/many-1\/20\?part=cost"/);
  expect(page).toContain("6 calls");
  expect(page).toContain('<line class="limit repository_day" x2="300"');
  expect(page).toContain("a repository may cost $1.00 a day");
  expect(page).toContain("an issue may cost $50.00 in all (above the chart)");
  expect(page).toContain("everything may cost $30.00 a month");
  expect(page).not.toContain("style=");
});

test("each bar of the costs leads to its calls, the dearest first", async () => {
  const life = await openLife();
  await addManyIssues(life.db, { repositories: 2, issues: 40, messagesPerIssue: 1 });
  const { get, logIn } = await openDashboard(life);
  const session = await logIn();
  const read = async (path: string) => await (await get(path, session)).text();
  expect(await read("/costs")).toContain('href="/calls?model=openai%2Fm"');
  expect((await read("/calls?model=openai%2Fm")).match(/href="\/calls\/\d+"/g)?.length).toBeGreaterThan(10);
  expect(await read("/calls?stage=%3Cscript%3E&day=2026-99-99")).toContain("No such call");
});
