import { spawn } from "node:child_process";
import { readFile, writeFile, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../src/config/schema.ts";
import { NOTICE_EVENTS, noticeSchema } from "../../src/domain/notice.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { sendNotice } from "../../src/notify/notices/send.ts";
import { SIGNING_SECRET } from "../support/notice-receiver.ts";

const text = await readFile(join(import.meta.dirname, "../../docs/notifications.md"), "utf8");
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block]) => block ?? "");
const examples = blocks("json").map((block) => noticeSchema.strict().parse(JSON.parse(block)));

test("there is an example of each event, and it is what Relay sends", () => {
  expect(examples.map(({ type }) => type)).toEqual([...NOTICE_EVENTS]);
  for (const event of NOTICE_EVENTS) expect(text).toContain(`| \`${event}\` |`);
});

test("the example of a configuration is one", () => {
  const { notifications } = configSchema.parse(parse(blocks("yaml")[0] ?? ""));
  expect(notifications.map(({ name, kind }) => `${name} ${kind}`)).toEqual(["team slack", "hub webhook"]);
});

test("the receiver takes what Relay signs, and nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-receiver-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "receiver.mjs"), blocks("js")[0] ?? "");
  const port = await freePort();
  const receiver = spawn(process.execPath, [join(folder, "receiver.mjs")], {
    env: { HUB_SECRET: SIGNING_SECRET, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void receiver.kill());
  let said = "";
  receiver.stdout.on("data", (data: Buffer) => (said += data.toString("utf8")));
  const [notice] = examples;
  if (notice === undefined) throw new Error("there is no example");
  const to = (secret: string) => ({
    kind: "webhook" as const,
    url: `http://127.0.0.1:${port}/`,
    keys: [Buffer.from(secret.slice("whsec_".length), "base64")],
  });
  await expect
    .poll(async () => (await sendNotice(notice, to(SIGNING_SECRET), { clock: systemClock })).status)
    .toBe(204);
  const other = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  expect((await sendNotice(notice, to(other), { clock: systemClock })).status).toBe(401);
  const long = { now: () => new Date(Date.now() - 3_600_000) };
  expect((await sendNotice(notice, to(SIGNING_SECRET), { clock: long })).status).toBe(401);
  await expect.poll(() => said).toContain(`${notice.id} ${notice.text}`);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" && address !== null ? address.port : 0;
}
