import { join } from "node:path";
import { expect, test } from "vitest";
import { openActs } from "../../src/app/people/acts.ts";
import { operatorView } from "../../src/app/people/viewer.ts";
import { moment } from "../support/planning-relay.ts";
import { BOT, type Life, openLife, report } from "../support/relay.ts";

const controlsOf = async (life: Life) => await Promise.resolve({ ...life, home: join(life.folder, ".relay") });

async function engaged(life: Life) {
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  return await life.settled(address);
}

function actsOf(life: Life) {
  return openActs({
    ...life,
    bot: BOT,
    db: () => life.db,
    receiveWithin: life.orchestrator.receiveWithin,
    controls: async () => controlsOf(life),
  });
}

async function commentsOf(life: Life, author: string) {
  const issue = { provider: "local", externalProjectId: "shop", externalIssueId: "1" } as const;
  const { comments } = await life.tracker.listComments(issue, null);
  return comments.filter((comment) => comment.author === author).map(({ body }) => body);
}

test("words at a local issue are a comment of who says them, heard once however often they are sent", async () => {
  const life = await openLife();
  const issue = await engaged(life);
  const acts = actsOf(life);
  const olga = operatorView("olga");
  await Promise.all(["k", "k", "k"].map(async (key) => await acts.say(issue, "It is in cents.\r\n@ann?", olga, key)));
  await acts.say(issue, "It is in cents.\r\n@ann?", olga, "another");
  await acts.say(issue, "It is in cents.\r\n@ann?", olga, "k");
  expect(await commentsOf(life, "olga")).toEqual(["It is in cents.\n@ann?", "It is in cents.\n@ann?"]);
  await life.settled(issue);
  const heard = await life.worked(issue);
  expect(heard).toEqual([]);
});

test("words whose event cannot be stored are not said, and are said and heard once when they are sent again", async () => {
  const life = await openLife();
  const issue = await engaged(life);
  const olga = operatorView("olga");
  const lost = openActs({
    ...life,
    bot: BOT,
    db: () => life.db,
    receiveWithin: async () => await Promise.reject(new Error("killed")),
    controls: async () => controlsOf(life),
  });
  await expect(lost.say(issue, "It is in cents.", olga, "k")).rejects.toThrow("killed");
  expect(await commentsOf(life, "olga")).toEqual([]);
  await actsOf(life).say(issue, "It is in cents.", olga, "k");
  await life.settled(issue);
  const rows = await life.db.executeSql(`select delivery_id, event ->> 'actor' as actor from deliveries
    where event ->> 'kind' = 'commented'`);
  expect(rows.rows).toEqual([{ delivery_id: expect.stringMatching(/^said:\d+$/), actor: "olga" }]);
  expect(await commentsOf(life, "olga")).toEqual(["It is in cents."]);
});

test.each([
  ["  \n", "k", /nothing to say/],
  ["a\ud800b", "k", /valid Unicode/],
  ["a".repeat(60_001), "k", /at most 60000 characters/],
  ["words", "", /the key/],
])("words that cannot be said are refused", async (words, key, why) => {
  const life = await openLife();
  const issue = await engaged(life);
  await expect(actsOf(life).say(issue, words, operatorView("olga"), key)).rejects.toThrow(why);
});

test("nobody speaks at, or controls, an issue that they may not see, nor learns that it is there", async () => {
  const life = await openLife();
  const issue = await engaged(life);
  const acts = actsOf(life);
  const stranger = { login: "eve", provider: "github", accountId: "1", repositories: ["1"], triages: [] } as const;
  const unknown = { ...issue, externalIssueId: "99" };
  await expect(acts.say(issue, "yes", stranger, "k")).rejects.toThrow("local/shop#1, or not yet");
  await expect(acts.say(unknown, "yes", stranger, "k")).rejects.toThrow("local/shop#99, or not yet");
  await expect(acts.control(issue, "pause", stranger)).rejects.toMatchObject({ code: "not_found" });
  const reader = { ...stranger, repositories: [issue.repositoryId] };
  await expect(acts.control(issue, "pause", reader)).rejects.toMatchObject({ code: "forbidden" });
});

test("a decision that stands is said once; after more in the thread it can be said again (R-ACT-5)", async () => {
  const life = await openLife();
  const issue = await engaged(life);
  const acts = actsOf(life);
  const olga = operatorView("olga");
  const goAhead = { name: "go-ahead", about: null } as const;
  const decide = async () => await acts.decide(issue, goAhead, olga);
  await Promise.all(Array.from({ length: 10 }, decide));
  expect(await commentsOf(life, "olga")).toHaveLength(1);
  await moment();
  await life.deliver(await life.people.comment(issue, "mia", "Wait, please."));
  await life.settled(issue);
  await decide();
  await decide();
  expect(await commentsOf(life, "olga")).toHaveLength(2);
});
