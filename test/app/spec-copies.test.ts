import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { localSpecStore } from "../../src/adapters/spec-stores/local.ts";
import type { SpecRef } from "../../src/domain/spec.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { copyTexts } from "../../src/specification/copies.ts";
import { keptSpecText } from "../../src/storage/specs.ts";
import { databaseBefore } from "../support/database.ts";

const ISSUES = `
  insert into workspaces (id, name, created_at) values (1, 'default', now());
  insert into integrations (id, workspace_id, provider, base_url, bot_username, created_at)
  values (1, 1, 'local', 'local', 'relay', now());
  insert into repositories (id, integration_id, external_project_id, created_at) values (2, 1, 'shop', now());
  insert into issues (id, repository_id, external_issue_id, title, body, reporter, state, assigned_at, opened_at, updated_at)
  select id, 2, id::text, '', '', 'ann', 'done', now(), now(), now() from generate_series(3, 5) id;
`;

/** A database in which versions had no text, with one version in a store for each issue. */
async function asItWas() {
  const root = await mkdtemp(join(tmpdir(), "relay-copies-"));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
  const store = localSpecStore({ root, clock: systemClock });
  const { db, update } = await databaseBefore("0036_spec_texts.sql");
  await db.executeSql(ISSUES);
  const refs: SpecRef[] = [];
  for (const issueId of ["3", "4", "5"]) {
    const owner = { issueId, provider: "local", externalIssueId: issueId, title: "Wrong" } as const;
    const { ref } = z.object({ ref: z.custom<SpecRef>() }).parse(await store.write(owner, `# Spec ${issueId}\n`, null));
    refs.push(ref);
    await db.execute(
      `insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, summary, changelog,
                          metadata, created_at)
       values ($1, $1, 1, $2, 'L0', '', 'valid', '[]', '', '{}', now())`,
      [issueId, JSON.stringify(ref)],
    );
  }
  await update();
  const kept = async () =>
    await Promise.all(refs.map(async ({ sha256 }, at) => await keptSpecText(db, String(at + 3), sha256)));
  return { db, store, refs, kept };
}

test("texts of specs from before the database kept them are copied once, a lost one is sought once", async () => {
  const { db, store, refs, kept } = await asItWas();
  expect(await kept()).toEqual([null, null, null]);
  const [lost] = refs;
  if (lost !== undefined) await store.remove(lost);
  const reads: string[] = [];
  let isDown = true;
  const specStore = {
    ...store,
    read: async (ref: SpecRef) => {
      reads.push(ref.path);
      if (isDown && ref.path === refs[1]?.path) throw new RelayError("unavailable", "the store is down");
      return await store.read(ref);
    },
  };
  let days = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + days * 86_400_000) };
  const run = async () => await copyTexts({ db, clock, log: silentLog, specStore });
  expect(await run()).toBe(1);
  expect(await kept()).toEqual([null, null, "# Spec 5\n"]);
  expect(reads).toHaveLength(3);
  expect(await run()).toBe(0);
  expect(reads).toHaveLength(3);
  isDown = false;
  days = 2;
  expect(await run()).toBe(1);
  expect(await kept()).toEqual([null, "# Spec 4\n", "# Spec 5\n"]);
  expect(reads).toHaveLength(4);
  expect(await run()).toBe(0);
  expect(reads).toHaveLength(4);
});
