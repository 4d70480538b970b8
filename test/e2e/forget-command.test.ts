import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Database } from "../../src/storage/db.ts";
import { SIGNING_SECRET, receiveNotices } from "../support/notice-receiver.ts";
import { clusterOf, newDesk, relay, withDatabaseOf } from "./cli-harness.ts";
import { githubPlace } from "./hosted-github.ts";
import { PATIENT, agree, openServing } from "./serving-fixture.ts";

const TIMEOUT = 240_000;
/** Said in everything that people, the agent and checks say here, and nowhere else. */
const MARK = "zaunkoenig";

const tableRow = z.object({ table: z.string() });

/** Each row of each table of each schema that has the mark, as text or as bytes. */
async function rowsWithMark(db: Database): Promise<string[]> {
  const tables = await db.query(
    tableRow,
    `select format('%I.%I', table_schema, table_name) as table from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema !~ '^pg_|^information_schema$' order by 1`,
    [],
  );
  const found = [];
  for (const { table } of tables) {
    const sql = `select $3 || ': ' || left(t::text, 600) as table from ${table} t where t::text ilike $1 or t::text ilike $2`;
    const hex = Buffer.from(MARK).toString("hex");
    found.push(...(await db.query(tableRow, sql, [`%${MARK}%`, `%${hex}%`, table])));
  }
  return found.map((row) => row.table);
}

/** Files of a folder that have the mark, also packed. Objects of git are as the code host has them. */
async function filesWithMark(folder: string): Promise<string[]> {
  const found = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.toLowerCase().includes(MARK)) found.push(path);
    if (!entry.isFile() || path.includes("/objects/")) continue;
    const bytes = await readFile(path);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if ((isPacked ? gunzipSync(bytes) : bytes).toString("latin1").toLowerCase().includes(MARK)) found.push(path);
  }
  return found;
}

test("of an issue of the local tracker, its thread and its request go too", async () => {
  const desk = await newDesk();
  const [file, patch] = [join(desk.folder, "issue.md"), join(desk.folder, "change.patch")];
  const issue = `---\nnumber: 7\ntitle: The notes promise no ${MARK}\nauthor: mia\nmaintainers: [mia]\n---\n`;
  await writeFile(
    file,
    `${issue}NOTES.md should say that totals are rounded. Expected: a file NOTES.md with one line.\n`,
  );
  const added =
    "diff --git a/NOTES.md b/NOTES.md\nnew file mode 100644\n--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n";
  await writeFile(patch, `${added}+Totals are rounded.\n`);
  const args = ["work", file, "--repo", desk.repository, "--patch", patch, "--sandbox", "none", "--yes"];
  expect(await relay(desk, args)).toMatchObject({ code: 0 });
  const told = async () => await withDatabaseOf(desk, rowsWithMark);
  expect((await told()).join("\n")).toContain("local_pull_requests: ");
  expect(await filesWithMark(desk.specs)).not.toEqual([]);
  expect(await relay(desk, ["forget", "7", "--yes"])).toMatchObject({ code: 0 });
  expect(await told()).toEqual([]);
  expect(await filesWithMark(desk.specs)).toEqual([]);
  const cluster = await clusterOf(desk);
  expect((await filesWithMark(desk.home)).filter((path) => !path.startsWith(cluster))).toEqual([]);
});

test(
  "relay forget leaves nothing of an issue in the database or in files, but that it was forgotten",
  async () => {
    const receiver = await receiveNotices();
    const place = await githubPlace();
    const serving = await openServing(place);
    const targets = [{ name: "hub", kind: "webhook", url: `${receiver.url}/hook`, secret_env: "HUB_SECRET" }];
    Object.assign(serving.env, { RELAY_NOTIFICATIONS: JSON.stringify(targets), HUB_SECRET: SIGNING_SECRET });
    const { db, only } = serving;
    await serving.start("web,planner,worker");
    const issue = await agree(serving, MARK);
    const shown = async (label: string) =>
      await expect.poll(() => place.issue(issue).labels, PATIENT).toEqual(["bug", label]);
    await shown("relay:review");
    const first = only();
    place.review(first.number, "otto", { path: "src/export/period.js", line: 9, body: `Say ${MARK}, please.` });
    await expect.poll(() => only().head, PATIENT).not.toBe(first.head);
    await shown("relay:review");
    place.check(only(), "failed", `error: line 99 is no ${MARK}`);
    await expect
      .poll(async () => (await serving.tasks()).filter((task) => task.includes("line 99")), PATIENT)
      .not.toEqual([]);
    await shown("relay:review");
    const name = `github/${place.project}#${issue}`;
    expect((await serving.command(["log", name])).out).toContain(MARK);
    const answer = JSON.stringify({ issue: name, title: MARK });
    await db.execute(
      `insert into api_requests (id, login, key, request_sha256, status, answer, created_at) values (1, 'mia', 'k', '', 200, $1, now())`,
      [answer],
    );
    const before = await rowsWithMark(db);
    const tables = new Set(before.map((row) => row.split(":")[0]?.replace("public.", "")));
    const told =
      "actions api_requests audit_log change_requests deliveries gaps issues llm_evals messages notices plans posts runs specs";
    expect([...tables]).toEqual(expect.arrayContaining(told.split(" ")));
    expect(await filesWithMark(join(serving.folder, "home"))).not.toEqual([]);

    expect(await serving.command(["forget", name, "--yes"])).toMatchObject({ code: 0 });
    expect(await rowsWithMark(db)).toEqual([]);
    expect(await filesWithMark(join(serving.folder, "home"))).toEqual([]);
    const entry = z.object({ what: z.string(), before: z.unknown() });
    expect(await db.query(entry, "select what, before from audit_log", [])).toEqual([
      { what: "issue.forgotten", before: { id: expect.stringMatching(/^\d+$/) } },
    ]);
  },
  TIMEOUT,
);
