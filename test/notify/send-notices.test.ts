import { expect, test } from "vitest";
import type { NoticeAddress } from "../../src/domain/notice.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { testNotice } from "../../src/notify/notices/compose.ts";
import { type DeliverDeps, deliverNotices } from "../../src/notify/notices/deliver.ts";
import type { Database } from "../../src/storage/db.ts";
import { addNotice, giveUpOthers, listNotifying, nextNotice, noticeFigures } from "../../src/storage/notices.ts";
import { removeNotices } from "../../src/storage/retention.ts";
import { setConfidential } from "../../src/storage/issues.ts";
import { freshDatabase } from "../support/database.ts";
import { type Answers, SIGNING_SECRET, isSigned, receiveNotices } from "../support/notice-receiver.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { listeningLog } from "../support/web-server.ts";

const ids = snowflakes();
const NEWER = `whsec_${Buffer.from("another secret of enough bytes").toString("base64")}`;
const keyOf = (secret: string) => Buffer.from(secret.slice("whsec_".length), "base64");

/** A database with notices for the target `team`, and what sends them. */
async function open(answer?: Answers, { keys = [SIGNING_SECRET], timeoutMs = 5_000, path = "/hook" } = {}) {
  const { db } = await freshDatabase();
  const receiver = await receiveNotices(answer);
  const address: NoticeAddress = { kind: "webhook", url: `${receiver.url}${path}`, keys: keys.map(keyOf) };
  const { log, lines } = listeningLog();
  const again: (Date | "now")[] = [];
  const deps: DeliverDeps = {
    db,
    clock: systemClock,
    log,
    receiverOf: () => ({ address, confidential: false }),
    sendAgain: async (_, at) => void again.push(await Promise.resolve(at)),
    timeoutMs,
  };
  const run = async (change: Partial<DeliverDeps> = {}) => await deliverNotices("team", { ...deps, ...change });
  /** The same once all waits are over. */
  const runLater = async () => {
    await db.execute("update notices set due_at = now()", []);
    await run();
  };
  /** As the jobs do: until nothing waits. */
  const drain = async () => {
    for (let jobs = 0; jobs < 500 && (await listNotifying(db)).length > 0; jobs += 1) await runLater();
  };
  return { db, address, lines, again, run, runLater, drain, ...receiver };
}

async function add(db: Database, key: string, issueId: string | null = null) {
  const body = { ...testNotice(new Date()), text: key };
  return await addNotice(db, { target: "team", issueId, key, body }, ids);
}

const texts = ({ notices }: Pick<Awaited<ReturnType<typeof open>>, "notices">) => notices().map(({ text }) => text);

test("a notice is signed as Standard Webhooks says, and stored only once for its target", async () => {
  const it = await open();
  expect([await add(it.db, "a"), await add(it.db, "a")]).toEqual([true, false]);
  await it.run();
  const [one] = it.received;
  if (one === undefined) throw new Error("nothing came");
  expect(it.received).toHaveLength(1);
  expect(await isSigned(one)).toBe(true);
  expect(await isSigned({ ...one, body: `${one.body} ` })).toBe(false);
  expect(await isSigned(one, NEWER)).toBe(false);
  expect(one.headers).toMatchObject({
    "webhook-id": it.notices()[0]?.id,
    "content-type": "application/json; charset=utf-8",
  });
  expect(one.headers["webhook-id"]).toMatch(/^msg_\d+$/);
});

test("while a secret is replaced, both sign", async () => {
  const it = await open(undefined, { keys: [NEWER, SIGNING_SECRET] });
  await add(it.db, "a");
  await it.run();
  const [one] = it.received;
  if (one === undefined) throw new Error("nothing came");
  expect([await isSigned(one, NEWER), await isSigned(one, SIGNING_SECRET)]).toEqual([true, true]);
});

test("after a 500 a notice is sent again with the same id, and those behind it wait for it", async () => {
  const it = await open((_, response, count) => count <= 3 && response.writeHead(500).end("a secret of the receiver"));
  for (const key of ["a", "b", "c"]) await add(it.db, key);
  await it.run();
  expect(it.again).toHaveLength(1);
  await it.drain();
  expect(texts(it)).toEqual(["a", "a", "a", "a", "b", "c"]);
  expect(new Set(it.notices().map(({ id }) => id)).size).toBe(3);
  const said = JSON.stringify([it.lines, await noticeFigures(it.db)]);
  expect(said).toContain("answered with 500");
  expect(said).not.toContain("a secret of the receiver");
});

test("a receiver that asks to wait is not called before", async () => {
  const it = await open(
    (_, response, count) => count === 1 && response.writeHead(429, { "retry-after": "3600" }).end(),
  );
  for (const key of ["a", "b"]) await add(it.db, key);
  for (let jobs = 0; jobs < 5; jobs += 1) await it.run();
  expect(it.received).toHaveLength(1);
  const wait = it.again.map((at) => (at === "now" ? 0 : at.getTime() - Date.now()) / 60_000);
  expect(Math.min(...wait)).toBeGreaterThan(55);
  await it.runLater();
  expect(texts(it)).toEqual(["a", "a", "b"]);
});

test("a receiver that hangs is left after a moment, and that is told without its address", async () => {
  const it = await open(async () => await new Promise(() => {}), { timeoutMs: 20, path: "/a-secret-path" });
  await add(it.db, "a");
  await it.run();
  expect(it.lines).toMatchObject([{ level: "warn", fields: { target: "team", status: null, tries: 1 } }]);
  expect(JSON.stringify(it.lines)).toContain("no answer within 0.02 seconds");
  expect(JSON.stringify(it.lines)).not.toContain("secret");
});

test("an answer of any size is not read", async () => {
  let written = 0;
  const it = await open((_, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) written += 1;
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  await add(it.db, "a");
  await it.run();
  expect(await listNotifying(it.db)).toEqual([]);
  expect(written).toBeLessThan(1_000);
});

test("redirects are not followed", async () => {
  const other = await receiveNotices();
  const it = await open((_, response) => response.writeHead(307, { location: `${other.url}/` }).end());
  await add(it.db, "a");
  await it.run();
  expect(other.received).toEqual([]);
  expect(await noticeFigures(it.db)).toMatchObject([
    { waiting: 1, error: "answered with 307, and redirects are not followed" },
  ]);
});

test("a receiver that is gone (410) is sent no such notice again", async () => {
  const it = await open((_, response) => response.writeHead(410).end());
  await add(it.db, "a");
  await it.run();
  await it.run();
  expect(it.received).toHaveLength(1);
  expect(it.lines).toMatchObject([{ level: "error", fields: { target: "team", status: 410 } }]);
  expect(await noticeFigures(it.db)).toMatchObject([{ target: "team", waiting: 0, givenUp: 1 }]);
});

test("one that the receiver never takes keeps the others waiting only for a while", async () => {
  const it = await open(({ body }, response) => body.includes("poison") && response.writeHead(422).end());
  for (const key of ["poison", "b", "c"]) await add(it.db, key);
  for (let jobs = 0; jobs < 100 && !texts(it).includes("c"); jobs += 1) await it.runLater();
  expect(texts(it).filter((text) => text !== "poison")).toEqual(["b", "c"]);
  expect(await noticeFigures(it.db)).toMatchObject([{ waiting: 1, error: "answered with 422" }]);
  await add(it.db, "d");
  await it.run();
  expect(texts(it)).toContain("d");
});

test("while nothing gets through, the order stays however long it takes", async () => {
  let isDown = true;
  const it = await open((_, response) => isDown && response.writeHead(503).end());
  for (const key of ["a", "b"]) await add(it.db, key);
  for (let jobs = 0; jobs < 30; jobs += 1) await it.runLater();
  isDown = false;
  await add(it.db, "c");
  await it.drain();
  expect(texts(it).slice(30)).toEqual(["a", "b", "c"]);
});

test("after a day of tries a notice is given up, with a line in the log", async () => {
  const it = await open((_, response) => response.writeHead(503).end());
  await add(it.db, "a");
  await it.db.execute("update notices set created_at = now() - interval '25 hours'", []);
  await it.run();
  expect(it.received).toHaveLength(1);
  expect(it.lines).toMatchObject([{ level: "error", message: "a notice is given up after a day" }]);
  expect(await noticeFigures(it.db)).toMatchObject([{ waiting: 0, givenUp: 1 }]);
});

test("what nobody is configured to receive any more is given up after a day", async () => {
  const it = await open();
  await add(it.db, "a");
  expect(await giveUpOthers(it.db, [])).toBe(0);
  await it.db.execute("update notices set created_at = now() - interval '25 hours'", []);
  expect(await giveUpOthers(it.db, ["team"])).toBe(0);
  expect(await giveUpOthers(it.db, ["other"])).toBe(1);
});

test("an issue that became confidential meanwhile is not told of", async () => {
  const it = await open();
  const issue = await trackedIssue(it.db, (await trackedRepository(it.db)).id);
  await add(it.db, "a", issue.id);
  await setConfidential(it.db, issue.id, true);
  await it.run();
  expect(it.received).toEqual([]);
  expect(await nextNotice(it.db, "team")).toBeNull();
});

test("what was sent is removed after its time; what waits, and what is told once in a month, is not", async () => {
  const it = await open();
  const issue = await trackedIssue(it.db, (await trackedRepository(it.db)).id);
  await add(it.db, "sent", issue.id);
  await add(it.db, "month");
  await it.run();
  await add(it.db, "waits", issue.id);
  const later = new Date(Date.now() + 60_000);
  expect([await removeNotices(it.db, later, 10), await removeNotices(it.db, later, 10)]).toEqual([1, 0]);
  expect([await add(it.db, "sent", issue.id), await add(it.db, "month"), await add(it.db, "waits")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("of two processes at once, each notice is sent by one of them", async () => {
  const it = await open();
  for (let n = 0; n < 20; n += 1) await add(it.db, String(n).padStart(2, "0"));
  const busy = await Promise.allSettled(Array.from({ length: 4 }, async () => await it.run()));
  expect(busy.some(({ status }) => status === "fulfilled")).toBe(true);
  await it.drain();
  expect(texts(it)).toEqual(Array.from({ length: 20 }, (_, n) => String(n).padStart(2, "0")));
});

test("a process that stops leaves the rest to the next", async () => {
  const leaving = new AbortController();
  const it = await open(() => leaving.abort());
  for (const key of ["a", "b"]) await add(it.db, key);
  await it.run({ signal: leaving.signal });
  expect([texts(it), it.again]).toEqual([["a"], ["now"]]);
  await it.run();
  expect(texts(it)).toEqual(["a", "b"]);
});
