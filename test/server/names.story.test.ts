import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operatorView } from "../../src/app/people/viewer.ts";
import { openApi } from "../support/api.ts";
import { call, mcpClient, mcpDeps } from "../support/mcp.ts";
import { openPlanning, planned } from "../support/planning-relay.ts";
import { BOT, type Life, report } from "../support/relay.ts";

const SHOP = "/issues/local/shop/1";
const BAD_NAMES = ["relay", "Rеlay", "<img>", "mi\u200ba", "x".repeat(10_000)];
const UNSEEN = ["\u200b", "\ufe0f\ufe0f", "\u3164", "\ufeff", "\u{e0061}\u{e0062}", "\u00ad \u2800\n"];
async function asked(life: Life) {
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  return await life.settled(address);
}

const told = z.strictObject({ error: z.string().regex(/^[^\n]{5,400}$/) });

describe("the forms and calls of the local tracker", () => {
  test("take no name that people cannot read, or take for Relay's own, with one sentence", async () => {
    const life = await openPlanning();
    await planned(life);
    await life.people.setMember("shop", "olga", "admin");
    const { post, send, logIn } = await openApi(life);
    const session = await logIn();
    const before = await life.db.executeSql("select count(*) from local_comments");
    for (const as of BAD_NAMES) {
      const forms = [
        await send("/try", { project: "shop", as, title: "Again" }, session),
        await send(`${SHOP}/say`, { as, text: "Yes." }, session),
        await send(`${SHOP}/say`, { as, decision: "agree" }, session),
        await send(`${SHOP}/review`, { as, do: "merge" }, session),
      ];
      expect(forms.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      const calls = [
        await post("/issues", { repository: "shop", title: "Again", as }),
        await post(`${SHOP}/review`, { do: "merge", as }),
      ];
      for (const { json } of calls) expect(told.parse(json).error).toMatch(/somebody's name|Relay's own name/);
    }
    expect((await life.db.executeSql("select count(*) from local_comments")).rows).toEqual(before.rows);
    expect((await life.db.executeSql("select count(*)::int as n from local_issues")).rows).toEqual([{ n: 1 }]);
  });

  test("take no words of which people see nothing", async () => {
    const life = await openPlanning();
    const issue = await asked(life);
    await life.people.setMember("shop", "olga", "admin");
    const { post, send, logIn } = await openApi(life);
    const session = await logIn();
    const client = await mcpClient(mcpDeps(life), operatorView("olga"));
    const before = (await life.tracker.listComments(issue, null)).comments.length;
    for (const text of UNSEEN) {
      expect((await send(`${SHOP}/say`, { as: "mia", text }, session)).status).toBe(400);
      expect((await post(`${SHOP}/comments`, { text })).json).toMatchObject({
        error: expect.stringMatching(/nothing to say/),
      });
      expect((await post(`${SHOP}/gaps/1/answer`, { text })).json).toMatchObject({
        error: expect.stringMatching(/no words/),
      });
      expect(await call(client, "answer_gap", { gap: 1, issue: "local/shop#1", answer: text })).toMatchObject({
        failed: true,
      });
      await expect(life.people.comment(issue, "mia", text)).rejects.toThrow("a comment must not be blank");
    }
    expect((await life.tracker.listComments(issue, null)).comments).toHaveLength(before);
  });

  test("who runs Relay under its own name gives no answer by MCP", async () => {
    const life = await openPlanning();
    await asked(life);
    const client = await mcpClient(mcpDeps(life), operatorView("relay"));
    const said = await call(client, "answer_gap", { gap: 1, issue: "local/shop#1", answer: "In cents." });
    expect(said).toMatchObject({ failed: true, text: expect.stringMatching(/Relay's own name/) });
  });
});
