import { expect, test } from "vitest";
import { z } from "zod";
import { databaseBefore } from "../../test/support/database.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { addFinding, listFindings, listRemovedFindings } from "./findings.ts";

const now = { clock: systemClock, ids: snowflakes() };

/** Issue 3, whose findings 11 to 13 a spec with the id 20 cites by their position. */
const AS_IT_WAS = `
  insert into workspaces (id, name, created_at) values (1, 'default', now());
  insert into integrations (id, workspace_id, provider, base_url, bot_username, created_at)
  values (1, 1, 'local', 'local', 'relay', now());
  insert into repositories (id, integration_id, external_project_id, created_at) values (2, 1, 'shop', now());
  insert into issues (id, repository_id, external_issue_id, title, body, reporter, state, assigned_at, opened_at, updated_at)
  select id, 2, id::text, '', '', 'ann', 'done', now(), now(), now() from generate_series(3, 5) id;
  insert into findings (id, issue_id, synthesis, sources, created_at)
  select id, 3, 'finding ' || id, '[]', now() from unnest(array[12, 13, 30]) id;
  insert into findings (id, issue_id, synthesis, sources, created_at) values (40, 4, 'elsewhere', '[]', now());
  insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, summary, changelog,
                     metadata, created_at)
  select id, 3, id - 14, '{}', 'L0', '', 'valid', '[]', '', '{}', now() from unnest(array[15, 20]) id;
  insert into audit_log (id, issue_id, at, actor, what, before)
  select id, 3, '2026-11-01', 'relay', 'finding.removed', before::jsonb from (values
    (16, '{"id":"10","synthesis":"gone before the newest spec","sources":[]}'),
    (25, '{"id":"11","synthesis":"it was","sources":[{"location":"a.ts:1","snippet":"let it;"}]}'),
    (31, '{"id":"29","synthesis":"never cited","sources":[]}'),
    (32, '{"id":"odd"}'), (33, null)) l (id, before);
`;

test("numbers of findings in a database from before mean what the newest spec means by them", async () => {
  const { db, update } = await databaseBefore("0040_finding_numbers.sql");
  await db.executeSql(AS_IT_WAS);
  await update();
  const numbers = async (issue: string) => (await listFindings(db, issue)).map(({ id, number }) => [id, number]);
  expect(await numbers("3")).toEqual([
    ["12", 2],
    ["13", 3],
    ["30", 4],
  ]);
  expect(await listRemovedFindings(db, "3")).toMatchObject([
    { number: 1, id: "11", synthesis: "it was", sources: [{ location: "a.ts:1", snippet: "" }], why: null },
  ]);
  expect(await numbers("4")).toEqual([["40", 1]]);
  await addFinding(db, "3", { synthesis: "new", sources: [], commit: null }, now);
  await addFinding(db, "5", { synthesis: "the first", sources: [], commit: null }, now);
  expect((await numbers("3")).at(-1)?.[1]).toBe(5);
  expect((await numbers("5"))[0]?.[1]).toBe(1);
});

test("a program of the version before goes on storing findings, each with a number of its own", async () => {
  const { db, update } = await databaseBefore("0040_finding_numbers.sql");
  await db.executeSql(AS_IT_WAS);
  await update();
  await db.execute(
    `insert into findings (id, issue_id, synthesis, sources, created_at) values (60, 5, 'a', '[]', now()), (61, 5, 'b', '[]', now())`,
    [],
  );
  await db.execute("delete from findings where id = 61", []);
  await addFinding(db, "5", { synthesis: "c", sources: [], commit: null }, now);
  expect((await listFindings(db, "5")).map(({ number }) => number)).toEqual([1, 3]);
  await db.execute("delete from issues where id = 5", []);
  expect(await db.query(z.object({ id: z.string() }), "select id from findings where issue_id = 5", [])).toEqual([]);
});
