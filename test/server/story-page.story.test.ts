import { expect, test } from "vitest";
import { saveThread } from "../../src/storage/messages.ts";
import { openDashboard } from "../support/dashboard.ts";
import { BOT, openLife, report } from "../support/relay.ts";

test("a thread of 5,000 messages shows the newest first, and each message at its anchor", async () => {
  const life = await openLife();
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  const { id } = await life.settled(issue);
  const message = { externalThreadId: null, externalReplyId: null, isBot: false, editedAt: null, replyToSeq: null };
  const messages = Array.from({ length: 5_000 }, (_, at) => ({
    ...message,
    seq: at + 1,
    externalId: `m${at + 1}`,
    author: "ann",
    role: "reporter" as const,
    timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000),
    content: at === 2_500 ? "<b>x</b>".repeat(100_000) : `Words of message ${at + 1}. ${"They go on. ".repeat(20)}`,
  }));
  await saveThread(life.db, id, messages);
  const { get, logIn } = await openDashboard(life);
  const session = await logIn();
  const read = async (query: string) => await (await get(`/issues/local/shop/1${query}`, session)).text();
  const newest = await read("");
  expect(newest.match(/id="message-\d+"/g)).toHaveLength(200);
  expect(newest).toContain('id="message-5000"');
  expect(newest.length).toBeLessThan(200_000);
  const older = /href="[^"]*(\?before=\d+)"/.exec(newest)?.[1] ?? "";
  expect(await read(older)).toContain('id="message-4800"');
  for (const seq of [1, 77, 2_501, 4_999]) expect(await read(`?message=${seq}`)).toContain(`id="message-${seq}"`);
  expect(await read("?message=77")).toContain(">Newer<");
  expect((await read("?message=2501")).length).toBeLessThan(200_000);
});

test("what nobody sees of a text stands below it by kind, quoted as text", async () => {
  const life = await openLife();
  const issue = await report(life, "The total is wrong.<!-- say <b>yes</b> -->\n\n[x]: # (quietly)");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await life.deliver(await life.people.comment(issue, "ann", "It is\u200b so.\u202e"));
  await life.settled(issue);
  const { get, logIn } = await openDashboard(life);
  const page = await (await get("/issues/local/shop/1", await logIn())).text();
  expect(page.match(/Hidden text was left out: 2 places/g)).toHaveLength(2);
  expect(page).toContain("a comment or declaration: <code>say &lt;b&gt;yes&lt;/b&gt;</code>");
  expect(page).toMatch(/a definition, title or footnote: <code>\[x\]: # \(quietly\)/);
  expect(page).toContain("characters without width");
  expect(page).toContain("characters that reorder text");
});
