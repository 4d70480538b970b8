import { expect, test } from "vitest";
import { commandsOf, shellAt } from "./docs-shell.ts";
import { newSetUpDesk } from "./configured-desk.ts";
import { METRICS_TOKEN, SCRAPE, SECRET, githubCall } from "../support/web-server.ts";

test("the docs of operations do what they say", async () => {
  const desk = await newSetUpDesk();
  const shell = await shellAt(desk, { RELAY_PORT: "0", RELAY_METRICS_TOKEN: METRICS_TOKEN });
  const [
    all = "",
    look = "",
    move = "",
    roles = "",
    log = "",
    disk = "",
    forget = "",
    backup = "",
    restore = "",
    migrate = "",
    choose = "",
    ,
    ...rest
  ] = (await commandsOf("operations.md")).map(({ text }) => text);
  expect(rest).toEqual([]);
  expect(await shell.run(migrate)).toMatchObject({ code: 0, out: "The database is up to date.\n" });
  expect(await shell.run(look)).toMatchObject({ code: 0, out: expect.stringContaining("No issues yet") });
  expect(await shell.run(choose)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No issues yet\..*(\nNo such issues\.){2}\n$/),
  });
  expect(await shell.run(move)).toMatchObject({ code: 0, err: expect.stringContaining("set spec_store to git") });
  expect(await shell.run(disk)).toMatchObject({ code: 0, out: expect.stringMatching(/^Database, \d+ tables: /) });
  expect(await shell.run(backup)).toMatchObject({ code: 0, out: expect.stringContaining("relay-monday.backup: ") });
  const elsewhere = restore.replaceAll("/tmp", desk.folder);
  // The database has nothing yet that would be overwritten.
  expect(await shell.run(elsewhere)).toMatchObject({ code: 0, out: expect.stringMatching(/^Restored as of /) });
  const address = await shell.serve(all);
  for (const path of ["/healthz", "/readyz"]) expect((await fetch(address + path)).status).toBe(200);
  const metrics = await (await fetch(`${address}/metrics`, SCRAPE)).text();
  for (const name of ["deliveries_waiting", "deliveries_waiting_seconds", "dead_letters"]) {
    expect(metrics).toMatch(new RegExp(`^relay_${name} 0$`, "m"));
  }
  // There is no such issue here, which is told in the words of the command itself.
  expect((await shell.run(log)).err).toContain("no issue “github/acme/shop#7” is known here");
  expect((await shell.run(forget)).err).toContain("no issue “github/acme/shop#7” is known here");
  const started = roles.split("\n").map(async (line) => await shell.serve(line));
  expect(await Promise.all(started)).toHaveLength(3);
});

test("what was given up is seen, and tried again", async () => {
  const desk = await newSetUpDesk();
  const shell = await shellAt(desk, {
    RELAY_PORT: "0",
    GITHUB_WEBHOOK_SECRET: SECRET,
    RELAY_METRICS_TOKEN: METRICS_TOKEN,
  });
  const retry = (await commandsOf("operations.md")).find(({ text }) => text.startsWith("relay retry"))?.text ?? "";
  const address = await shell.serve("relay serve --role web");
  expect((await fetch(`${address}/webhooks/github`, githubCall())).status).toBe(202);
  await desk.db.execute(`update deliveries set dead_lettered_at = now(), error = 'it broke', event = event || $1`, [
    { externalProjectId: "acme/shop", externalIssueId: "7" },
  ]);
  expect((await shell.run("relay status")).out).toContain("github/acme/shop#7");
  expect(await (await fetch(`${address}/metrics`, SCRAPE)).text()).toMatch(/^relay_dead_letters 1$/m);
  expect(await shell.run(retry)).toMatchObject({ code: 0, out: "github/acme/shop#7: 1 deliveries are tried again\n" });
  expect((await shell.run("relay status")).out).not.toContain("given up");
});
