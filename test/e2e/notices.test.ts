import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { snowflakes } from "../../src/lib/ids.ts";
import { testNotice } from "../../src/notify/notices/compose.ts";
import { type Connecting, type Database } from "../../src/storage/db.ts";
import { addNotice, listNotifying } from "../../src/storage/notices.ts";
import { freshDatabase } from "../support/database.ts";
import { SIGNING_SECRET, isSigned, receiveNotices } from "../support/notice-receiver.ts";
import { checksIn, newSetUpDesk } from "./configured-desk.ts";
import { relay } from "./cli-harness.ts";

const SENDER = join(import.meta.dirname, "../children/notice-sender.ts");
const ids = snowflakes();

function startSender(connection: Connecting, url: string): ChildProcess {
  const about = JSON.stringify({ connection, url, secret: SIGNING_SECRET });
  const child = spawn(process.execPath, ["--no-warnings", SENDER, about], { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function addNotices(db: Database, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, n) => `notice ${n}`);
  for (const text of texts) {
    const body = { ...testNotice(new Date()), text };
    await addNotice(db, { target: "team", issueId: null, key: text, body }, ids);
  }
  return texts;
}

test("a process that is killed after sending and before recording it leaves a notice that comes again, with its id", async () => {
  const { db, connection } = await freshDatabase();
  let killed: ChildProcess | null = null;
  const receiver = await receiveNotices((_, response, count) => {
    if (count > 1) return;
    killed?.kill("SIGKILL");
    response.destroy();
  });
  const texts = await addNotices(db, 2);
  killed = startSender(connection, receiver.url);
  await once(killed, "exit");
  expect(killed.signalCode).toBe("SIGKILL");
  const next = startSender(connection, receiver.url);
  await once(next, "exit");
  const came = receiver.notices();
  expect(came.map(({ text }) => text)).toEqual([texts[0], ...texts]);
  expect(came[1]?.id).toBe(came[0]?.id);
  expect(await Promise.all(receiver.received.map(async (one) => await isSigned(one)))).toEqual([true, true, true]);
  expect(await listNotifying(db)).toEqual([]);
});

test("two processes at once send each notice once, in order", async () => {
  const { db, connection } = await freshDatabase();
  const receiver = await receiveNotices();
  const texts = await addNotices(db, 120);
  const senders = [startSender(connection, receiver.url), startSender(connection, receiver.url)];
  await Promise.all(senders.map(async (sender) => await once(sender, "exit")));
  expect(receiver.notices().map(({ text }) => text)).toEqual(texts);
});

test("doctor looks at each target without sending anything, and sends a test where it is told to", async () => {
  const desk = await newSetUpDesk();
  const receiver = await receiveNotices();
  const targets = [
    { name: "hub", kind: "webhook", url: `${receiver.url}/hook`, secret_env: "HUB_SECRET" },
    { name: "team", kind: "slack", url_env: "TEAM_URL" },
    { name: "down", kind: "webhook", url: "http://127.0.0.1:9/", secret_env: "HUB_SECRET" },
  ];
  const env = {
    RELAY_NOTIFICATIONS: JSON.stringify(targets),
    HUB_SECRET: SIGNING_SECRET,
    TEAM_URL: `${receiver.url}/services/only-the-variable-has-this`,
  };
  const looked = await relay(desk, ["doctor", "--json"], { env });
  expect(receiver.received).toEqual([]);
  expect(receiver.looks).toEqual(["/hook", "/services/only-the-variable-has-this"]);
  const { byName } = checksIn(looked);
  expect(byName["notifications to hub"]).toMatchObject({ ok: true, detail: "webhook, answers (405 to a HEAD)" });
  expect(byName["notifications to team"]).toMatchObject({ ok: true, detail: "slack, answers (405 to a HEAD)" });
  expect(byName["notifications to down"]).toMatchObject({
    ok: false,
    detail: expect.stringContaining("no connection"),
  });
  const tried = await relay(desk, ["doctor", "--notify", "hub"], { env });
  expect(tried).toMatchObject({ code: 0, out: "ok    notifications to hub: the test was taken (204)\n" });
  expect(receiver.types()).toEqual(["test"]);
  const posted = await relay(desk, ["doctor", "--notify", "team"], { env });
  expect(posted.code).toBe(0);
  expect(JSON.parse(receiver.received[1]?.body ?? "")).toMatchObject({ text: expect.stringContaining("a test") });
  expect(await relay(desk, ["doctor", "--notify", "hup"], { env })).toMatchObject({
    code: 2,
    err: "relay: there is no target “hup” in notifications; did you mean “hub”?\n",
  });
  const failed = await relay(desk, ["doctor", "--notify", "down"], { env });
  expect(failed).toMatchObject({
    code: 1,
    out: expect.stringContaining("FAIL  notifications to down: the test was not taken"),
  });
  expect([looked, tried, posted, failed].map(({ out, err }) => out + err).join("")).not.toContain("only-the-variable");
  await addNotices(desk.db, 1);
  await desk.db.execute("update notices set target = 'hub', error = 'answered with 500', status = 500", []);
  const status = await relay(desk, ["status"], { env });
  expect(status.out).toMatch(/^notifications to hub: 1 waits since \S+, last: answered with 500$/m);
  const asJson: unknown = JSON.parse((await relay(desk, ["status", "--json"], { env })).out);
  expect(asJson).toMatchObject({ notifications: [{ target: "hub", waiting: 1, given_up: 0 }] });
});
