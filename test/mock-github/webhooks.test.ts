import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { asking, SEED } from "./asking.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type MockGithub, startMockGithub } from "./server.ts";
import type { Act } from "./world/acts.ts";

let mock: MockGithub;
let receiver: Receiver;
const here = { as: "ann", repo: "acme/shop", number: 1 } as const;

beforeEach(async () => {
  receiver = await startReceiver();
  mock = await startMockGithub({ seed: SEED, checkAnswers: true });
  mock.world.courier.atOnce = 1;
});

afterEach(async () => {
  await mock.close();
  await receiver.close();
  if (mock.mistakes.length > 0) throw new Error(`the mock is wrong: ${mock.mistakes.join("; ")}`);
});

/** An administrator's hook on the repository. */
async function hooked(events = ["*"]) {
  const ann = asking(mock, "t-ann");
  const config = { url: receiver.url, content_type: "json", secret: "s3cret" };
  const made = await ann("POST", "/repos/acme/shop/hooks", { name: "web", config, events });
  await mock.world.courier.settled();
  return { ann, at: `/repos/acme/shop/hooks/${String(made.body["id"])}` };
}

describe("webhooks", () => {
  test("each is signed over its bytes, and named by a GUID, its event and its hook", async () => {
    await hooked();
    mock.act({ do: "comment", ...here, body: "Grüße" });
    await mock.world.courier.settled();
    const [ping, comment] = receiver.got;
    expect(ping?.payload).toMatchObject({ hook: { active: true } });
    expect(comment).toMatchObject({
      event: "issue_comment",
      payload: {
        action: "created",
        issue: { number: 1, comments: 2 },
        comment: { body: "Grüße" },
        sender: { login: "ann" },
      },
    });
    const digest = createHmac("sha256", "s3cret")
      .update(comment?.raw ?? "")
      .digest("hex");
    expect(comment?.headers).toMatchObject({
      "x-hub-signature-256": `sha256=${digest}`,
      "x-github-hook-installation-target-type": "repository",
      "content-type": "application/json",
    });
    expect(comment?.guid).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("what an App's bot does is told to the App as well, with the installation", async () => {
    const app = { slug: "relay-app", owner: "acme", hook: { url: receiver.url }, installations: [{ account: "acme" }] };
    const { apps } = mock.plant({ apps: [app] });
    mock.act({ do: "assign", ...here, login: "bob" });
    await mock.world.courier.settled();
    expect(receiver.got).toMatchObject([
      {
        event: "issues",
        headers: { "x-github-hook-installation-target-type": "integration" },
        payload: { action: "assigned", assignee: { login: "bob" }, installation: { id: apps[0]?.installations[0] } },
      },
    ]);
  });

  test("GitHub never tries again by itself; a failed one is listed, and comes under the same GUID when asked for", async () => {
    const { ann, at } = await hooked(["issue_comment"]);
    receiver.status = 500;
    mock.act({ do: "comment", ...here, body: "one" });
    await mock.world.courier.settled();
    receiver.status = 202;
    mock.act({ do: "comment", ...here, body: "two" });
    await mock.world.courier.settled();
    const [failed] = (await ann("GET", `${at}/deliveries?status=failure`)).list;
    expect(failed).toMatchObject({ status_code: 500, event: "issue_comment", action: "created", redelivery: false });
    const full = await ann("GET", `${at}/deliveries/${String(failed?.["id"])}`);
    expect(full.body).toMatchObject({ request: { payload: { comment: { body: "one" } } } });
    expect((await ann("POST", `${at}/deliveries/${String(failed?.["id"])}/attempts`)).status).toBe(202);
    await mock.world.courier.settled();
    expect(receiver.got.slice(1).map(({ guid }) => guid === failed?.["guid"])).toEqual([true, false, true]);
    expect((await ann("GET", `${at}/deliveries`)).list).toMatchObject([
      { redelivery: true, guid: failed?.["guid"], status: "Accepted" },
      {},
      { status_code: 500 },
      { event: "ping" },
    ]);
    expect(mock.violations).toEqual([]);
  });

  test("the list of deliveries goes on by a cursor, newest first, and names neither the last page nor the one before", async () => {
    const { ann, at } = await hooked();
    for (let n = 0; n < 4; n += 1) mock.act({ do: "comment", ...here, body: `${n}` });
    await mock.world.courier.settled();
    const first = await ann("GET", `${at}/deliveries?per_page=3`);
    const link = first.headers.get("link") ?? "";
    expect(link).toMatch(/^<[^>]+cursor=v1_\d+>; rel="next"$/);
    const second = await ann("GET", /<([^>]+)>/.exec(link)?.[1] ?? "");
    expect([...first.list, ...second.list].map((each) => each["event"])).toEqual([
      "issue_comment",
      "issue_comment",
      "issue_comment",
      "issue_comment",
      "ping",
    ]);
    expect(second.headers.get("link")).toBeNull();
    expect(mock.violations).toEqual([]);
  });

  test("deliveries can be held back, turned around, doubled, failed and lost", async () => {
    await hooked(["issue_comment"]);
    const { courier } = mock.world;
    const say = (body: string) => mock.act({ do: "comment", ...here, body });
    courier.fate = () => "hold";
    say("a");
    say("b");
    courier.fate = () => "twice";
    courier.release((held) => held.toReversed());
    say("c");
    courier.fate = () => "lose";
    say("d");
    courier.fate = () => "fail";
    say("e");
    await courier.settled();
    const bodies = receiver.got
      .slice(1)
      .map(({ payload }) => z.object({ body: z.string() }).parse(payload["comment"]).body);
    expect(bodies).toEqual(["b", "a", "c", "c"]);
    expect(courier.attempts.map(({ code }) => code)).toEqual([202, 502, 202, 202, 202, 202]);
  });

  test("a receiver that is not there is a failed delivery", async () => {
    await hooked();
    await receiver.close();
    mock.act({ do: "close", ...here });
    await mock.world.courier.settled();
    expect(mock.world.courier.attempts.at(-1)).toMatchObject({ status: "failed to connect to host", code: 502 });
  });
});

/** All that happens in a repository, once. */
const HAPPENINGS: Act[] = [
  { do: "open", as: "eve", repo: "acme/shop", title: "Slow", body: "Very" },
  { do: "edit", ...here, title: "Pay thrice" },
  { do: "assign", ...here, login: "bob" },
  { do: "unassign", ...here, login: "bob" },
  { do: "unlabel", ...here, label: "bug" },
  { do: "label", ...here, label: "bug" },
  { do: "comment", ...here, body: "Hm" },
  { do: "lock", ...here },
  { do: "unlock", ...here },
  { do: "close", ...here },
  { do: "reopen", ...here },
  { do: "open_pull", as: "bob", repo: "acme/shop", title: "Pay once", head: "feature/pay", draft: true },
  { do: "ready", ...here, number: 3 },
  { do: "ready", ...here, number: 3, draft: true },
  { do: "label", ...here, number: 3, label: "bug" },
  { do: "request_review", ...here, number: 3, login: "ann" },
  {
    do: "review",
    ...here,
    number: 3,
    state: "CHANGES_REQUESTED",
    body: "No",
    comments: [{ path: "a.ts", body: "Why?" }],
  },
  { do: "push", as: "bob", repo: "acme/shop", branch: "feature/pay" },
  { do: "checks_completed", repo: "acme/shop", number: 3, conclusion: "failure" },
  { do: "check_run", repo: "acme/shop", sha: "1".repeat(40), name: "unit", conclusion: "success" },
  { do: "status", as: "bob", repo: "acme/shop", sha: "1".repeat(40), state: "failure" },
  { do: "merge", ...here, number: 3 },
  { do: "delete", ...here },
];

describe("payloads", () => {
  test("have all that GitHub's own examples of the same event always have, of the same kind", async () => {
    const { attempts } = mock.world.courier;
    await hooked();
    for (const act of HAPPENINGS) mock.act(act);
    await mock.world.courier.settled();
    const wrong = attempts.flatMap(({ delivery: { event, action, text } }) => {
      const examples = examplesOf(event, action);
      const payload: unknown = JSON.parse(text);
      return missingFrom(payload, examples, `${event}.${action}`);
    });
    expect([...new Set(wrong)]).toEqual([]);
    expect(attempts.length).toBeGreaterThan(HAPPENINGS.length);
  });
});

const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));
const require = createRequire(import.meta.url);
const all = Examples.parse(require("@octokit/webhooks-examples"));

function examplesOf(event: string, action: string | null): unknown[] {
  const found = all.find(({ name }) => name === event)?.examples ?? [];
  // Examples that Apps got have an installation.
  const same = found.filter((each) => action === null || each["action"] === action);
  return same.map((each) => Object.fromEntries(Object.entries(each).filter(([name]) => name !== "installation")));
}

const Fields = z.record(z.string(), z.unknown());

/** Where a value lacks what all examples have, or has it as another kind of thing. */
function missingFrom(value: unknown, examples: unknown[], where: string): string[] {
  const objects = examples.flatMap((each) => (kindOf(each) === "object" ? [Fields.parse(each)] : []));
  const first = objects[0];
  if (first === undefined || objects.length < examples.length) return [];
  // Nobody is assigned, no milestone is set; and what Apps may do is for each App to say.
  if (value === null || where.endsWith(".permissions")) return [];
  const fields = Fields.safeParse(value);
  if (!fields.success) return [`${where} is no object`];
  const common = Object.keys(first).filter((key) => objects.every((each) => key in each));
  return common.flatMap((key) => {
    const at = `${where}.${key}`;
    if (!(key in fields.data)) return [`${at} is missing`];
    const kinds = new Set(objects.map((each) => kindOf(each[key])));
    const kind = kindOf(fields.data[key]);
    if (!kinds.has(kind) && !kinds.has("null") && kind !== "null")
      return [`${at} is ${kind}, not ${[...kinds].join(" or ")}`];
    return missingFrom(
      fields.data[key],
      objects.map((each) => each[key]),
      at,
    );
  });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}
