import { expect, test } from "vitest";
import { z } from "zod";
import { openLogins } from "../support/tracker-logins.ts";

const own = { origin: "https://relay.example" };

type Opened = Awaited<ReturnType<typeof openLogins>>;

/** A learning of a repository; of all of them without one. */
async function learned({ life, connected }: Opened, repository: string | null, content: string): Promise<string> {
  const id = life.ids.next();
  await life.db.execute(
    `insert into learnings (id, workspace_id, repository_id, type, content, content_key, status, created_at)
     select $1, min(workspace_id), $2, 'code_learnings', $3, $3, 'proposed', now() from integrations`,
    [id, repository === null ? null : connected[repository], content],
  );
  return id;
}

async function decide({ open }: Opened, id: string, form: Record<string, string>): Promise<number> {
  return (await open(`/learnings/${id}`, { method: "POST", headers: own, body: new URLSearchParams(form) })).status;
}

test("who may write in a repository decides about its learnings, under their name (R-SAFE-8)", async () => {
  const opened = await openLogins();
  const id = await learned(opened, "zoe/blog", "Posts are in Markdown.");
  await opened.logInAs("zoe");
  expect(await (await opened.open("/learnings")).text()).toContain('value="approve"');
  expect(await decide(opened, id, { do: "edit", content: "Posts are Markdown files." })).toBe(303);
  expect(await decide(opened, id, { do: "approve" })).toBe(303);
  const row = z.object({ content: z.string(), status: z.string(), approved_by: z.string().nullable() });
  const { db } = opened.life;
  const kept = await db.query(row, `select content, status, approved_by from learnings where id = $1`, [id]);
  expect(kept).toEqual([{ content: "Posts are Markdown files.", status: "approved", approved_by: "zoe" }]);
  expect(await decide(opened, id, { do: "remove" })).toBe(303);
  const { rows } = await db.executeSql(`select actor, what from audit_log order by id`);
  expect(rows).toEqual(["edited", "approved", "removed"].map((did) => ({ actor: "zoe", what: `learning.${did}` })));
});

test("who may not write there decides nothing, and is offered nothing; nobody but who runs Relay decides for all repositories", async () => {
  const opened = await openLogins();
  const blog = await learned(opened, "zoe/blog", "Posts are in Markdown.");
  const shop = await learned(opened, "acme/shop", "Totals are in cents.");
  const all = await learned(opened, null, "Tests come first.");
  await opened.logInAs("ann");
  await opened.life.db.execute(`update account_permissions set permission = 'triage' where repository_id = $1`, [
    opened.connected["zoe/blog"],
  ]);
  const page = await (await opened.open("/learnings")).text();
  expect(page).toContain("Posts are in Markdown.");
  expect(page).not.toContain(`action="/learnings/${blog}"`);
  expect(await decide(opened, blog, { do: "approve" })).toBe(403);
  await opened.logInAs("zoe");
  expect(await decide(opened, shop, { do: "approve" })).toBe(404);
  expect(await decide(opened, all, { do: "remove" })).toBe(404);
  expect(await decide(opened, blog, { do: "everywhere" })).toBe(403);
  const json = { ...own, "content-type": "application/json" };
  const everywhere = { method: "POST", headers: json, body: JSON.stringify({ everywhere: true }) };
  expect((await opened.open(`/api/v1/learnings/${blog}/approve`, everywhere)).status).toBe(403);
  const { rows } = await opened.life.db.executeSql(`select distinct status from learnings`);
  expect(rows).toEqual([{ status: "proposed" }]);
});
